// Package searchservice opens the search service from its settings: the index of the files,
// the plugins, access and limits, metrics, alerts and health checks. The program cqm
// consists of it; cursorcli offers it beside its own tools.
package searchservice

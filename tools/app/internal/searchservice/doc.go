// Package searchservice opens the search service from its settings: index, plugins, access control,
// metrics, alerts and health checks. The program cqm consists of it; cursorcli offers it beside its
// own tools.
//
// Options.Load merges defaults, files, environment and flags into a Loaded. Open creates a Service
// from it: the tools without a server. NewServer adds access control, metrics and logging for
// several clients, and Server.Endpoints returns its transports. The settings file of a project has
// fewer rights than the file of the user: the user must approve values that widen access. Close of
// a Server also closes its Service.
package searchservice

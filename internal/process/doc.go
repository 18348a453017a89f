// Package process runs child processes as groups, so that ending one ends
// everything that it has started.
package process

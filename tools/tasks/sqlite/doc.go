// Package sqlite keeps tasks in an SQLite database, so that results remain available after a
// restart, and interrupted tasks are reported as failed. Several processes may share one file; each
// serves the tasks of all.
//
// A confirmed change survives the end of the process. A power failure can lose the newest changes.
package sqlite

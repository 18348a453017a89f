// Package sqlite keeps tasks in a database of SQLite, so that they outlive the
// process that runs them: what has ended can still be asked for after a restart, and
// what was at work has failed. Several processes may share one file; they answer for
// each other's tasks.
//
// What was answered survives the end of the process however it comes. The last
// moments before the machine itself loses its power may be lost.
package sqlite

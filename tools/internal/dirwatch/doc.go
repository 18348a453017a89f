// Package dirwatch keeps something up to date with the files of directories: it
// has the system tell of changes, waits until a change is whole, and looks at
// everything now and then, since no system tells of all changes.
package dirwatch

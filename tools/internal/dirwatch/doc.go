// Package dirwatch keeps a [Subject] up to date with the files of directories. [Watch] receives change events of the operating
// system, waits until they pause, and calls Subject.Update. It also scans all files at intervals, because no system reports all
// changes.
package dirwatch

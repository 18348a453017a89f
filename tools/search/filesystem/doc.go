// Package filesystem is a plugin for the set of package search: it keeps an index of
// the files of a Root, brings it up to date when they change, and says how current
// it is.
//
// A file is indexed when it lies in one of the watched directories, the rules of the
// Root let tools see it, and neither a .gitignore file, nor the patterns of Options,
// nor a name that begins with a dot leaves it out. What cannot be found because it is
// binary, too large or not readable is told in Status.Skipped.
//
// A file whose size and time of modification are those of the index is not read
// again, unless it was modified so shortly before it was read that a later change
// might have left the same time. What was modified is compared by its content.
package filesystem

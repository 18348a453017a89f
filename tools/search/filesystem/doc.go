// Package filesystem is the document plugin of the search tools: it indexes the files of a Root, keeps the index up to date,
// and reports its state.
//
// [New] returns a [Filesystem], which implements plugin.Documents. It watches the directories, and also checks all files at an
// interval. [Filesystem.Refresh] updates the index on request. One refresh writes at a time. A call of Refresh with the same
// options as a running one waits for that one and returns its result.
//
// A file is split into pieces, for example one for each declaration. The index stores the pieces.
//
// If an update fails, for example because the disk is full, Refresh and [Filesystem.Health] return an error with the code
// INDEX_UNAVAILABLE. Files that were indexed before are still found. Health returns nil after the next successful update.
//
// A file is indexed if it lies in one of the watched directories, the rules of the Root permit reading it, and it is not
// excluded by a .gitignore file, by Options.Ignore, or by a name that begins with a dot. Status.Skipped counts binary, too
// large and unreadable files.
//
// A file counts as unchanged, and is not read again, if its size and modification time equal the recorded ones. If the recorded
// time is within two seconds of the reading, a later change could have the same time, so the content is compared.
package filesystem

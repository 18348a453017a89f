// Package filesystem is the document plugin of the search tools: it indexes the files of a Root, keeps the index up to date,
// and reports its state.
//
// [New] returns a [Filesystem], which implements plugin.Documents. It watches the directories, and also checks all files at an
// interval. [Filesystem.Refresh] updates the index on request. One refresh writes at a time; equal requests share one job.
//
// A file is indexed if it lies in one of the watched directories, the rules of the Root permit reading it, and it is not
// excluded by a .gitignore file, by Options.Ignore, or by a name that begins with a dot. Status.Skipped counts binary, too
// large and unreadable files.
//
// A file with the size and modification time of the index is not read again. An exception are files that were modified within
// two seconds before they were read, because a later change could leave the same time: they are compared by content.
package filesystem

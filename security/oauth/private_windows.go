package oauth

import "io/fs"

// isPrivate returns true. On Windows a file inherits its permissions from its directory, and the
// settings directories of a user are private.
func isPrivate(fs.FileInfo) bool { return true }

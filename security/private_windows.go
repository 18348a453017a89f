package security

import "io/fs"

// isPrivate is always true: the temporary directory belongs to one user.
func isPrivate(fs.FileInfo) bool { return true }

package oauth

import "io/fs"

// isPrivate reports whether only this user may use a file. What a file may be used for is inherited from its directory here, and
// the directories of a user's settings are that user's.
func isPrivate(fs.FileInfo) bool { return true }

//go:build unix

package security

import (
	"io/fs"
	"os"
	"syscall"
)

// isPrivate reports whether a file belongs to this user, and no other user may use it.
func isPrivate(info fs.FileInfo) bool { return isOwn(info) && info.Mode().Perm()&0o077 == 0 }

// isOwn reports whether a file belongs to this user.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

//go:build unix

package oauth

import (
	"io/fs"
	"os"
	"syscall"
)

// isPrivate reports whether the file belongs to this user and other users have no permissions for
// it.
func isPrivate(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}

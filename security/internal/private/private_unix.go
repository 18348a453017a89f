//go:build unix

package private

import (
	"io/fs"
	"os"
	"syscall"
)

// Is reports whether a file belongs to this user, and no other user may use it.
func Is(info fs.FileInfo) bool { return Owned(info) && info.Mode().Perm()&0o077 == 0 }

// Owned reports whether a file belongs to this user.
func Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

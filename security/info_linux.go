package security

import (
	"io/fs"
	"syscall"
	"time"
)

// times returns no creation time: stat does not report it on Linux.
func times(info fs.FileInfo) (accessed, created time.Time) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		accessed = time.Unix(stat.Atim.Unix())
	}
	return accessed, time.Time{}
}

// statusChanged returns the time of the last change of a file or its metadata; zero if it is not known.
func statusChanged(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return time.Time{}
}

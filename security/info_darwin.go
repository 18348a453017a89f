package security

import (
	"io/fs"
	"syscall"
	"time"
)

func times(info fs.FileInfo) (accessed, created time.Time) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		accessed, created = time.Unix(stat.Atimespec.Unix()), time.Unix(stat.Birthtimespec.Unix())
	}
	return accessed, created
}

// statusChanged returns the time of the last change of a file or its metadata; zero if it is not known.
func statusChanged(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctimespec.Unix())
	}
	return time.Time{}
}

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

package security

import (
	"io/fs"
	"syscall"
	"time"
)

func times(info fs.FileInfo) (accessed, created time.Time) {
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		accessed, created = time.Unix(0, data.LastAccessTime.Nanoseconds()), time.Unix(0, data.CreationTime.Nanoseconds())
	}
	return accessed, created
}

// statusChanged returns the creation time of a file; zero if it is not known. Windows reports no change of metadata.
func statusChanged(info fs.FileInfo) time.Time {
	_, created := times(info)
	return created
}

package rootfs

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// copyOwner does nothing: a new file inherits its owner and access list from the directory.
func copyOwner(*os.File, fs.FileInfo) {}

// Links returns the number of hard links of an open file.
func Links(f *os.File, _ fs.FileInfo) uint64 {
	conn, err := f.SyscallConn()
	if err != nil {
		return 1
	}
	var info windows.ByHandleFileInformation
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = windows.GetFileInformationByHandle(windows.Handle(fd), &info) }); err != nil || failed != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

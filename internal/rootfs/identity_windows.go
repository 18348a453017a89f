package rootfs

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

func identity(f *os.File) string {
	conn, err := f.SyscallConn()
	if err != nil {
		return ""
	}
	var info windows.ByHandleFileInformation
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = windows.GetFileInformationByHandle(windows.Handle(fd), &info) }); err != nil || failed != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", info.VolumeSerialNumber, uint64(info.FileIndexHigh)<<32|uint64(info.FileIndexLow))
}

package rootfs

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// statFlags open an object only to describe it: no read permission is needed, and a device is not opened.
const statFlags = unix.O_PATH

// openBeneath opens a path below the directory of conn in one call that follows no link and cannot leave the directory.
// A kernel before 5.6, and some sandboxes, do not have the call.
func openBeneath(conn syscall.RawConn, path string, flags int) (*os.File, error) {
	fd := -1
	var err error
	how := unix.OpenHow{
		Flags:   uint64(flags) | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	if e := conn.Control(func(dir uintptr) { fd, err = unix.Openat2(int(dir), path, &how) }); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

package rootfs

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openList opens a directory for reading its entries. A file that was opened through os.Root asks for the details of every
// entry while listing; one made from a descriptor does not, and a walk needs only the types. Where the file system does not
// tell types, they are looked up below the file's name: hence a name that leads to this very descriptor.
func openList(dir *os.Root) (*os.File, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	if e := conn.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "/proc/self/fd/"+strconv.Itoa(fd)), nil
}

package index

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// create makes a file that is not there, with bare system calls: an os.File costs
// more than the file. A link on the way, and whatever else does not fit, is an
// error.
func (s *JSONStore) create(name string, data []byte) error {
	if s.handle == nil {
		return errNoCreate
	}
	how := unix.OpenHow{Flags: unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC, Mode: 0o600, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(int(s.handle.Fd()), name, &how)
	switch err {
	case nil:
	case unix.EEXIST, unix.ENOENT:
		return err
	default: // a kernel before 5.6, a sandbox, a signal
		return errNoCreate
	}
	s.step("created")
	for rest := data; len(rest) > 0; {
		n, err := unix.Write(fd, rest)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			unix.Close(fd)
			_ = s.dir.Remove(name) // what is left of it is no JSON
			return &fs.PathError{Op: "write", Path: name, Err: err}
		}
		rest = rest[n:]
	}
	return os.NewSyscallError("close", unix.Close(fd))
}

package rootfs

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// readFile opens and reads with the bare descriptor, which is cheaper than an os.File.
func (h *dirHandle) readFile(name string, buf []byte, limit int) (content []byte, meta Meta, err error) {
	fd, err := h.openFit(name, unix.O_RDONLY|fileFlags, readable)
	if err != nil {
		return buf, meta, err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err != nil {
		return buf, meta, err
	}
	meta = metaOf(&stat)
	if err = readable(meta.Mode); err != nil {
		return buf, meta, err
	}
	content, err = readDescriptor(fd, buf, meta.Size, limit)
	return content, meta, err
}

const maxFirstRead = 1 << 20

// readDescriptor reads to the end, or limit+1 bytes. The reported size determines the first read; if a file ends
// exactly there, no further read checks for the end.
func readDescriptor(fd int, buf []byte, size int64, limit int) ([]byte, error) {
	if first := int(min(max(size, 0), int64(limit), maxFirstRead)) + 1; cap(buf) < first {
		buf = make([]byte, 0, first)
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := min(limit+1, cap(buf)) - len(buf)
		n, err := unix.Read(fd, buf[len(buf):len(buf)+room])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return buf, err
		}
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > limit:
			return buf[:limit], ErrLarge
		case n == 0, n < room && int64(len(buf)) == size:
			return buf, nil
		}
	}
}

// readable returns an error for modes other than a regular file.
func readable(mode fs.FileMode) error {
	if mode.IsDir() {
		return ErrDirectory
	}
	return servable(mode)
}

// metaOf converts the mode bits of the system.
func metaOf(stat *unix.Stat_t) Meta {
	mode := fs.FileMode(stat.Mode & 0o777)
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	if stat.Mode&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if stat.Mode&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if stat.Mode&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return Meta{Mode: mode, Size: stat.Size, ModTime: time.Unix(stat.Mtim.Unix()), Links: uint64(stat.Nlink)}
}

package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// dirHandle is the descriptor of a directory. Every call gives the kernel the descriptor and one name with
// O_NOFOLLOW, so the opened object is an entry of the directory. No comparison with an earlier Lstat is necessary.
type dirHandle struct {
	mu   sync.RWMutex // keeps the descriptor from being closed, and its number from being used again, during a call
	fd   int
	file *os.File // owns the descriptor; nil when it is closed

	listing
}

const (
	dirFlags  = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fileFlags = unix.O_NOFOLLOW | unix.O_CLOEXEC | safeFlags
)

// openDirDirect lets the kernel follow the path: see openDirect.
func (r *Root) openDirDirect(name string) (*Dir, bool) {
	f, info, ok := r.openDirect(name, dirFlags)
	if !ok {
		return nil, false
	}
	dir := &Dir{Path: name, Info: info}
	if dir.handle.hold(f) != nil {
		return nil, false
	}
	return dir, true
}

// open opens an entry that must be the directory that want describes.
func (h *dirHandle) open(parent *os.Root, name string, want fs.FileInfo) error {
	f, _, err := openVerified(parent, name, want, os.O_RDONLY|unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	return h.hold(f)
}

func (h *dirHandle) hold(f *os.File) error {
	conn, err := f.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { h.fd = int(fd) })
	}
	if err != nil {
		f.Close()
		return Reason(err)
	}
	h.file = f
	return nil
}

func (h *dirHandle) close() error {
	h.end(os.ErrClosed)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil {
		return os.ErrClosed
	}
	f := h.file
	h.file = nil
	return f.Close()
}

// openAt opens an entry, again if a signal interrupts it.
func (h *dirHandle) openAt(name string, flags int) (int, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.file == nil {
		return -1, os.ErrClosed
	}
	for {
		fd, err := unix.Openat(h.fd, name, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// openFit opens an entry, and explains why it cannot if it is of a kind that does not fit.
func (h *dirHandle) openFit(name string, flags int, fit func(fs.FileMode) error) (int, error) {
	for range maxRaces {
		fd, err := h.openAt(name, flags)
		if err == nil || err == unix.ENOENT || err == os.ErrClosed {
			return fd, err
		}
		if meta, e := h.describe(name); e == nil {
			if unfit := fit(meta.Mode); unfit != nil {
				return -1, unfit
			}
		}
		if err != unix.ELOOP && err != unix.ENOTDIR && err != unix.ENXIO {
			return -1, err
		}
		// The entry has changed its kind between openat and fstatat.
	}
	return -1, ErrChanged
}

func (h *dirHandle) openChild(name string, child *dirHandle) (fs.FileInfo, error) {
	fd, err := h.openFit(name, unix.O_RDONLY|dirFlags, listable)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return info, child.hold(f)
}

func (h *dirHandle) openEntry(name string, mode int) (*os.File, fs.FileInfo, error) {
	fd, err := h.openFit(name, mode|fileFlags, servable)
	if err != nil {
		return nil, nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err == nil {
		err = servable(info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// lstat opens the entry without any right to it: only the os package makes descriptions that os.SameFile knows.
func (h *dirHandle) lstat(name string) (fs.FileInfo, error) {
	fd, err := h.openAt(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return f.Stat()
}

func (h *dirHandle) describe(name string) (Meta, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.file == nil {
		return Meta{}, os.ErrClosed
	}
	var stat unix.Stat_t
	for {
		if err := unix.Fstatat(h.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != unix.EINTR {
			return metaOf(&stat), err
		}
	}
}

func (h *dirHandle) remove(name string) error {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.file == nil {
		return os.ErrClosed
	}
	err := unix.Unlinkat(h.fd, name, 0)
	if err == unix.EISDIR || err == unix.EPERM {
		if e := unix.Unlinkat(h.fd, name, unix.AT_REMOVEDIR); e != unix.ENOTDIR {
			return e
		}
	}
	return err
}

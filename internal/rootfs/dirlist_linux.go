package rootfs

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// listing is the progress of reading a directory.
type listing struct {
	batch *[]byte // entries as the kernel wrote them; nil before the first and after the last
	rest  []byte  // unread part of batch
	ended error   // error that ended the listing; nil while it continues
}

const batchSize = 8 << 10

var batches = sync.Pool{New: func() any { b := make([]byte, batchSize); return &b }}

// end gives the memory back.
func (l *listing) end(err error) {
	if l.batch != nil {
		batches.Put(l.batch)
	}
	l.batch, l.rest, l.ended = nil, nil, err
}

func (h *dirHandle) read() (Entry, error) {
	for {
		if len(h.rest) == 0 {
			if err := h.fill(); err != nil {
				return Entry{}, err
			}
		}
		e, ok := h.take()
		if ok {
			return e, nil
		}
	}
}

// fill asks for the next entries.
func (h *dirHandle) fill() error {
	if h.ended != nil {
		return h.ended
	}
	if h.batch == nil {
		h.batch = batches.Get().(*[]byte)
	}
	n, err := h.list(*h.batch)
	if err == nil && n <= 0 {
		err = io.EOF
	}
	if err != nil {
		h.end(err)
		return err
	}
	h.rest = (*h.batch)[:n]
	return nil
}

func (h *dirHandle) list(batch []byte) (int, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.file == nil {
		return 0, os.ErrClosed
	}
	for {
		n, err := unix.Getdents(h.fd, batch)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// take reads one entry as the kernel wrote it; see getdents64(2). It is not ok when it has been removed, or names no entry.
func (h *dirHandle) take() (Entry, bool) {
	const sizeAt, typeAt, nameAt = 16, 18, 19
	size := int(binary.NativeEndian.Uint16(h.rest[sizeAt:]))
	record := h.rest[:size]
	h.rest = h.rest[size:]
	name := record[nameAt:]
	for i, c := range name {
		if c == 0 {
			name = name[:i]
			break
		}
	}
	if inode := binary.NativeEndian.Uint64(record); inode == 0 || string(name) == "." || string(name) == ".." {
		return Entry{}, false
	}
	e := Entry{Name: string(name)}
	switch record[typeAt] {
	case unix.DT_REG:
	case unix.DT_DIR:
		e.Type = fs.ModeDir
	case unix.DT_LNK:
		e.Type = fs.ModeSymlink
	default:
		meta, err := h.describe(e.Name)
		if errors.Is(err, fs.ErrNotExist) {
			return e, false
		}
		if e.Type = meta.Mode.Type(); err != nil {
			e.Type = fs.ModeIrregular
		}
	}
	return e, true
}

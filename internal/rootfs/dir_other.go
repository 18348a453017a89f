//go:build !linux

package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// dirHandle is a directory's root, which opens no link that leads out, and a file that lists it.
type dirHandle struct {
	root  *os.Root
	list  *os.File
	batch []fs.DirEntry
	ended bool // it is closed
}

const batchSize = 256

// openDirDirect has no counterpart here: every path is followed step by step.
func (r *Root) openDirDirect(string) (*Dir, bool) { return nil, false }

// open opens an entry that must be the directory that want describes.
func (h *dirHandle) open(parent *os.Root, name string, want fs.FileInfo) error {
	root, err := openChild(parent, name, want)
	if err != nil {
		return err
	}
	list, err := openList(root)
	if err != nil {
		root.Close()
		return Reason(err)
	}
	h.root, h.list = root, list
	return nil
}

func (h *dirHandle) close() error {
	h.batch, h.ended = nil, true
	err := h.list.Close()
	if e := h.root.Close(); err == nil {
		err = e
	}
	return err
}

func (h *dirHandle) openChild(name string, child *dirHandle) (info fs.FileInfo, err error) {
	err = ErrChanged
	for tries := 0; tries < maxRaces && errors.Is(err, ErrChanged); tries++ {
		if info, err = h.root.Lstat(name); err != nil {
			return nil, err
		}
		if err = listable(info.Mode()); err == nil {
			err = child.open(h.root, name, info)
		}
	}
	return info, err
}

func (h *dirHandle) openEntry(name string, mode int) (*os.File, fs.FileInfo, error) {
	for range maxRaces {
		info, err := h.root.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if err := servable(info.Mode()); err != nil {
			return nil, nil, err
		}
		f, info, err := openVerified(h.root, name, info, mode)
		if err != ErrChanged {
			return f, info, err
		}
	}
	return nil, nil, ErrChanged
}

func (h *dirHandle) lstat(name string) (fs.FileInfo, error) { return h.root.Lstat(name) }

func (h *dirHandle) describe(name string) (Meta, error) {
	info, err := h.root.Lstat(name)
	if err != nil {
		return Meta{}, err
	}
	return Meta{Mode: info.Mode(), Size: info.Size(), ModTime: info.ModTime()}, nil
}

func (h *dirHandle) remove(name string) error { return h.root.Remove(name) }

func (h *dirHandle) read() (Entry, error) {
	if h.ended {
		return Entry{}, os.ErrClosed // the file would answer with another error
	}
	if len(h.batch) == 0 {
		var err error
		if h.batch, err = h.list.ReadDir(batchSize); len(h.batch) == 0 {
			return Entry{}, err
		}
	}
	e := h.batch[0]
	h.batch = h.batch[1:]
	return Entry{Name: e.Name(), Type: e.Type()}, nil
}

func (h *dirHandle) readFile(name string, buf []byte, limit int) ([]byte, Meta, error) {
	f, info, err := h.openEntry(name, os.O_RDONLY)
	if err != nil {
		return buf, Meta{}, err
	}
	defer f.Close()
	meta := Meta{Mode: info.Mode(), Size: info.Size(), ModTime: info.ModTime(), Links: Links(f, info)}
	if info.IsDir() {
		return buf, meta, ErrDirectory
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):min(cap(buf), limit+1)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > limit:
			return buf[:limit], meta, ErrLarge
		case err == io.EOF:
			return buf, meta, nil
		case err != nil:
			return buf, meta, err
		}
	}
}

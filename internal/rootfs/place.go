package rootfs

import (
	"errors"
	"io/fs"
	"os"
)

// Place is a name in a directory that is held open: where a path led, links resolved. What happens to the path afterwards
// does not move it.
type Place struct {
	// Path is the final path of the entry, relative to the root, with slashes and without links; "." is the root.
	Path string
	// Name is the last name of Path, or "." when the path led to a directory by ".." or is the root.
	Name string
	// Info describes the entry itself, a link included; it is nil when there is none.
	Info fs.FileInfo
	// Missing are the directories of Path that do not exist, outermost first. While there are any, the place can only be
	// completed with MakeParents.
	Missing []string

	dir     *os.Root
	dirPath string // final path of dir
	owned   bool   // dir is the place's own, and is closed with it
}

// Place finds where a path leads. A link in the last name is followed when follow is true, else it is the place.
// Neither the last name nor the directories before it need exist.
func (r *Root) Place(path string, follow bool) (*Place, error) {
	return r.walk(path, follow)
}

// Close releases the directory.
func (p *Place) Close() error {
	if !p.owned {
		return nil
	}
	return p.dir.Close()
}

// Dir is the final path of the deepest directory that exists.
func (p *Place) Dir() string { return p.dirPath }

// Refresh looks at the entry again.
func (p *Place) Refresh() error {
	info, err := p.dir.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) {
		p.Info = nil
		return nil
	}
	if err != nil {
		return Reason(err)
	}
	p.Info = info
	return nil
}

// Open opens the entry for reading. It proves that what was opened is what Info describes; ErrChanged says that it is not.
// A link is ErrLink, a device, FIFO, socket and the like is ErrIrregular and is not opened.
func (p *Place) Open() (*os.File, fs.FileInfo, error) {
	if p.Info == nil {
		return nil, nil, fs.ErrNotExist
	}
	if err := servable(p.Info.Mode()); err != nil {
		return nil, nil, err
	}
	return openVerified(p.dir, p.Name, p.Info, os.O_RDONLY)
}

// Writable tells whether the system lets this process write to the entry's content. A program that is running counts as
// writable, since it is replaced and not written into.
func (p *Place) Writable() error {
	f, _, err := openVerified(p.dir, p.Name, p.Info, os.O_WRONLY)
	if err != nil {
		if isBusy(err) {
			return nil
		}
		return err
	}
	return f.Close()
}

// openVerified opens an entry that must be the object that want describes.
func openVerified(dir *os.Root, name string, want fs.FileInfo, mode int) (*os.File, fs.FileInfo, error) {
	f, err := dir.OpenFile(name, mode|safeFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, ErrChanged
	}
	if err != nil {
		return nil, nil, Reason(err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, Reason(err)
	}
	if err := servable(info.Mode()); err != nil {
		f.Close()
		return nil, nil, err
	}
	if !os.SameFile(info, want) {
		f.Close()
		return nil, nil, ErrChanged
	}
	return f, info, nil
}

// servable refuses what is neither a file nor a directory.
func servable(mode fs.FileMode) error {
	switch {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeSymlink != 0:
		return ErrLink
	}
	return ErrIrregular
}

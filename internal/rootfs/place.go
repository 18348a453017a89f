package rootfs

import (
	"errors"
	"io/fs"
	"os"
)

// Place is an open directory and the name of an entry in it, which may not exist. It is the result of following a
// path, with all links resolved. Later changes of the path do not affect it.
type Place struct {
	// Path is the final path of the entry, relative to the root, with slashes and without links; "." is the root.
	Path string
	// Name is the last name of Path. It is "." for the root, and for a path that ends in "..".
	Name string
	// Info describes the entry; for a link, the link itself. It is nil if there is no entry.
	Info fs.FileInfo
	// Missing are the directories of Path that do not exist, outermost first. If there are any, MakeParents must be
	// called before other methods.
	Missing []string

	dir     *os.Root
	dirPath string // final path of dir
	owned   bool   // dir is the place's own, and is closed with it
}

// Place follows a path. If the last name is a link, it is followed if follow is true. The last name and its
// directories need not exist. The caller closes the Place.
func (r *Root) Place(path string, follow bool) (*Place, error) {
	return r.walk(path, follow)
}

// Close closes the directory.
func (p *Place) Close() error {
	if !p.owned {
		return nil
	}
	return p.dir.Close()
}

// Dir returns the final path of the innermost existing directory.
func (p *Place) Dir() string { return p.dirPath }

// Refresh updates Info.
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

// Open opens the entry for reading. ErrChanged means that the opened object is not the one that Info describes. A
// link is ErrLink. Other kinds are ErrIrregular and are not opened.
func (p *Place) Open() (*os.File, fs.FileInfo, error) {
	if p.Info == nil {
		return nil, nil, fs.ErrNotExist
	}
	if err := servable(p.Info.Mode()); err != nil {
		return nil, nil, err
	}
	return openVerified(p.dir, p.Name, p.Info, os.O_RDONLY)
}

// Writable returns an error if the process may not write the content of the entry. A running program counts as
// writable, since Replace does not write into it.
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

// servable returns an error for modes other than a regular file or a directory.
func servable(mode fs.FileMode) error {
	switch {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeSymlink != 0:
		return ErrLink
	}
	return ErrIrregular
}

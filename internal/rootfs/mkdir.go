package rootfs

import (
	"errors"
	"io/fs"
)

// Mkdir makes a directory at the place, whose own directory must exist. Its mode is perm before the umask. An entry that is
// there is fs.ErrExist.
func (p *Place) Mkdir(perm fs.FileMode, d Durability) error {
	switch {
	case len(p.Missing) > 0:
		return p.fail(fs.ErrNotExist)
	case p.Name == ".":
		return p.fail(fs.ErrExist)
	}
	if err := p.dir.Mkdir(p.Name, perm.Perm()); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fs.ErrExist
		}
		return p.fail(Reason(err))
	}
	if d == Full {
		if err := syncDir(p.dir); err != nil {
			return p.fail(err)
		}
	}
	return p.Refresh()
}

// OpenDir opens the entry, which must be the directory that Info describes; ErrChanged says that it is not.
func (p *Place) OpenDir() (*Dir, error) {
	if p.Info == nil {
		return nil, p.fail(fs.ErrNotExist)
	}
	dir, err := openDir(p.dir, p.Name, p.Path, p.Info)
	if err != nil {
		return nil, p.fail(err)
	}
	return dir, nil
}

// Remove removes the entry, a directory only if it is empty, and a link itself. ErrChanged says that the entry is not the one that
// Info describes, and was left alone.
func (p *Place) Remove(d Durability) error {
	if err := p.checkUnchanged(); err != nil {
		return p.fail(err)
	}
	if err := p.dir.Remove(p.Name); err != nil {
		return p.fail(Reason(err))
	}
	p.Info = nil
	if d == Full {
		return syncDir(p.dir)
	}
	return nil
}

// RemoveAll removes the entry and its content without following a link. If an entry cannot be removed, it remains
// with its parent directories.
func (p *Place) RemoveAll() error {
	if err := p.checkUnchanged(); err != nil {
		return p.fail(err)
	}
	if err := p.dir.RemoveAll(p.Name); err != nil {
		return p.fail(Reason(err))
	}
	p.Info = nil
	return nil
}

// checkUnchanged returns ErrChanged if the entry is not the one that Info describes.
func (p *Place) checkUnchanged() error {
	if p.Info == nil {
		return fs.ErrNotExist
	}
	if p.Name == "." {
		return fs.ErrInvalid
	}
	now, err := p.dir.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !sameObject(now, p.Info) {
		return ErrChanged
	}
	return Reason(err)
}

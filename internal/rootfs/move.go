package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrCrossDevice says that two places lie on different file systems, between which nothing can be renamed.
var ErrCrossDevice = errors.New("places lie on different file systems")

// MoveTo gives the entry at the place the name of another place, in one step, between the directories that both hold open. A
// link is moved itself. Nothing is ever replaced: an entry at the other place is fs.ErrExist, unless it is the same entry, named
// in another spelling by a file system that takes both for one; then its spelling changes. ErrChanged says that the entry is not
// the one that Info describes; it is where it was then. Full flushes both directories, and its failure leaves the entry moved.
//
// On a file system whose rename cannot refuse to replace, a directory takes the place of an empty one made for it, and a file
// gets the new name as a link before it loses the old one. Where there are no links either, a moment remains between looking
// and renaming.
func (p *Place) MoveTo(to *Place, d Durability) error {
	if err := p.checkMove(to); err != nil {
		return err
	}
	into, err := openNames(to.dir)
	if err != nil {
		return to.fail(err)
	}
	defer into.Close()
	from, err := openNames(p.dir)
	if err != nil {
		return p.fail(err)
	}
	defer from.Close()
	move := moveNew
	if to.Info != nil {
		move = moveOver
	}
	if err := move(from, p.Name, into, to.Name, p.Info.Mode()); err != nil {
		return p.fail(Reason(err))
	}
	if info, err := to.dir.Lstat(to.Name); err != nil || !sameObject(info, p.Info) {
		moveNew(into, to.Name, from, p.Name, p.Info.Mode()) // the entry of another program; move it back
		return p.fail(ErrChanged)
	}
	to.Info, p.Info = p.Info, nil
	if d == Full {
		return syncBoth(to.dir, p.dir)
	}
	return nil
}

// checkMove refuses moves that the system would perform wrongly or refuse with an unspecific error.
func (p *Place) checkMove(to *Place) error {
	switch {
	case p.Info == nil:
		return p.fail(fs.ErrNotExist)
	case p.Name == ".":
		return p.fail(fs.ErrInvalid)
	case len(to.Missing) > 0:
		return to.fail(fs.ErrNotExist)
	case to.Name == ".":
		return to.fail(fs.ErrExist)
	case to.Info == nil:
		return nil
	}
	same, err := p.SameEntry(to)
	if err == nil && !same {
		err = fs.ErrExist
	}
	if err != nil {
		return to.fail(err)
	}
	return nil
}

// SameEntry reports whether two places are one entry of one directory, however their names are spelled. Two hard links in a
// directory are two entries.
func (p *Place) SameEntry(other *Place) (bool, error) {
	if p.Info == nil || other.Info == nil || !os.SameFile(p.Info, other.Info) {
		return false, nil
	}
	if here, err := sameDir(p.dir, other.dir); err != nil || !here || p.Name == other.Name {
		return here, err
	}
	both, err := lists(p.dir, p.Name, other.Name)
	return !both, err
}

// lists reports whether a directory has entries of both names, spelled just so.
func lists(dir *os.Root, a, b string) (bool, error) {
	f, err := openList(dir)
	if err != nil {
		return false, Reason(err)
	}
	defer f.Close()
	for hasA, hasB := false, false; ; {
		names, err := f.Readdirnames(512)
		for _, name := range names {
			hasA, hasB = hasA || name == a, hasB || name == b
		}
		if hasA && hasB {
			return true, nil
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, Reason(err)
		}
	}
}

// sameObject reports whether two descriptions are of the same entry. It compares the kind too, because the system
// reuses file numbers.
func sameObject(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Mode().Type() == b.Mode().Type()
}

// sameDir reports whether two handles are of one directory.
func sameDir(a, b *os.Root) (bool, error) {
	if a == b {
		return true, nil
	}
	here, err := a.Stat(".")
	if err != nil {
		return false, Reason(err)
	}
	there, err := b.Stat(".")
	if err != nil {
		return false, Reason(err)
	}
	return os.SameFile(here, there), nil
}

// openNames opens a directory to change the names in it.
func openNames(dir *os.Root) (*os.File, error) {
	f, err := dir.Open(".")
	return f, Reason(err)
}

// syncBoth flushes the directory that has gained an entry, and then the one that has lost it.
func syncBoth(gained, lost *os.Root) error {
	if err := syncDir(gained); err != nil {
		return err
	}
	if same, err := sameDir(gained, lost); same || err != nil {
		return err
	}
	return syncDir(lost)
}

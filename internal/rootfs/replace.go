package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Durability says what a finished write survives.
type Durability uint8

const (
	// Full survives a crash of the machine: file and directory are flushed to the disk.
	Full Durability = iota
	// Process survives a crash of the process, and leaves the flushing to the system.
	Process
)

// Replacement says how new content takes a place.
type Replacement struct {
	// Perm is the mode of the file if there is nothing that it should be like, before the umask.
	Perm fs.FileMode
	// Like is the file, open, whose mode, owner and extended attributes the new file gets, as far as the system allows.
	// Bits that lend rights (setuid, setgid) are dropped, as every write drops them. On Windows Replace closes it if the file
	// system replaces no open file.
	Like *os.File
	// New refuses to replace: an entry at the place is fs.ErrExist.
	New        bool
	Durability Durability
	// Before is called when the new content is complete and only the renaming remains. Its error ends the replacement, and
	// nothing has changed.
	Before func() error
}

// Replace puts a new regular file at the place, with the content that write produces. It is there as a whole or not at all.
// An entry that is a link is replaced itself; follow it to a place first. Other hard links of the old file keep the old content.
func (p *Place) Replace(o Replacement, write func(io.Writer) error) (fs.FileInfo, error) {
	if len(p.Missing) > 0 {
		return nil, p.fail(fs.ErrNotExist)
	}
	if p.Name == "." {
		return nil, p.fail(fs.ErrExist)
	}
	perm := o.Perm.Perm()
	if o.Like != nil {
		perm = 0o600
	}
	t, err := createTemp(p.dir, perm)
	if err != nil {
		return nil, err
	}
	finished := false
	defer func() {
		if !finished { // with an error, or a panic of write
			t.discard()
		}
	}()
	info, err := p.fill(t, o, write)
	if err != nil {
		return nil, err
	}
	finished = true
	if err := t.Close(); err != nil {
		return info, Reason(err)
	}
	if o.Durability == Full {
		return info, syncDir(p.dir)
	}
	return info, nil
}

// ReplaceFile is Replace at the place of a name in the directory; a link is replaced itself.
func (r *Root) ReplaceFile(name string, o Replacement, write func(io.Writer) error) (fs.FileInfo, error) {
	place, err := r.Place(name, false)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	return place.Replace(o, write)
}

// ReplaceFile is Replace for a file by its path, whose directory is there.
func ReplaceFile(path string, o Replacement, write func(io.Writer) error) (fs.FileInfo, error) {
	dir, err := Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReplaceFile(filepath.Base(path), o, write)
}

// Content returns a function for Replace that writes data.
func Content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// fill writes the temporary file and gives it the place's name.
func (p *Place) fill(t *temp, o Replacement, write func(io.Writer) error) (fs.FileInfo, error) {
	if err := write(t.File); err != nil {
		return nil, Reason(err)
	}
	if o.Like != nil {
		if err := imitate(t.File, o.Like); err != nil {
			return nil, Reason(err)
		}
	}
	if o.Durability == Full {
		if err := t.Sync(); err != nil {
			return nil, Reason(err)
		}
	}
	info, err := t.Stat()
	if err != nil {
		return nil, Reason(err)
	}
	if o.Before != nil {
		if err := o.Before(); err != nil {
			return nil, err
		}
	}
	if o.New {
		return info, p.publish(t)
	}
	err = p.dir.Rename(t.name, p.Name)
	if err != nil && replacesNoOpenFile(err) {
		if p.holds(o.Like) {
			if err := o.Like.Close(); err != nil {
				return nil, Reason(err)
			}
		}
		err = p.renameOnceClosed(t.name)
	}
	return info, Reason(err)
}

// closePatience is how long a replacement waits for another program to close the file, where the system replaces no open one:
// virus scanners, indexers and readers hold a file for some milliseconds.
const closePatience = 250 * time.Millisecond

// renameOnceClosed renames a file to the place, again and again while the entry there is open.
func (p *Place) renameOnceClosed(from string) error {
	begin := time.Now()
	for delay := time.Millisecond; ; delay *= 2 {
		err := p.dir.Rename(from, p.Name)
		if err == nil || !replacesNoOpenFile(err) || time.Since(begin) > closePatience {
			return err
		}
		time.Sleep(delay)
	}
}

// holds reports whether an open file is the entry at the place.
func (p *Place) holds(f *os.File) bool {
	if f == nil {
		return false
	}
	own, err := f.Stat()
	if err != nil {
		return false
	}
	entry, err := p.dir.Lstat(p.Name)
	return err == nil && os.SameFile(own, entry)
}

// publish gives the temporary file the place's name if nothing bears it. A link does that in one step; a file system without
// links is asked first, which leaves a moment for somebody else.
func (p *Place) publish(t *temp) error {
	err := p.dir.Link(t.name, p.Name)
	if err == nil {
		t.dir.Remove(t.name)
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	if _, err := p.dir.Lstat(p.Name); err == nil {
		return fs.ErrExist
	}
	return Reason(p.dir.Rename(t.name, p.Name))
}

// imitate gives a file the extended attributes, owner and permission bits of another. Only the bits must succeed.
func imitate(f, like *os.File) error {
	info, err := like.Stat()
	if err != nil {
		return err
	}
	copyAttributes(f, like)
	copyOwner(f, info)
	return f.Chmod(info.Mode().Perm())
}

// MakeParents makes the directories that are missing, outermost first, and moves the place into the last one. An entry that
// appears meanwhile is used if it is a directory, and followed in no case if it is a link.
func (p *Place) MakeParents(perm fs.FileMode, d Durability) error {
	for len(p.Missing) > 0 {
		name := p.Missing[0]
		if err := p.dir.Mkdir(name, perm.Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
			return p.fail(Reason(err))
		}
		info, err := p.dir.Lstat(name)
		if err != nil {
			return p.fail(Reason(err))
		}
		if !info.IsDir() {
			return p.fail(ErrNotDirectory)
		}
		child, err := openChild(p.dir, name, info)
		if err != nil {
			return p.fail(err)
		}
		if d == Full {
			if err := syncDir(p.dir); err != nil {
				child.Close()
				return p.fail(err)
			}
		}
		p.Close()
		p.dir, p.owned = child, true
		p.dirPath = join(p.dirPath, name)
		p.Missing = p.Missing[1:]
	}
	return p.Refresh()
}

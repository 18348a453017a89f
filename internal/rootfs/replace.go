package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Durability selects the crashes that a finished write survives.
type Durability uint8

const (
	// Full survives a crash of the machine: file and directory are flushed to the disk.
	Full Durability = iota
	// Process survives a crash of the process. The operating system flushes the data later.
	Process
)

// Replacement are the options of Replace.
type Replacement struct {
	// Perm is the mode of the new file before the umask, if Like is nil.
	Perm fs.FileMode
	// Like is an open file whose mode, owner and extended attributes the new file gets, as far as the system allows.
	// The bits setuid and setgid are dropped, as by every write. On Windows, Replace closes Like if the file system
	// cannot replace an open file.
	Like *os.File
	// New refuses to replace an existing entry with fs.ErrExist.
	New        bool
	Durability Durability
	// Before is called after the new content is complete, before the rename. Its error cancels the replacement.
	Before func() error
}

// Replace writes a new regular file with the content that write produces, and renames it to the entry. The entry is
// replaced atomically. A link is replaced itself. Other hard links of the old file keep the old content.
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

// ReplaceFile is Replace for an entry of the root directory. A link is replaced itself.
func (r *Root) ReplaceFile(name string, o Replacement, write func(io.Writer) error) (fs.FileInfo, error) {
	place, err := r.Place(name, false)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	return place.Replace(o, write)
}

// ReplaceFile is Replace for a file by its path. Its directory must exist.
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

// fill writes the temporary file and renames it to the entry.
func (p *Place) fill(t *temp, o Replacement, write func(io.Writer) error) (fs.FileInfo, error) {
	if err := write(t.File); err != nil {
		return nil, Reason(err)
	}
	if o.Like != nil {
		if err := copyAttributesFrom(t.File, o.Like); err != nil {
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
		err = p.renameWhenClosed(t.name)
	}
	return info, Reason(err)
}

// closeTimeout is the maximum time that a replacement waits for other programs to close the file, on systems that
// replace no open file. Virus scanners, indexers and readers keep a file open for some milliseconds.
const closeTimeout = 250 * time.Millisecond

// renameWhenClosed renames a file to the entry, and retries until closeTimeout while the entry is open.
func (p *Place) renameWhenClosed(from string) error {
	begin := time.Now()
	for delay := time.Millisecond; ; delay *= 2 {
		err := p.dir.Rename(from, p.Name)
		if err == nil || !replacesNoOpenFile(err) || time.Since(begin) > closeTimeout {
			return err
		}
		time.Sleep(delay)
	}
}

// holds reports whether an open file is the entry.
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

// publish gives the temporary file the name of the entry if no entry exists. A hard link does that atomically. On a
// file system without hard links, a check precedes the rename; another program can create the entry in between.
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

// copyAttributesFrom gives a file the extended attributes, owner and permission bits of another file. Only an error
// of the bits is returned.
func copyAttributesFrom(f, like *os.File) error {
	info, err := like.Stat()
	if err != nil {
		return err
	}
	copyAttributes(f, like)
	copyOwner(f, info)
	return f.Chmod(info.Mode().Perm())
}

// MakeParents creates the missing directories, outermost first, and moves the Place into the last one. An entry that
// appears meanwhile is used if it is a directory; a link is not followed.
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

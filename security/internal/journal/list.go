package journal

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/private"
)

// MaxNotice is the largest size of a notice, in bytes.
const MaxNotice = 4 << 10

// ExposedError is the error of a directory of journals that other users can use. Its journals are not trusted.
type ExposedError struct {
	Dir      string
	Mode     fs.FileMode
	Owned    bool // the directory belongs to this user
	Journals bool // there are journals in it
}

func (e *ExposedError) Error() string {
	return fmt.Sprintf("other users can use the directory of journals %q", e.Dir)
}

// Listing is the content of a directory of journals.
type Listing struct {
	IDs     []string // of journals and locks, for Store.Open
	Notices []string // for Store.TakeNotice
}

// List lists a directory of ProjectDir or Projects. A missing directory is empty. At most 1,000 files are read.
func (s Store) List(dir string) (Listing, error) {
	d, err := os.Open(filepath.Join(s.State, filepath.FromSlash(dir)))
	if err != nil {
		return Listing{}, nil // there was no change of several files yet
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil || !info.IsDir() {
		return Listing{}, nil
	}
	names, err := d.Readdirnames(maxFiles)
	if err == io.EOF {
		err = nil
	}
	if !private.Is(info) {
		journals := slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, journalSuffix) })
		return Listing{}, &ExposedError{Dir: d.Name(), Mode: info.Mode(), Owned: private.Owned(info), Journals: journals}
	}
	slices.Sort(names)
	var l Listing
	for _, name := range names {
		id, suffix, _ := strings.Cut(name, ".")
		switch id = path.Join(dir, id); "." + suffix {
		case noticeSuffix:
			l.Notices = append(l.Notices, path.Join(dir, name))
		case journalSuffix, lockSuffix:
			if len(l.IDs) == 0 || l.IDs[len(l.IDs)-1] != id {
				l.IDs = append(l.IDs, id)
			}
		}
	}
	return l, err
}

// Projects lists the directories of journals of all projects, for List. At most 1,000 are read.
func (s Store) Projects() []string {
	d, err := os.Open(filepath.Join(s.State, top))
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxFiles)
	slices.Sort(names)
	for i, name := range names {
		names[i] = path.Join(top, name)
	}
	return names
}

// WriteNotice writes the outcome of the change of a journal into a file of a directory of journals, so that it outlives this process.
func (s Store) WriteNotice(dir string, j *Journal, text string) error {
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return err
	}
	state, err := rootfs.Open(s.State)
	if err != nil {
		return err
	}
	defer state.Close()
	final := path.Join(dir, strings.TrimSuffix(path.Base(j.path), journalSuffix)+noticeSuffix)
	place, err := state.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final {
		return rootfs.ErrLink
	}
	if err := place.MakeParents(0o700, s.Durability); err != nil {
		return err
	}
	_, err = place.Replace(rootfs.Replacement{Perm: 0o600, Durability: s.Durability}, rootfs.Content([]byte(text)))
	return err
}

// Dir returns the directory of the journal, as List takes it.
func (j *Journal) Dir() string { return path.Dir(j.path) }

// TakeNotice reads and removes a notice. Of several processes one succeeds.
func (s Store) TakeNotice(name string) (string, bool) {
	state, err := rootfs.Open(s.State)
	if err != nil {
		return "", false
	}
	defer state.Close()
	place, err := state.Place(name, false)
	if err != nil {
		return "", false
	}
	defer place.Close()
	f, _, err := place.Open()
	if err != nil {
		_ = place.Remove(s.Durability)
		return "", false
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxNotice+1))
	f.Close()
	if err != nil || place.Path != name || place.Remove(s.Durability) != nil {
		return "", false
	}
	return TruncateNotice(string(text)), len(text) > 0
}

// TruncateNotice bounds the text of a notice, and makes it valid UTF-8.
func TruncateNotice(text string) string {
	if len(text) > MaxNotice {
		text = text[:MaxNotice]
		for len(text) > 0 && !utf8.ValidString(text) && len(text) > MaxNotice-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

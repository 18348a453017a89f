// Package filestate tells whether files have changed: by digests of their contents, or by size and time where there is too much to
// read. It keeps the contents of small files, so that their former text can be shown later.
package filestate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// Bounds of reading and keeping.
const (
	// MaxText is how large a file may be whose content is kept, in bytes.
	MaxText = 256 << 10
	// MaxFiles is how many files a Tree has.
	MaxFiles    = 5_000
	maxFileRead = 8 << 20  // bytes of a file; of a larger one its size and time count
	maxRead     = 64 << 20 // bytes in all; so do those of what comes after that
	maxKept     = 16 << 20 // bytes of all contents
)

// Absent is the digest of a file that is not there.
const Absent = ""

// ErrTooMany is a directory with more than MaxFiles files.
var ErrTooMany = errors.New("there are too many files")

// The kinds of changes.
const (
	Created = "created"
	Edited  = "edited"
	Deleted = "deleted"
)

// Change is the change of a file.
type Change struct {
	// Path is relative to the directory, with slashes.
	Path string
	// Kind is Created, Edited or Deleted.
	Kind string
}

// Reader digests the files of a directory.
type Reader struct {
	dir   string
	room  int64             // bytes that may still be read
	keep  int64             // bytes that may still be kept
	texts map[string][]byte // by path
}

// NewReader makes a Reader. keep has it keep the contents of small files.
func NewReader(dir string, keep bool) *Reader {
	r := &Reader{dir: dir, room: maxRead, texts: make(map[string][]byte)}
	if keep {
		r.keep = maxKept
	}
	return r
}

// Texts are the contents that were kept, by path.
func (r *Reader) Texts() map[string][]byte { return r.texts }

// Digest tells the contents of a file apart. It is Absent if there is none.
func (r *Reader) Digest(ctx context.Context, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return Absent, nil
	}
	name := filepath.Join(r.dir, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.IsDir():
		return Absent, nil
	case err != nil:
		return "?", nil // it is there, and nothing more is known
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(name)
		return "link " + target, nil
	}
	stamp := strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
	if !info.Mode().IsRegular() || info.Size() > min(r.room, maxFileRead) {
		return stamp, nil
	}
	r.room -= info.Size()
	f, err := open(name)
	if err != nil {
		return stamp, nil
	}
	defer f.Close()
	h := sha256.New()
	var text bytes.Buffer
	into := io.Writer(h)
	kept := info.Size() <= min(r.keep, MaxText)
	if kept {
		into = io.MultiWriter(h, &text)
	}
	if _, err := io.Copy(into, io.LimitReader(f, maxFileRead)); err != nil {
		return stamp, nil
	}
	if kept && text.Len() <= MaxText {
		r.keep -= int64(text.Len())
		r.texts[path] = text.Bytes()
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// open opens a file that may have become a FIFO.
func open(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ReadText is the content of a file of a directory; false if it is not a regular file of at most MaxText bytes.
func ReadText(dir, path string) ([]byte, bool) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, false
	}
	name := filepath.Join(dir, filepath.FromSlash(path))
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > MaxText {
		return nil, false
	}
	f, err := open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxText+1))
	return text, err == nil && len(text) <= MaxText
}

// Tree is a directory at a time.
type Tree struct {
	dir   string
	files map[string]string // digests by path
	texts map[string][]byte
}

// leftOut are directories that are made, and have more files than people write.
var leftOut = []string{".git", "node_modules"}

// Scan looks at all files of a directory, except in directories named .git or node_modules. It returns ErrTooMany if there are
// more than MaxFiles.
func Scan(ctx context.Context, dir string) (*Tree, error) { return scan(ctx, dir, true) }

func scan(ctx context.Context, dir string, keep bool) (*Tree, error) {
	r := NewReader(dir, keep)
	t := &Tree{dir: dir, files: make(map[string]string), texts: r.texts}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir:
			return err
		case err != nil:
			return nil // it went away, or cannot be read
		case entry.IsDir() && name != dir && slices.Contains(leftOut, entry.Name()):
			return fs.SkipDir
		case entry.IsDir():
			return context.Cause(ctx)
		case len(t.files) == MaxFiles:
			return fmt.Errorf("%s has more than %d files: %w", dir, MaxFiles, ErrTooMany)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		t.files[path], err = r.Digest(ctx, path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look at the files: %w", err)
	}
	return t, nil
}

// Since returns the changes since the scan of the tree, in the order of the paths.
func (t *Tree) Since(ctx context.Context) ([]Change, error) {
	now, err := scan(ctx, t.dir, false)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(t.files)
	maps.Copy(all, now.files)
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, existed := t.files[path]
		is, exists := now.files[path]
		switch {
		case !existed:
			changes = append(changes, Change{path, Created})
		case !exists:
			changes = append(changes, Change{path, Deleted})
		case was != is:
			changes = append(changes, Change{path, Edited})
		}
	}
	return changes, nil
}

// Texts are the contents that were kept, by path.
func (t *Tree) Texts() map[string][]byte { return t.texts }

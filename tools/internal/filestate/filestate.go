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
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/projectfile"
)

// Bounds of reading and keeping.
const (
	// MaxText is how large a file may be whose content is kept, in bytes.
	MaxText = 256 << 10
	// MaxFiles is how many files a Tree has.
	MaxFiles    = 5_000
	maxFileRead = 8 << 20  // bytes of a file; of a larger one its size and time count
	maxRead     = 64 << 20 // bytes in all; of files after that size and time count
	maxKept     = 16 << 20 // bytes of all contents
)

// linkPrefix begins the digest of a link, before its target.
const linkPrefix = "link "

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

// Digest returns a text that is another one for another content of the file, see Same. It is Absent if there is no file. It has
// the size and the time of the file, and behind them the digest of its content if that was read.
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
		return linkPrefix + target, nil
	}
	stamp := strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
	if !info.Mode().IsRegular() || info.Size() > min(r.room, maxFileRead) {
		return stamp, nil
	}
	f, ok := open(name)
	if !ok {
		return stamp, nil
	}
	defer f.Close()
	r.room -= info.Size()
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
	return stamp + " " + hex.EncodeToString(h.Sum(nil)), nil
}

// Same reports whether two digests of a file belong to the same content: by the content if both have its digest, else by size and time.
func Same(a, b string) bool {
	if strings.HasPrefix(a, linkPrefix) || strings.HasPrefix(b, linkPrefix) {
		return a == b
	}
	x, y := strings.Fields(a), strings.Fields(b)
	const size, sum = 0, 2 // fields of the digest of a file that is no link
	if len(x) == 3 && len(y) == 3 {
		return x[size] == y[size] && x[sum] == y[sum]
	}
	if len(x) >= 2 && len(y) >= 2 && len(x) != len(y) {
		return x[0] == y[0] && x[1] == y[1]
	}
	return a == b
}

// open opens a regular file; ok is false for one that has become something else, such as a FIFO.
func open(name string) (f *os.File, ok bool) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, false
	}
	return f, true
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
	f, ok := open(name)
	if !ok {
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
	own   map[string]bool // paths of the files and directories of the ready programs
}

// leftOut are directories that are made, and have more files than people write.
var leftOut = []string{".git", "node_modules"}

// Scan looks at all files of a directory, except in directories named .git or node_modules, and except files of the ready programs
// that their own .gitignore hides. It returns ErrTooMany if there are more than MaxFiles.
func Scan(ctx context.Context, dir string) (*Tree, error) { return scan(ctx, dir, true) }

func scan(ctx context.Context, dir string, keep bool) (*Tree, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the files: %w", err)
	}
	r := NewReader(dir, keep)
	t := &Tree{dir: dir, files: make(map[string]string), texts: r.texts, own: make(map[string]bool)}
	var own ownFiles
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, name)
		path := filepath.ToSlash(rel)
		switch {
		case err != nil && name == dir:
			return err
		case err != nil:
			return nil // it went away, or cannot be read
		case relErr != nil:
			return relErr
		case entry.IsDir() && name != dir && slices.Contains(leftOut, entry.Name()):
			return fs.SkipDir
		case name != dir && own.hold(name, entry.IsDir()):
			t.own[path] = true
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return context.Cause(ctx)
		case len(t.files) == MaxFiles:
			return fmt.Errorf("%s has more than %d files: %w", dir, MaxFiles, ErrTooMany)
		}
		digest, err := r.Digest(ctx, path)
		if digest != Absent {
			t.files[path] = digest
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look at the files: %w", err)
	}
	return t, nil
}

// ownFiles recognises the files of the ready programs during a walk, which visits the entries of a directory after one another.
type ownFiles struct {
	dir   string
	rules *ignore.Rules // of dir; nil unless the programs made its .gitignore
}

// hold reports whether the .gitignore of a program beside a file, or a directory, hides it.
func (o *ownFiles) hold(name string, isDir bool) bool {
	dir, base := filepath.Split(name)
	if dir != o.dir {
		o.dir, o.rules = dir, nil
		if content, ok := ReadText(dir, projectfile.Gitignore); ok && projectfile.IsGitignore(string(content)) {
			o.rules = ignore.Parse(content)
		}
	}
	return o.rules != nil && o.rules.Match(base, isDir) == ignore.Ignored
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
		case t.isOwn(path), now.isOwn(path): // the .gitignore of the program has come or gone meanwhile
		case !existed:
			changes = append(changes, Change{path, Created})
		case !exists:
			changes = append(changes, Change{path, Deleted})
		case !Same(was, is):
			changes = append(changes, Change{path, Edited})
		}
	}
	return changes, nil
}

// isOwn reports whether a file, or a directory above it, is one of the ready programs.
func (t *Tree) isOwn(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if t.own[name] {
			return true
		}
	}
	return false
}

// Texts are the contents that were kept, by path.
func (t *Tree) Texts() map[string][]byte { return t.texts }

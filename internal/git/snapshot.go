package git

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

// Bounds of what is read of files to see whether they have changed.
const (
	maxFiles    = 5_000
	maxFileRead = 8 << 20  // bytes of a file; of a larger one its size and time count
	maxRead     = 64 << 20 // bytes in all; so do those of what comes after that
)

// Snapshot is a work tree at a time: its commit, and the files that differ from it.
type Snapshot struct {
	commit string
	files  map[string]string // digests by path
}

// absent is the digest of a file that is not there.
const absent = ""

// Snapshot looks at the work tree. ErrTooMuch says that more differs than is looked at.
func (r *Repository) Snapshot(ctx context.Context) (*Snapshot, error) {
	s, _, err := r.look(ctx)
	return s, err
}

func (r *Repository) look(ctx context.Context) (*Snapshot, []Entry, error) {
	commit, entries, err := r.Status(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) > maxFiles {
		return nil, nil, fmt.Errorf("%d files differ from what is committed: %w", len(entries), ErrTooMuch)
	}
	s := &Snapshot{commit: commit, files: make(map[string]string, len(entries))}
	d := digester{top: r.top, room: maxRead}
	for _, e := range entries {
		if s.files[e.Path], err = d.digest(ctx, e.Path); err != nil {
			return nil, nil, err
		}
	}
	return s, entries, nil
}

// Change is what became of a file.
type Change struct {
	// Path is relative to the top of the work tree, with slashes.
	Path string
	// Kind is "created", "edited" or "deleted".
	Kind string
}

// Since answers what has changed since a snapshot, in the order of the paths, committed or not.
func (r *Repository) Since(ctx context.Context, before *Snapshot) ([]Change, error) {
	after, entries, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	committed, err := r.between(ctx, before.commit, after.commit)
	if err != nil {
		return nil, err
	}
	had := make(map[string]bool) // what there was before, of what did not differ then
	for _, e := range entries {
		had[e.Path] = had[e.Path] || e.Committed
	}
	for path, status := range committed {
		had[path] = status != 'A'
	}
	d := digester{top: r.top, room: maxRead}
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(union(before.files, after.files, committed))) {
		now, known := after.files[path]
		if !known {
			if now, err = d.digest(ctx, path); err != nil {
				return nil, err
			}
		}
		was, differed := before.files[path]
		existed := had[path]
		if differed {
			existed = was != absent
		}
		switch {
		case differed && was == now, !existed && now == absent:
		case !existed:
			changes = append(changes, Change{path, "created"})
		case now == absent:
			changes = append(changes, Change{path, "deleted"})
		default:
			changes = append(changes, Change{path, "edited"})
		}
	}
	return changes, nil
}

func union(a, b map[string]string, c map[string]byte) map[string]struct{} {
	all := make(map[string]struct{}, len(a)+len(b)+len(c))
	for path := range a {
		all[path] = struct{}{}
	}
	for path := range b {
		all[path] = struct{}{}
	}
	for path := range c {
		all[path] = struct{}{}
	}
	return all
}

// between answers how a commit differs from another: 'A', 'D', 'M' or 'T' by path.
func (r *Repository) between(ctx context.Context, from, to string) (map[string]byte, error) {
	if from == to || to == "" {
		return nil, nil
	}
	args := []string{"diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", from, to}
	if from == "" {
		args = []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", to}
	}
	out, err := r.run(ctx, timeout, args...)
	if err != nil {
		return nil, err
	}
	all := make(map[string]byte)
	parts := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for i := 0; i < len(parts); i++ {
		status := byte('A')
		if from != "" && i+1 < len(parts) && len(parts[i]) == 1 {
			status = parts[i][0]
			i++
		}
		all[string(parts[i])] = status
	}
	if len(all) > maxFiles {
		return nil, fmt.Errorf("%d files differ between the commits: %w", len(all), ErrTooMuch)
	}
	return all, nil
}

// digester tells the contents of files apart.
type digester struct {
	top  string
	room int64
}

// digest is one of the content of a file; absent if there is none.
func (d *digester) digest(ctx context.Context, path string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return absent, nil
	}
	name := filepath.Join(d.top, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.IsDir():
		return absent, nil
	case err != nil:
		return "?", nil // it is there, and nothing more is known
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := os.Readlink(name)
		return "link " + target, nil
	}
	stamp := strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
	if !info.Mode().IsRegular() || info.Size() > min(d.room, maxFileRead) {
		return stamp, nil
	}
	d.room -= info.Size()
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a FIFO
	if err != nil {
		return stamp, nil
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxFileRead)); err != nil {
		return stamp, nil
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

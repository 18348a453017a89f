package security

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// removedDir is a directory outside of the project that holds TrashDir and BackupDir of one tree. Its methods can be called
// concurrently, and a nil *removedDir has no content.
type removedDir struct {
	name   string // absolute
	volume string // of the tree; another one is not used, because a rename does not cross volumes
	note   string // content of the file noteName
	keeps  bool   // new removed content goes there; otherwise only existing content is found

	mu     sync.Mutex
	root   *rootfs.Root // nil until the directory exists and is needed
	closed bool
}

// attachRemoved gives a tree its removedDir. A Root without RootOptions.RemovedInState has one, too: it may have to undo the
// interrupted change of a Root with that option.
func (r *Root) attachRemoved(t *tree) {
	if r.removed == "" {
		return
	}
	volume, number, known := strings.Cut(t.Identity(), ":")
	sum := sha256.Sum256([]byte(t.RealName()))
	name := filepath.Join(r.removed, filepath.Base(t.RealName())+"-"+hex.EncodeToString(sum[:8]))
	if !known || r.contains(name) {
		return
	}
	note := number + "\n" + t.RealName() + "\n"
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		if former, ok := findRemoved(r.removed, t, number); ok {
			name = former
			if err := rewriteNote(filepath.Join(name, noteName), note); err != nil {
				r.log.Warn("the removed content of a renamed project keeps the former name", slog.String("directory", name), slog.Any("error", err))
			}
		}
	}
	if err := removeFile(filepath.Join(name, missingName)); err != nil {
		r.log.Warn("removed content of the project counts as that of a missing one", slog.String("directory", name), slog.Any("error", err))
	}
	t.removed = &removedDir{name: name, volume: volume, note: note, keeps: r.keepsRemoved}
}

// rewriteNote replaces a note with the present name of its project. The time of the note stays, because findRemoved needs it.
func rewriteNote(name, note string) error {
	if text, err := os.ReadFile(name); err != nil || string(text) == note {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	fresh := name + ".new"
	err = os.WriteFile(fresh, []byte(note), 0o600)
	if err == nil {
		err = os.Chtimes(fresh, info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(fresh, name)
	}
	if err != nil {
		return errors.Join(err, removeFile(fresh))
	}
	return nil
}

const (
	// noteName is the file of a removedDir with the number and the name of the directory that the content was removed from.
	noteName = "project"
	// maxRemovedDirs is the limit of directories that findRemoved examines.
	maxRemovedDirs = 1000
)

// findRemoved finds the removedDir of a tree that had another name before. number is the number of the tree's directory on
// its volume. A system gives the number of a deleted directory to a new one, so an entry of the tree must be older than
// the removedDir.
func findRemoved(parent string, t *tree, number string) (string, bool) {
	all, err := os.Open(parent)
	if err != nil {
		return "", false
	}
	defer all.Close()
	names, _ := all.Readdirnames(maxRemovedDirs)
	for _, name := range names {
		if strings.HasPrefix(name, expiredPrefix) {
			continue
		}
		dir := filepath.Join(parent, name)
		note := filepath.Join(dir, noteName)
		text, err := os.ReadFile(note)
		if err != nil || !strings.HasPrefix(string(text), number+"\n") {
			continue
		}
		if info, err := os.Lstat(note); err == nil && hasEntryBefore(t, info.ModTime()) {
			return dir, true
		}
	}
	return "", false
}

// hasEntryBefore reports whether the status of an entry at the top of a tree was last changed at a time or before. Only the system
// sets that time.
func hasEntryBefore(t *tree, moment time.Time) bool {
	dir, err := t.Root.OpenDir(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	entries, err := dir.Next(512)
	for ; err == nil; entries, err = dir.Next(512) {
		for _, e := range entries {
			if info, err := dir.Lstat(e.Name); err == nil && !statusChanged(info).IsZero() && !statusChanged(info).After(moment) {
				return true
			}
		}
	}
	return false
}

// open returns the open directory, or nil if it does not exist or cannot be used. With create it is made.
func (d *removedDir) open(create bool) *rootfs.Root {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root != nil || d.closed {
		return d.root
	}
	if create && d.keeps && d.make() != nil {
		return nil
	}
	info, err := os.Lstat(d.name)
	if err != nil || !info.IsDir() {
		return nil
	}
	root, err := rootfs.Open(d.name)
	if err != nil {
		return nil
	}
	if volume, _, _ := strings.Cut(root.Identity(), ":"); volume != d.volume {
		root.Close()
		return nil
	}
	d.root = root
	return root
}

// make makes the directory and its note, unless it is on another volume.
func (d *removedDir) make() error {
	parent := filepath.Dir(d.name)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	if id, _ := rootfs.IdentityOf(parent); !strings.HasPrefix(id, d.volume+":") {
		return rootfs.ErrCrossDevice
	}
	if err := os.Mkdir(d.name, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.name, noteName), []byte(d.note), 0o600)
}

func (d *removedDir) close() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// isRemoved reports whether a path relative to a tree lies in TrashDir or BackupDir.
func isRemoved(rel string) bool {
	top, _, _ := strings.Cut(rel, "/")
	return trash.IsDir(top)
}

// holder returns the directory that holds the entry at a path: the removedDir for removed content, otherwise the project. The
// project also holds removed content of earlier versions, and of a project on another volume than the state directory.
func (t *tree) holder(rel string) *rootfs.Root {
	if t.removed == nil || !isRemoved(rel) {
		return t.Root
	}
	removed := t.removed.open(false)
	if removed == nil {
		return t.Root
	}
	if _, _, err := removed.Lstat(rel); errors.Is(err, fs.ErrNotExist) {
		if _, _, err := t.Root.Lstat(rel); err == nil {
			return t.Root
		}
	}
	return removed
}

// keeper returns the directory for new removed content.
func (t *tree) keeper() *rootfs.Root {
	if removed := t.removed.open(true); removed != nil && t.removed.keeps {
		return removed
	}
	return t.Root
}

// holders returns the directories that can hold removed content.
func (t *tree) holders() []*rootfs.Root {
	if removed := t.removed.open(false); removed != nil {
		return []*rootfs.Root{removed, t.Root}
	}
	return []*rootfs.Root{t.Root}
}

// removeEmptyEntry removes the empty directories of an entry of the trash above a path.
func (t *tree) removeEmptyEntry(final string) {
	for _, root := range t.holders() {
		trash.RemoveEmpty(root, path.Dir(final))
	}
}

// Place is Place of the holder of the path, as are Open, OpenDir, Stat and Lstat.
func (t *tree) Place(rel string, follow bool) (*rootfs.Place, error) {
	return t.holder(rel).Place(rel, follow)
}

// Open is described at Place.
func (t *tree) Open(rel string) (*rootfs.Opened, error) { return t.holder(rel).Open(rel) }

// OpenDir is described at Place.
func (t *tree) OpenDir(rel string) (*rootfs.Dir, error) { return t.holder(rel).OpenDir(rel) }

// Stat is described at Place.
func (t *tree) Stat(rel string) (fs.FileInfo, string, error) { return t.holder(rel).Stat(rel) }

// Lstat is described at Place.
func (t *tree) Lstat(rel string) (fs.FileInfo, string, error) { return t.holder(rel).Lstat(rel) }

// SweepTemps removes the temporary files of writers in a directory, wherever it is held.
func (t *tree) SweepTemps(rel string) (int, error) {
	if !isRemoved(rel) {
		return t.Root.SweepTemps(rel)
	}
	all := 0
	var failed error
	for _, root := range t.holders() {
		n, err := root.SweepTemps(rel)
		all += n
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return all, failed
}

// Close closes the tree.
func (t *tree) Close() error { return errors.Join(t.Root.Close(), t.removed.close()) }

// adoptRemoved moves TrashDir and BackupDir, which earlier versions kept in the project, to the removedDir. If it has them
// already, or if the move fails, they stay, and calls find their content there.
func (r *Root) adoptRemoved(ctx context.Context) {
	if r.readOnly || !r.keepsRemoved {
		return
	}
	for _, t := range r.trees {
		if t.removed == nil {
			continue
		}
		for _, dir := range []string{TrashDir, BackupDir} {
			if info, _, err := t.Root.Lstat(dir); err != nil || !info.IsDir() || !trash.IsIgnored(t.Root, dir) {
				continue
			}
			if err := r.adopt(t, dir); err != nil {
				r.log.InfoContext(ctx, "removed content of an earlier version stays in the project", slog.String("directory", dir), slog.Any("error", rootfs.Reason(err)))
			}
		}
	}
}

func (r *Root) adopt(t *tree, dir string) error {
	keeper := t.keeper()
	if keeper == t.Root {
		return nil
	}
	from, err := t.Root.Place(dir, false)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := keeper.Place(dir, false)
	if err != nil {
		return err
	}
	defer to.Close()
	if to.Info != nil {
		return nil
	}
	return from.MoveTo(to, r.durability)
}

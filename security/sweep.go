package security

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	maxLockFiles = 10_000 // lock files that are looked at when a Root is opened
	maxNote      = 64 << 10
)

// sweep removes the temporary files of writers that died in the directories of this Root. Lock files say where to look.
func (r *Root) sweep() {
	if r.readOnly {
		return
	}
	for _, state := range r.states {
		r.sweepLocks(state)
	}
}

// sweepLocks looks at the lock files in one state directory.
func (r *Root) sweepLocks(state string) {
	dir, err := os.Open(state)
	if err != nil {
		return // no process has written anything yet
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxLockFiles)
	if err != nil && err != io.EOF {
		r.log.Warn("lock files not listed", slog.Any("error", rootfs.Reason(err)))
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".lock") {
			r.sweepAfter(filepath.Join(state, name))
		}
	}
}

// sweepAfter cleans up after the writer of one lock file, if it is dead and wrote in this Root.
func (r *Root) sweepAfter(name string) {
	n, err := readNote(name)
	if err != nil {
		return
	}
	t, places := r.placesOf(n)
	if t == nil && n.Root != "" {
		return // of another project
	}
	f, err := tryLockFile(name)
	if f == nil || err != nil {
		return // alive
	}
	for _, dir := range places {
		removed, err := t.SweepTemps(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.log.Warn("temporary files not swept", slog.String("directory", dir), slog.Any("error", rootfs.Reason(err)))
		}
		if removed > 0 {
			r.log.Info("temporary files of a writer that died removed", slog.String("directory", dir), slog.Int("files", removed))
		}
	}
	removeLockFile(f)
}

// placesOf finds the directories of a note in this Root. The note of a writer that died early is empty.
func (r *Root) placesOf(n note) (*tree, []string) {
	for _, t := range r.trees {
		var places []string
		for _, dir := range n.Dirs {
			if rel, ok := t.Rel(filepath.Join(n.Root, filepath.FromSlash(dir))); ok && fs.ValidPath(dir) {
				places = append(places, path.Clean(rel))
			}
		}
		if len(places) > 0 {
			return t, places
		}
	}
	return nil, nil
}

// readNote reads a lock file. What is no note counts as an empty one.
func readNote(name string) (note, error) {
	f, err := os.Open(name)
	if err != nil {
		return note{}, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxNote))
	if err != nil {
		return note{}, err
	}
	var n note
	if json.Unmarshal(content, &n) != nil {
		return note{}, nil
	}
	return n, nil
}

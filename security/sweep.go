package security

import (
	"errors"
	"io/fs"
	"log/slog"
	"path"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pathlock"
)

// sweep removes the temporary files of dead writers in the directories of this Root. Their lock files name the
// directories.
func (r *Root) sweep() {
	if r.readOnly {
		return
	}
	for _, state := range r.stateDirs {
		if err := pathlock.Sweep(state, r.sweepAfter); err != nil {
			r.log.Warn("lock files not listed", slog.Any("error", rootfs.Reason(err)))
		}
	}
}

// sweepAfter returns the function that removes the temporary files of a dead writer; nil for a writer of another
// project.
func (r *Root) sweepAfter(n pathlock.Note) (clean func()) {
	t, dirs := r.sweptDirs(n)
	if t == nil && n.Root != "" {
		return nil
	}
	return func() {
		for _, dir := range dirs {
			removed, err := t.SweepTemps(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				r.log.Warn("temporary files not swept", slog.String("directory", dir), slog.Any("error", rootfs.Reason(err)))
			}
			if removed > 0 {
				r.log.Info("temporary files of a writer that died removed", slog.String("directory", dir), slog.Int("files", removed))
			}
		}
	}
}

// sweptDirs returns the directories of a note that lie in this Root. A writer that died early has left an empty note.
func (r *Root) sweptDirs(n pathlock.Note) (*tree, []string) {
	for _, t := range r.trees {
		var dirs []string
		for _, dir := range n.Dirs {
			if rel, ok := t.Rel(filepath.Join(n.Root, filepath.FromSlash(dir))); ok && fs.ValidPath(dir) {
				dirs = append(dirs, path.Clean(rel))
			}
		}
		if len(dirs) > 0 {
			return t, dirs
		}
	}
	return nil, nil
}

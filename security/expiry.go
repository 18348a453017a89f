package security

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// RemovedLife is the time for which the removed content of a project is kept after ExpireRemoved has first found the
// project missing.
const RemovedLife = 90 * 24 * time.Hour

const (
	// missingName is the file of a removedDir with the time since which the project has been missing. A Root that opens the
	// project, and ExpireRemoved when it finds the project, remove the file.
	missingName = "missing"
	// expiredPrefix begins the name of a removedDir that is being deleted.
	expiredPrefix = ".expired-"
)

// ExpireRemoved deletes the removed content (see RootOptions.RemovedInState) of projects that have been missing for
// RemovedLife. stateDir is RootOptions.StateDir; "" is its default. now is the present time. The result has the names of
// the projects whose content was deleted. The error joins the directories that could not be examined or deleted; a later
// call tries them again. ExpireRemoved stops between two entries when ctx ends.
//
// A project is missing if its directory does not exist, and the nearest existing directory above it has entries and is on
// the volume of the removed content. A directory on a volume that is not mounted is therefore not missing: its removed
// content is on the same volume, and the place of a volume that is not mounted is empty. The time starts again whenever
// the project exists. A renamed project takes its removed content with it when it is opened under the new name.
func ExpireRemoved(ctx context.Context, stateDir string, now time.Time) (deleted []string, err error) {
	parent, ok := removedParent(stateDir)
	if !ok {
		return nil, nil
	}
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the removed content of projects: %w", err)
	}
	var failed []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return deleted, errors.Join(append(failed, ctx.Err())...)
		}
		if !e.IsDir() {
			continue
		}
		x := removedContent{parent: parent, name: e.Name()}
		project, gone, err := x.expire(ctx, now)
		if gone {
			deleted = append(deleted, project)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("expire the removed content in %s: %w", x.path(), err))
		}
	}
	return deleted, errors.Join(failed...)
}

// removedParent returns the directory with the removed content of all projects, for RootOptions.StateDir.
func removedParent(stateDir string) (string, bool) {
	if stateDir != "" {
		return filepath.Join(stateDir, "removed"), true
	}
	dir, ok := DefaultStateDir()
	return filepath.Join(filepath.Dir(dir), "removed"), ok
}

// removedContent is the directory of a removedDir, examined without its project.
type removedContent struct{ parent, name string }

func (x removedContent) path(names ...string) string {
	return filepath.Join(append([]string{x.parent, x.name}, names...)...)
}

// project returns the name of the project from the note. It is empty for a directory without a valid note, which is never
// deleted.
func (x removedContent) project() string {
	text, err := os.ReadFile(x.path(noteName))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	name, ok := strings.CutSuffix(rest, "\n")
	if !ok || !filepath.IsAbs(name) {
		return ""
	}
	return name
}

// expire deletes the directory if its project has been missing for RemovedLife, or records the time since which it is.
func (x removedContent) expire(ctx context.Context, now time.Time) (project string, deleted bool, err error) {
	if strings.HasPrefix(x.name, expiredPrefix) {
		return x.finish(ctx)
	}
	project = x.project()
	if project == "" {
		return "", false, nil
	}
	switch isMissing(project, x.parent) {
	case present:
		return project, false, removeFile(x.path(missingName))
	case unknown:
		return project, false, nil
	}
	text, err := os.ReadFile(x.path(missingName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return project, false, err
	}
	since, invalid := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	if err != nil || invalid != nil || since.After(now) {
		return project, false, os.WriteFile(x.path(missingName), []byte(now.UTC().Format(time.RFC3339)+"\n"), 0o600)
	}
	if now.Sub(since) < RemovedLife {
		return project, false, nil
	}
	// No Root finds the directory after the change of its name, so the second look at the project is final.
	renamed := removedContent{x.parent, expiredPrefix + x.name}
	if err := os.Rename(x.path(), renamed.path()); err != nil {
		return project, false, err
	}
	return renamed.finish(ctx)
}

// finish deletes a directory that expire has renamed, or gives it its name back if its project exists. An earlier process
// may have been interrupted between the two.
func (x removedContent) finish(ctx context.Context) (project string, deleted bool, err error) {
	project = x.project()
	if project != "" && isMissing(project, x.parent) != missing {
		former := removedContent{x.parent, strings.TrimPrefix(x.name, expiredPrefix)}
		if _, err := os.Lstat(former.path()); errors.Is(err, fs.ErrNotExist) {
			return project, false, os.Rename(x.path(), former.path())
		}
		return project, false, nil
	}
	// The note goes last: without it, the rest is deleted in any case.
	for _, dir := range []string{TrashDir, BackupDir} {
		entries, err := os.ReadDir(x.path(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return project, false, err
		}
		for _, e := range entries {
			if ctx.Err() != nil {
				return project, false, ctx.Err()
			}
			if err := removeTree(x.path(dir, e.Name())); err != nil {
				return project, false, err
			}
		}
	}
	return project, true, removeTree(x.path())
}

// removeTree removes a directory with its content, also if directories in it are read-only.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(name, 0o700)
		}
		return nil
	})
	return errors.Join(err, os.RemoveAll(dir))
}

// removeFile removes a file; a missing one is no error.
func removeFile(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// existence tells whether the directory of a project exists.
type existence uint8

const (
	present existence = iota
	missing
	unknown // the volume of the directory may not be mounted, or the directory cannot be looked at
)

// isMissing tells whether a directory exists. state is a directory on the volume that held it.
func isMissing(dir, state string) existence {
	_, err := os.Lstat(dir)
	if err == nil {
		return present
	}
	for isAbsent(err) {
		above := filepath.Dir(dir)
		if above == dir {
			return unknown
		}
		dir = above
		_, err = os.Lstat(dir)
	}
	if err != nil {
		return unknown
	}
	volume, _ := rootfs.IdentityOf(dir)
	ofState, _ := rootfs.IdentityOf(state)
	volume, _, known := strings.Cut(volume, ":")
	ofState, _, _ = strings.Cut(ofState, ":")
	if !known || volume != ofState {
		return unknown
	}
	f, err := os.Open(dir)
	if err != nil {
		return unknown
	}
	defer f.Close()
	if names, _ := f.Readdirnames(1); len(names) == 0 {
		return unknown // the place of a volume that is not mounted
	}
	return missing
}

// isAbsent reports whether an error says that a file does not exist, or that a file is in the place of a directory above it.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// RemovedUsage is the extent of the removed content in the state directory.
type RemovedUsage struct {
	// Dir is the directory that holds the content of all projects.
	Dir string
	// Projects is the number of projects with removed content, Missing the number of projects that do not exist.
	Projects, Missing int
	// Bytes is the size of the files. Partial reports that it is a lower bound, because ctx has ended.
	Bytes   int64
	Partial bool
}

// MeasureRemoved measures the removed content of all projects. stateDir is RootOptions.StateDir; "" is its default. When ctx
// ends, the result is partial.
func MeasureRemoved(ctx context.Context, stateDir string) (RemovedUsage, error) {
	var u RemovedUsage
	parent, ok := removedParent(stateDir)
	if !ok {
		return u, nil
	}
	u.Dir = parent
	entries, err := os.ReadDir(parent)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return u, fmt.Errorf("list the removed content of projects: %w", err)
	}
	for _, e := range entries {
		x := removedContent{parent, e.Name()}
		project := x.project()
		if project == "" {
			continue
		}
		u.Projects++
		if isMissing(project, parent) == missing {
			u.Missing++
		}
		_ = filepath.WalkDir(x.path(), func(_ string, e fs.DirEntry, err error) error {
			if u.Partial = u.Partial || ctx.Err() != nil; u.Partial {
				return fs.SkipAll
			}
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil {
					u.Bytes += info.Size()
				}
			}
			return nil
		})
	}
	return u, nil
}

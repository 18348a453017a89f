package dirwatch

import (
	"errors"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"github.com/dougu-go/dougu/tools/internal/pathset"
)

// watcher watches directories with fsnotify.
type watcher struct {
	base    string
	log     *slog.Logger
	maxDirs int

	system     *fsnotify.Watcher // nil until the first directory, or if the system has no watcher
	dirs       map[string]string // watched directories: name of the subject to name of the system
	real       map[string]string // the reverse of dirs
	incomplete bool              // some directories are not watched
	unordered  bool              // changes in some directories are not reported in order, or not all of them
	marks      string            // directory for the marks of a Barrier, "" without one
	warned     bool              // a warning about blind was logged
}

// add watches directories. It returns the ones that were not watched before. If a directory cannot be watched, e is incomplete from then on.
func (e *watcher) add(dirs []string) (added []string) {
	if e.maxDirs <= 0 {
		e.incomplete = true
		return nil
	}
	for _, dir := range dirs {
		if _, ok := e.dirs[dir]; ok {
			continue
		}
		if len(e.dirs) >= e.maxDirs {
			e.fail("too many directories to watch", nil)
			break
		}
		if e.system == nil {
			system, err := fsnotify.NewWatcher()
			if err != nil {
				e.fail("the system does not report changes of files", err)
				return nil
			}
			e.system = system
		}
		name := e.name(dir)
		if err := e.system.Add(name); err != nil {
			if e.exists(name) {
				e.fail("a directory cannot be watched", err)
			}
			if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) { // the error also applies to the other directories
				break
			}
			continue
		}
		e.dirs[dir], e.real[name] = name, dir
		e.unordered = e.unordered || !inOrder(name)
		added = append(added, dir)
	}
	return added
}

// exists reports whether a directory exists.
func (e *watcher) exists(name string) bool {
	_, err := filepath.EvalSymlinks(name)
	return err == nil
}

// fail sets blind and logs the first failure.
func (e *watcher) fail(message string, err error) {
	e.incomplete = true
	if !e.warned {
		e.log.Warn(message+"; the files are scanned at intervals instead", "error", err)
	}
	e.warned = true
}

// name returns the system's name of a directory.
func (e *watcher) name(dir string) string {
	if pathset.IsAbs(dir) {
		return filepath.FromSlash(dir)
	}
	return filepath.Join(e.base, filepath.FromSlash(dir))
}

// path returns the subject's name of the path in an event.
func (e *watcher) path(name string) (string, bool) {
	if dir, ok := e.real[name]; ok {
		return dir, true
	}
	dir, ok := e.real[filepath.Dir(name)]
	return path.Join(dir, filepath.Base(name)), ok
}

// forget stops watching a directory and its subdirectories, which may have been replaced.
func (e *watcher) forget(dir string) {
	if _, ok := e.dirs[dir]; !ok {
		return
	}
	for _, one := range slices.Collect(maps.Keys(e.dirs)) {
		if one == dir || dir != "." && pathset.Within(one, dir) {
			name := e.dirs[one]
			_ = e.system.Remove(name) // a removed directory is no longer watched
			delete(e.dirs, one)
			delete(e.real, name)
		}
	}
}

// reset prepares a scan, which tries again to watch all directories.
func (e *watcher) reset() { e.incomplete = false }

// events returns the channel of events, or nil.
func (e *watcher) events() <-chan fsnotify.Event {
	if e.system == nil {
		return nil
	}
	return e.system.Events
}

// errors returns a channel that reports lost events, or nil.
func (e *watcher) errors() <-chan error {
	if e.system == nil {
		return nil
	}
	return e.system.Errors
}

// markDir returns a directory of this watcher in which marks are reported in order with all changes, or "". It makes the directory
// when it is called first.
func (e *watcher) markDir() string {
	switch {
	case e.system == nil || e.incomplete || e.unordered:
		return ""
	case e.marks != "":
		return e.marks
	}
	dir, err := os.MkdirTemp("", "dougu-watch-")
	if err != nil {
		e.log.Warn("searches compare all files, because there is no temporary directory", "error", err)
		return ""
	}
	if err := e.system.Add(dir); err != nil || !inOrder(dir) {
		_ = os.RemoveAll(dir)
		return ""
	}
	e.marks = dir
	return dir
}

// isMark reports whether an event belongs to a mark.
func (e *watcher) isMark(name string) bool { return e.marks != "" && filepath.Dir(name) == e.marks }

func (e *watcher) close() {
	if e.system != nil {
		_ = e.system.Close()
	}
	if e.marks != "" {
		_ = os.RemoveAll(e.marks)
	}
}

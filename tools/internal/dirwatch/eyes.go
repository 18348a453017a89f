package dirwatch

import (
	"errors"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"github.com/dougu-go/dougu/tools/internal/pathset"
)

// eyes watch directories.
type eyes struct {
	base string
	log  *slog.Logger
	most int

	system *fsnotify.Watcher // nil until it is needed, and where it does not work
	dirs   map[string]string // the watched ones as the subject names them, and as the system does
	real   map[string]string // the other way round
	blind  bool              // not all that should be is watched
	told   bool              // of being blind
}

// add watches directories, as far as that goes, and answers with those that were
// not watched before.
func (e *eyes) add(dirs []string) (added []string) {
	if e.most <= 0 {
		e.blind = true
		return nil
	}
	for _, dir := range dirs {
		if _, ok := e.dirs[dir]; ok {
			continue
		}
		if len(e.dirs) >= e.most {
			e.fail("there are more directories than are watched", nil)
			break
		}
		if e.system == nil {
			system, err := fsnotify.NewWatcher()
			if err != nil {
				e.fail("the system does not tell of changes", err)
				return nil
			}
			e.system = system
		}
		name := e.name(dir)
		if err := e.system.Add(name); err != nil {
			if e.there(name) {
				e.fail("a directory cannot be watched", err)
			}
			if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) { // so it is for the others
				break
			}
			continue
		}
		e.dirs[dir], e.real[name] = name, dir
		added = append(added, dir)
	}
	return added
}

// there says that a directory has not just been removed.
func (e *eyes) there(name string) bool {
	_, err := filepath.EvalSymlinks(name)
	return err == nil
}

// fail goes on with less, and tells so once.
func (e *eyes) fail(message string, err error) {
	e.blind = true
	if !e.told {
		e.log.Warn(message+"; looking at the files now and then", "error", err)
	}
	e.told = true
}

// name is a directory as the system names it.
func (e *eyes) name(dir string) string {
	if pathset.IsAbs(dir) {
		return filepath.FromSlash(dir)
	}
	return filepath.Join(e.base, filepath.FromSlash(dir))
}

// path is what an event is about, as the subject names it.
func (e *eyes) path(name string) (string, bool) {
	if dir, ok := e.real[name]; ok {
		return dir, true
	}
	dir, ok := e.real[filepath.Dir(name)]
	return path.Join(dir, filepath.Base(name)), ok
}

// forget gives up a directory, and those below it, that may not be the ones any
// more that are watched.
func (e *eyes) forget(dir string) {
	if _, ok := e.dirs[dir]; !ok {
		return
	}
	for _, one := range slices.Collect(maps.Keys(e.dirs)) {
		if one == dir || dir != "." && pathset.Within(one, dir) {
			name := e.dirs[one]
			_ = e.system.Remove(name) // it may be gone, and then it is not watched any more
			delete(e.dirs, one)
			delete(e.real, name)
		}
	}
}

// reset prepares for looking at everything: what could not be watched is tried
// again.
func (e *eyes) reset() { e.blind = false }

func (e *eyes) events() <-chan fsnotify.Event {
	if e.system == nil {
		return nil
	}
	return e.system.Events
}

// errors has something when events may have been lost.
func (e *eyes) errors() <-chan error {
	if e.system == nil {
		return nil
	}
	return e.system.Errors
}

func (e *eyes) close() {
	if e.system != nil {
		_ = e.system.Close()
	}
}

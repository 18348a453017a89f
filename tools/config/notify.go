package config

import (
	"log/slog"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"

	"github.com/dougu-go/dougu/internal/group"
)

// notifier reports events in directories.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
	// Events receives a value after one or more events.
	Events() <-chan struct{}
	Close()
}

// watcherState watches the directory of a file, or its nearest existing parent. It is used by one goroutine.
type watcherState struct {
	path   string
	notify func() (notifier, error)
	log    *slog.Logger

	system notifier // nil before open and after a failure
	blind  bool     // it has failed, and the failure was logged
	dir    string   // the watched directory; empty without one
}

// open watches the existing directories and reports whether that works.
func (e *watcherState) open() bool {
	if e.system == nil {
		system, err := e.notify()
		if err != nil {
			return e.failed(err)
		}
		e.system = system
	}
	dir := existing(filepath.Dir(e.path))
	if e.dir != "" && e.dir != dir {
		_ = e.system.Remove(e.dir) // it may be gone, and then it is not watched any more
	}
	// Whether a directory of this name is still the one that is watched cannot be
	// told: the system may give a new one the number of the old.
	if err := e.system.Add(dir); err != nil {
		return e.failed(err)
	}
	e.dir, e.blind = dir, false
	return true
}

// failed falls back to polling after an error and logs that once.
func (e *watcherState) failed(err error) bool {
	if !e.blind {
		e.log.Warn("the system does not tell of changes of the settings; looking now and then", slog.String("file", e.path), slog.Any("error", err))
	}
	e.blind = true
	e.close()
	return false
}

// existing is the directory, or the nearest one above it that exists.
func existing(dir string) string {
	for {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// events is nil, for never, while nothing is watched.
func (e *watcherState) events() <-chan struct{} {
	if e.system == nil {
		return nil
	}
	return e.system.Events()
}

func (e *watcherState) close() {
	if e.system != nil {
		e.system.Close()
	}
	e.system, e.dir = nil, ""
}

// system is the notifier of the operating system.
type system struct {
	watcher *fsnotify.Watcher
	events  chan struct{}
	running group.Group
}

func newNotifier() (notifier, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &system{watcher: watcher, events: make(chan struct{}, 1)}
	s.running.Go(s.forward)
	return s, nil
}

// forward merges events into one signal. An error, for example lost events, is a signal too.
func (s *system) forward() {
	events, errors := s.watcher.Events, s.watcher.Errors
	for events != nil || errors != nil {
		var ok bool
		select {
		case _, ok = <-events:
			if !ok {
				events = nil
				continue
			}
		case _, ok = <-errors:
			if !ok {
				errors = nil
				continue
			}
		}
		select {
		case s.events <- struct{}{}:
		default:
		}
	}
}

func (s *system) Add(dir string) error    { return s.watcher.Add(dir) }
func (s *system) Remove(dir string) error { return s.watcher.Remove(dir) }
func (s *system) Events() <-chan struct{} { return s.events }

func (s *system) Close() {
	_ = s.watcher.Close()
	s.running.Wait()
}

package vscode

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

const (
	maxReportedPaths = 1000             // limit of the unsaved documents of a window
	maxPending       = 1000             // limit of the unsaved documents of windows that have ended
	reloadTime       = 30 * time.Second // time until a window that reloads has its unsaved documents again
	pendingReason    = "a window of VS Code with unsaved text is reloading, or has closed a moment ago"
)

// unsavedPaths are the documents of a window with unsaved text, by absolute path.
type unsavedPaths map[string]struct{}

// usablePaths returns the paths from a window that are absolute. It returns at most maxReportedPaths; truncated reports that there
// were more.
func usablePaths(reported []string) (paths unsavedPaths, truncated bool) {
	paths = make(unsavedPaths, min(len(reported), maxReportedPaths))
	for _, path := range reported {
		if !presence.IsPath(path) {
			continue
		}
		if len(paths) == maxReportedPaths {
			return paths, true
		}
		paths[filepath.Clean(path)] = struct{}{}
	}
	return paths, false
}

// setUnsaved stores the paths of the documents with unsaved text.
func (w *window) setUnsaved(reported []string) {
	paths, truncated := usablePaths(reported)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsaved, w.truncated = paths, truncated
}

// unsavedDocuments returns the paths of the documents with unsaved text, as the window has reported them last. truncated reports
// that the window has more.
func (w *window) unsavedDocuments() (paths []string, truncated bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.unsaved)), w.truncated
}

// unsavedOutside returns the paths of the documents with unsaved text that are outside of the window's folders.
func (w *window) unsavedOutside() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var outside []string
	for path := range w.unsaved {
		if presence.Depth(w.folders, path) < 0 {
			outside = append(outside, path)
		}
	}
	return outside
}

// end marks the window as ended: its documents do not count as restored.
func (w *window) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
}

// hasRestored reports whether the window, which has not ended, has unsaved text of a document.
func (w *window) hasRestored(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.unsaved[path]
	return ok && !w.ended
}

func (w *window) hasUnsaved(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.unsaved[path]
	return ok
}

// pendingDocuments are the unsaved documents of windows that have ended. VS Code keeps their text and shows it again after a reload.
// Until then the text is not known.
type pendingDocuments struct {
	ended    map[string]time.Time // end of the window, by path; at most maxPending
	overflow time.Time            // the last time at which a document was not recorded; zero: never
}

// recordEnded records the unsaved documents of a window that has ended. Above maxPending each document counts as pending for
// reloadTime.
func (v *VSCode) recordEnded(w *window) {
	w.end() // before the paths are recorded, because the window is still among the connections
	paths, truncated := w.unsavedDocuments()
	if folders, _ := w.state(); !v.concerns(folders) {
		paths, truncated = slices.DeleteFunc(paths, func(path string) bool { return !v.inProject(path) }), false
	}
	v.pendingPaths() // removes old ones
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pending.ended == nil {
		v.pending.ended = make(map[string]time.Time)
	}
	now := time.Now()
	for _, path := range paths {
		if _, ok := v.pending.ended[path]; !ok && len(v.pending.ended) == maxPending {
			truncated = true
			break
		}
		v.pending.ended[path] = now
	}
	if truncated {
		v.pending.overflow = now
	}
}

// pendingPaths returns the paths of pending documents, sorted. overflow reports that there may be more. It forgets documents after
// reloadTime, and documents that a window has again.
func (v *VSCode) pendingPaths() (paths []string, overflow bool) {
	windows := v.connections.All()
	v.mu.Lock()
	defer v.mu.Unlock()
	for path := range v.pending.ended {
		if v.stillPending(path, windows) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, time.Since(v.pending.overflow) <= reloadTime
}

// isPending reports whether the unsaved text of a document is not known because its window has ended.
func (v *VSCode) isPending(path string) bool {
	windows := v.connections.All()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stillPending(path, windows) || time.Since(v.pending.overflow) <= reloadTime
}

// stillPending reports whether a document is recorded as pending, and forgets it if it is no longer pending. It is called with mu
// held.
func (v *VSCode) stillPending(path string, windows []*window) bool {
	since, ok := v.pending.ended[path]
	if !ok {
		return false
	}
	if time.Since(since) <= reloadTime && !slices.ContainsFunc(windows, func(w *window) bool { return w.hasRestored(path) }) {
		return true
	}
	delete(v.pending.ended, path)
	return false
}

// pendingError returns the error of a call about a pending document.
func pendingError(path string) error {
	err := security.UnknownTextError(path, errors.New(pendingReason))
	err.Next = fmt.Sprintf("Wait for %d seconds, and call again.", int(reloadTime.Seconds()))
	return err
}

package vscode

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

const (
	maxUnsaved = 1000             // limit of the unsaved documents of a window; further ones are ignored
	reloadTime = 30 * time.Second // time until a window that reloads has its unsaved documents again
	lostReason = "a window of VS Code with unsaved text is reloading, or has closed a moment ago"
)

// usablePaths returns the paths from a window that are absolute, at most maxUnsaved.
func usablePaths(said []string) []string {
	paths := make([]string, 0, min(len(said), maxUnsaved))
	for _, path := range said {
		if len(paths) < maxUnsaved && presence.IsPath(path) {
			paths = append(paths, filepath.Clean(path))
		}
	}
	return paths
}

// learnUnsaved stores the paths of the documents with unsaved text, and returns the usable ones.
func (w *window) learnUnsaved(said []string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsaved = usablePaths(said)
	return w.unsaved
}

// unsavedOutside returns the paths of the documents with unsaved text that are outside of the window's folders.
func (w *window) unsavedOutside() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var outside []string
	for _, path := range w.unsaved {
		if presence.Depth(w.folders, path) < 0 {
			outside = append(outside, path)
		}
	}
	return outside
}

// lostDocuments are the unsaved documents of windows that have ended, by path, with the time of the end. VS Code keeps their text and
// shows it again after a reload. Until then the text is not known.
type lostDocuments map[string]time.Time

// lose records the unsaved documents of a window that has ended.
func (v *VSCode) lose(w *window) {
	paths := w.unsavedPaths()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		v.lost = make(lostDocuments)
	}
	for _, path := range paths[:min(len(paths), max(maxUnsaved-len(v.lost), 0))] {
		v.lost[path] = time.Now()
	}
}

// lostPaths returns the paths of lost documents, sorted. It forgets documents after reloadTime, and documents that a window has again.
func (v *VSCode) lostPaths() []string {
	windows := v.connections.All()
	v.mu.Lock()
	defer v.mu.Unlock()
	var paths []string
	for path, since := range v.lost {
		if time.Since(since) > reloadTime || slices.ContainsFunc(windows, func(w *window) bool { return w.hasUnsaved(path) }) {
			delete(v.lost, path)
			continue
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// isLost reports whether a document is lost.
func (v *VSCode) isLost(path string) bool { return slices.Contains(v.lostPaths(), path) }

// unsavedPaths returns the paths of the documents with unsaved text, as the window has reported them last.
func (w *window) unsavedPaths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unsaved
}

func (w *window) hasUnsaved(path string) bool { return slices.Contains(w.unsavedPaths(), path) }

// lostError returns the error of a call about a lost document.
func lostError(path string) error {
	return &security.Error{Code: security.FileBusy, AttemptedPath: path, Next: "Wait for 30 seconds, and call again.",
		Message: "Whether " + path + " has unsaved text is not known: " + lostReason + "."}
}

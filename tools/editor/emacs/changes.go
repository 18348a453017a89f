package emacs

import (
	"context"
	"time"
)

const changePatience = 10 * time.Second

// FilesChanged has Emacs read buffers without changes again. What cannot be told soon is not told.
func (e *Emacs) FilesChanged(paths []string) { e.changes.Add(paths) }

// sendChanges tells every Emacs what has changed.
func (e *Emacs) sendChanges(paths []string) {
	for _, s := range e.connected() {
		ctx, cancel := context.WithTimeout(e.ctx, changePatience)
		if err := s.ask(ctx, "changed", map[string]any{"paths": paths}, nil); err != nil {
			e.options.Log.Debug("Emacs was not told of changed files", "server", s.place.file, "error", err)
		}
		cancel()
	}
}

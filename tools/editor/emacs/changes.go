package emacs

import (
	"context"
	"time"
)

// changeTimeout limits the notification of one Emacs about changed files.
const changeTimeout = 10 * time.Second

// FilesChanged implements adapter.Listener. Emacs reads unchanged buffers again. It does not block; a notification that fails is
// dropped.
func (e *Emacs) FilesChanged(paths []string) { e.changes.Add(paths) }

// sendChanges notifies every connected Emacs of changed files.
func (e *Emacs) sendChanges(paths []string) {
	for _, s := range e.connected() {
		ctx, cancel := context.WithTimeout(e.ctx, changeTimeout)
		if err := s.ask(ctx, "changed", map[string]any{"paths": paths}, nil); err != nil {
			e.options.Log.Debug("notifying Emacs of changed files failed", "server", s.endpoint.file, "error", err)
		}
		cancel()
	}
}

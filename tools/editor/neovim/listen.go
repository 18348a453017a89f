package neovim

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// changeTimeout limits the notification of one Neovim about changed files.
const changeTimeout = 10 * time.Second

// FilesChanged implements adapter.Listener. Neovim reads the buffers again and notifies its language servers. It does not block; a
// notification that fails is dropped.
func (n *Neovim) FilesChanged(paths []string) { n.changes.Add(paths) }

// sendChanges notifies every connected Neovim of changed files.
func (n *Neovim) sendChanges(paths []string) {
	for _, s := range n.connected() {
		if err := n.sendTo(s, paths); err != nil {
			n.options.Log.Debug("notifying Neovim of changed files failed", "address", s.endpoint.address, "error", err)
		}
	}
}

// sendTo notifies one Neovim of the changed files that it covers.
func (n *Neovim) sendTo(s *session, all []string) error {
	var paths, uris []string
	for _, path := range all {
		if n.coverage(s, path) >= 0 {
			paths, uris = append(paths, path), append(uris, lsp.URI(path))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(n.ctx, changeTimeout)
	defer cancel()
	return s.run(ctx, "changed", map[string]any{"paths": paths, "uris": uris}, nil)
}

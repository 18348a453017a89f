package neovim

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp"
)

const changePatience = 10 * time.Second

// FilesChanged has Neovim read buffers again and tell its language servers. What cannot be told soon is not told.
func (n *Neovim) FilesChanged(paths []string) { n.changes.Add(paths) }

// sendChanges tells every Neovim what has changed.
func (n *Neovim) sendChanges(paths []string) {
	for _, s := range n.connected() {
		if err := n.sendTo(s, paths); err != nil {
			n.options.Log.Debug("Neovim was not told of changed files", "address", s.place.address, "error", err)
		}
	}
}

func (n *Neovim) sendTo(s *session, all []string) error {
	var paths, uris []string
	for _, path := range all {
		if n.covers(s, path) >= 0 {
			paths, uris = append(paths, path), append(uris, lsp.URI(path))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(n.ctx, changePatience)
	defer cancel()
	return s.run(ctx, "changed", map[string]any{"paths": paths, "uris": uris}, nil)
}

package neovim

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
)

// Open shows a file in the window that already shows it, or else in the user's current window, and moves the cursor there. If the
// user is in a terminal or another window without a document, the focus stays there. A preview buffer is deleted when another file
// is shown, unless it was used.
func (n *Neovim) Open(ctx context.Context, path string, at *adapter.Position, preview bool) error {
	fail := func(err error) error { return fmt.Errorf("showing %s in Neovim: %w", path, err) }
	sessions, err := n.covering(ctx, path)
	if err != nil {
		return fail(err)
	}
	args := map[string]any{"path": path, "preview": preview}
	if at != nil {
		if args["at"], err = buffer.PointOf(*at); err != nil {
			return fail(err)
		}
	}
	in := sessions[0]
	for i := 0; len(sessions) > 1 && i < len(sessions); i++ { // prefer a Neovim that has the file open
		if _, open, err := sessions[i].document(ctx, path, ""); err == nil && open {
			in = sessions[i]
			break
		}
	}
	if err := in.run(ctx, "open", args, nil); err != nil {
		return fail(err)
	}
	return nil
}

// Active returns the document of the Neovim that was used last: the one in the current window, or in the previous window.
func (n *Neovim) Active(ctx context.Context) (adapter.Active, bool, error) {
	fail := func(err error) (adapter.Active, bool, error) {
		return adapter.Active{}, false, fmt.Errorf("asking Neovim for the active document: %w", err)
	}
	sessions := n.connected()
	if len(sessions) == 0 {
		n.refresh(ctx)
		sessions = n.connected()
	}
	if len(sessions) == 0 {
		return fail(adapter.ErrNotRunning)
	}
	var found struct {
		Buf int `msgpack:"buf"`
		buffer.View
	}
	if err := sessions[0].run(ctx, "active", map[string]any{}, &found); err != nil {
		return fail(err)
	}
	if found.Buf == 0 {
		return adapter.Active{}, false, nil
	}
	active, err := found.Active()
	if err != nil {
		return fail(err)
	}
	return active, true, nil
}

package neovim

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// maxLine bounds the lines and columns that are taken from outside.
const maxLine = 1 << 30

// Open shows a file in the window that has it already, or else in that where the user is, and goes there; but it leaves a user who
// is in no document, such as a terminal, where that is. preview makes a buffer that goes away when another one is shown, unless
// something was done with it.
func (n *Neovim) Open(ctx context.Context, path string, at *adapter.Position, preview bool) error {
	fail := func(err error) error { return fmt.Errorf("showing %s in Neovim: %w", path, err) }
	sessions, err := n.covering(ctx, path)
	if err != nil {
		return fail(err)
	}
	args := map[string]any{"path": path, "preview": preview}
	if at != nil {
		if at.Line < 1 || at.Column < 1 || at.Line > maxLine || at.Column > maxLine {
			return fail(fmt.Errorf("there is no line %d, column %d: both count from 1", at.Line, at.Column))
		}
		args["at"] = []int{at.Line - 1, at.Column - 1}
	}
	in := sessions[0]
	for i := 0; len(sessions) > 1 && i < len(sessions); i++ { // one that has it is better than one that does not
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

// spot is a row and a column, from 0, the column in UTF-16 code units.
type spot []int

var errSpot = errors.New("Neovim answers a position that cannot be")

func (s spot) position() (adapter.Position, error) {
	if len(s) != 2 || s[0] < 0 || s[1] < 0 || s[0] > maxLine || s[1] > maxLine {
		return adapter.Position{}, errSpot
	}
	return adapter.Position{Line: s[0] + 1, Column: s[1] + 1}, nil
}

// Active answers the document in the Neovim that was used last: that of the current window, or of the one before.
func (n *Neovim) Active(ctx context.Context) (adapter.Active, bool, error) {
	fail := func(err error) (adapter.Active, bool, error) {
		return adapter.Active{}, false, fmt.Errorf("asking Neovim for the active document: %w", err)
	}
	sessions := n.connected()
	if len(sessions) == 0 {
		n.lookout.Look(ctx)
		sessions = n.connected()
	}
	if len(sessions) == 0 {
		return fail(adapter.ErrNotRunning)
	}
	var found struct {
		Buf    int    `msgpack:"buf"`
		Path   string `msgpack:"path"`
		Tick   int    `msgpack:"tick"`
		Dirty  bool   `msgpack:"dirty"`
		Cursor spot   `msgpack:"cursor"`
		Start  spot   `msgpack:"start"`
		Stop   spot   `msgpack:"stop"`
	}
	if err := sessions[0].run(ctx, "active", map[string]any{}, &found); err != nil {
		return fail(err)
	}
	if found.Buf == 0 {
		return adapter.Active{}, false, nil
	}
	cursor, err := found.Cursor.position()
	if err != nil {
		return fail(err)
	}
	active := adapter.Active{Version: max(found.Tick, 0), Cursor: cursor, Dirty: found.Dirty}
	if found.Path != "" && presence.IsPath(found.Path) {
		active.Path = filepath.Clean(found.Path)
	}
	if found.Start != nil {
		start, err := found.Start.position()
		if err != nil {
			return fail(err)
		}
		stop, err := found.Stop.position()
		if err != nil || stop.Before(start) {
			return fail(errSpot)
		}
		active.Selection = &adapter.Range{Start: start, End: stop}
	}
	return active, true, nil
}

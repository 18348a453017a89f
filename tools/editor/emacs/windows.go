package emacs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// maxPosition bounds the lines and columns that are taken from outside.
const maxPosition = 1 << 30

// Open shows a file in the window that has it already, or else in that where the user is, and goes there; but it leaves a user who
// types to a program or into the minibuffer where that is. There are no tabs, so preview makes no difference.
func (e *Emacs) Open(ctx context.Context, path string, at *adapter.Position, _ bool) error {
	fail := func(err error) error { return fmt.Errorf("showing %s in Emacs: %w", path, err) }
	sessions, err := e.running(ctx)
	if err != nil {
		return fail(err)
	}
	args := map[string]any{"path": path}
	if at != nil {
		if at.Line < 1 || at.Column < 1 || at.Line > maxPosition || at.Column > maxPosition {
			return fail(fmt.Errorf("there is no line %d, column %d: both count from 1", at.Line, at.Column))
		}
		args["at"] = []int{at.Line - 1, at.Column - 1}
	}
	if len(sessions) > 1 {
		sessions = e.inOrder(ctx, sessions, path)
	}
	var failures []error
	for _, s := range sessions {
		err := s.ask(ctx, "open", args, nil)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
		if !errors.Is(err, adapter.ErrUnsupported) && !errors.Is(err, adapter.ErrNotRunning) {
			break // it may have been done
		}
	}
	return fail(failures[len(failures)-1])
}

// inOrder puts the sessions first that have a file, then those that were used last.
func (e *Emacs) inOrder(ctx context.Context, sessions []*session, path string) []*session {
	idle := map[*session]int{}
	for _, s := range sessions {
		idle[s] = maxPosition
		if found, err := s.active(ctx); err == nil {
			idle[s] = min(max(found.Idle, 0), maxPosition-1)
		}
		if _, open, err := s.document(ctx, path, ""); err == nil && open {
			idle[s] = -1
		}
	}
	return nearest(idle, sessions)
}

// spot is a row and a column, from 0, the column in UTF-16 code units.
type spot []int

var errSpot = errors.New("Emacs answers a position that cannot be")

func (s spot) position() (adapter.Position, error) {
	if len(s) != 2 || s[0] < 0 || s[1] < 0 || s[0] > maxPosition || s[1] > maxPosition {
		return adapter.Position{}, errSpot
	}
	return adapter.Position{Line: s[0] + 1, Column: s[1] + 1}, nil
}

// view is what the user of an Emacs looks at.
type view struct {
	Idle   int    `json:"idle"` // for how many milliseconds nothing was typed
	Open   bool   `json:"open"`
	Path   string `json:"path"`
	Tick   int    `json:"tick"`
	Dirty  bool   `json:"dirty"`
	Cursor spot   `json:"cursor"`
	Start  spot   `json:"start"`
	Stop   spot   `json:"stop"`
}

func (s *session) active(ctx context.Context) (v view, err error) {
	err = s.ask(ctx, "active", struct{}{}, &v)
	return v, err
}

// Active answers the document in the Emacs that was used last: that of the selected window, or of the one before that shows a file.
func (e *Emacs) Active(ctx context.Context) (adapter.Active, bool, error) {
	fail := func(err error) (adapter.Active, bool, error) {
		return adapter.Active{}, false, fmt.Errorf("asking Emacs for the active document: %w", err)
	}
	sessions, err := e.running(ctx)
	if err != nil {
		return fail(err)
	}
	var found *view
	var failure error
	for _, s := range sessions {
		v, err := s.active(ctx)
		if err != nil {
			failure = err
			continue
		}
		if v.Open && (found == nil || v.Idle < found.Idle) {
			found = &v
		}
	}
	switch {
	case found == nil && failure != nil:
		return fail(failure)
	case found == nil:
		return adapter.Active{}, false, nil
	}
	cursor, err := found.Cursor.position()
	if err != nil {
		return fail(err)
	}
	active := adapter.Active{Version: max(found.Tick, 0), Cursor: cursor, Dirty: found.Dirty}
	if path := found.Path; presence.IsPath(path) {
		active.Path = filepath.Clean(path)
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

package emacs

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
)

// maxIdle is the upper limit of idle times, in milliseconds.
const maxIdle = 1 << 30

// Open shows a file in the window that already shows it, or else in the selected window, and selects it. The focus of a user who
// types to a program or in the minibuffer stays there. preview has no effect, because Emacs has no tabs.
func (e *Emacs) Open(ctx context.Context, path string, at *adapter.Position, _ bool) error {
	fail := func(err error) error { return fmt.Errorf("showing %s in Emacs: %w", path, err) }
	sessions, err := e.running(ctx)
	if err != nil {
		return fail(err)
	}
	args := map[string]any{"path": path}
	if at != nil {
		if args["at"], err = buffer.PointOf(*at); err != nil {
			return fail(err)
		}
	}
	if len(sessions) > 1 {
		sessions = e.sortForFile(ctx, sessions, path)
	}
	var failures []error
	for _, s := range sessions {
		err := s.ask(ctx, "open", args, nil)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
		if !errors.Is(err, adapter.ErrUnsupported) && !errors.Is(err, adapter.ErrNotRunning) {
			break // the file may have been opened
		}
	}
	return fail(failures[len(failures)-1])
}

// sortForFile sorts sessions: those that have the file open first, then by last use.
func (e *Emacs) sortForFile(ctx context.Context, sessions []*session, path string) []*session {
	idle := map[*session]int{}
	for _, s := range sessions {
		idle[s] = maxIdle
		if found, err := s.active(ctx); err == nil {
			idle[s] = min(max(found.Idle, 0), maxIdle-1)
		}
		if _, open, err := s.document(ctx, path, ""); err == nil && open {
			idle[s] = -1
		}
	}
	return sortByIdle(idle, sessions)
}

// view is the result of the request "active".
type view struct {
	Idle int  `json:"idle"` // milliseconds since the last input
	Open bool `json:"open"`
	buffer.View
}

// active requests the view of the session's user.
func (s *session) active(ctx context.Context) (v view, err error) {
	err = s.ask(ctx, "active", struct{}{}, &v)
	return v, err
}

// Active returns the document of the Emacs that was used last: the one in the selected window, or in the last window that showed a
// file.
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
	active, err := found.Active()
	if err != nil {
		return fail(err)
	}
	return active, true, nil
}

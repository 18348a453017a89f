package vscode

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Open shows a file in the window that has its folder open.
func (v *VSCode) Open(ctx context.Context, path string, at *adapter.Position, preview bool) error {
	fail := func(err error) error { return fmt.Errorf("showing %s in VS Code: %w", path, err) }
	w, err := v.window(ctx, path)
	if err != nil {
		return fail(err)
	}
	params := struct {
		Path    string    `json:"path"`
		At      *position `json:"at,omitempty"`
		Preview bool      `json:"preview"`
	}{Path: path, Preview: preview}
	if at != nil {
		p, err := toPosition(*at)
		if err != nil {
			return fail(err)
		}
		params.At = &p
	}
	if err := w.call(ctx, "open", params, nil); err != nil {
		return fail(err)
	}
	return nil
}

// Active returns the active document of the window that had the focus last. It returns false if that window shows no document.
func (v *VSCode) Active(ctx context.Context) (adapter.Active, bool, error) {
	fail := func(err error) (adapter.Active, bool, error) {
		return adapter.Active{}, false, fmt.Errorf("requesting the active document from VS Code: %w", err)
	}
	windows := v.connected()
	if len(windows) == 0 {
		v.refresh(ctx)
		windows = v.connected()
	}
	if len(windows) == 0 {
		return fail(adapter.ErrNotRunning)
	}
	var answer struct {
		Active *struct {
			Path      string   `json:"path"`
			Version   int      `json:"version"`
			Cursor    position `json:"cursor"`
			Selection *span    `json:"selection"`
			Dirty     bool     `json:"dirty"`
		} `json:"active"`
	}
	if err := windows[0].call(ctx, "active", struct{}{}, &answer); err != nil {
		return fail(err)
	}
	found := answer.Active
	if found == nil {
		return adapter.Active{}, false, nil
	}
	cursor, err := fromPosition(found.Cursor)
	if err != nil {
		return fail(err)
	}
	active := adapter.Active{Version: max(found.Version, 0), Cursor: cursor, Dirty: found.Dirty}
	if found.Path != "" {
		if active.Path, err = fromPath(found.Path); err != nil {
			return fail(err)
		}
	}
	if found.Selection != nil {
		selection, err := fromSpan(*found.Selection)
		if err != nil {
			return fail(err)
		}
		active.Selection = &selection
	}
	return active, true, nil
}

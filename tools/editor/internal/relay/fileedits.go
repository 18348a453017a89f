package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

const (
	maxItems = 10_000 // files, locations, symbols and diagnostics of an answer
	maxEdits = 20_000 // of one file
	maxName  = 300    // a title, a code, the name of a symbol
)

var errSteps = errors.New("it wants to change a file in several steps, which this program has no means for")

// FileEdits converts a change that a language server wants. The texts of files change first, then the files themselves.
func (t *Texts) FileEdits(ctx context.Context, raw json.RawMessage) ([]adapter.FileEdit, error) {
	var edit lsp.WorkspaceEdit
	if err := json.Unmarshal(raw, &edit); err != nil {
		return nil, fmt.Errorf("it returns a change that cannot be used: %w", err)
	}
	steps := edit.DocumentChanges
	if len(steps) == 0 {
		for _, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
			steps = append(steps, lsp.DocumentChange{TextDocument: &lsp.VersionedDocument{URI: uri}, Edits: edit.Changes[uri]})
		}
	}
	if len(steps) > maxItems {
		return nil, fmt.Errorf("it wants to change more than %d files", maxItems)
	}
	all := make([]adapter.FileEdit, 0, len(steps))
	at := map[string]int{}
	for _, c := range steps {
		e, err := t.fileEdit(ctx, c, at, all)
		if err != nil {
			return nil, err
		}
		if e != nil {
			at[e.Path] = len(all)
			all = append(all, *e)
		}
	}
	slices.SortStableFunc(all, func(a, b adapter.FileEdit) int { return last(a) - last(b) })
	return all, nil
}

func last(e adapter.FileEdit) int {
	if e.Op == adapter.ChangeFile {
		return 0
	}
	return 1
}

// fileEdit converts one step; nil is one that adds to an earlier one, or does nothing. at are the earlier ones by their files.
func (t *Texts) fileEdit(ctx context.Context, c lsp.DocumentChange, at map[string]int, all []adapter.FileEdit) (*adapter.FileEdit, error) {
	if c.Kind == "" && c.TextDocument == nil {
		return nil, errors.New("it wants to change no file")
	}
	named := c.URI
	switch c.Kind {
	case "":
		named = c.TextDocument.URI
	case "rename":
		named = c.OldURI
	}
	path, err := lsp.Path(named)
	if err != nil {
		return nil, fmt.Errorf("it wants to change a path that is no file: %w", err)
	}
	if i, before := at[path]; before {
		if c.Kind == "" && all[i].Op == adapter.CreateFile && len(all[i].Edits) == 0 {
			all[i].Edits, err = t.newFile(c.Edits)
			return nil, err
		}
		return nil, errSteps
	}
	switch c.Kind {
	case "":
		return t.changeFile(ctx, path, c)
	case "create":
		return &adapter.FileEdit{Op: adapter.CreateFile, Path: path}, nil
	case "delete":
		return &adapter.FileEdit{Op: adapter.DeleteFile, Path: path}, nil
	case "rename":
		to, err := lsp.Path(c.NewURI)
		if err != nil {
			return nil, fmt.Errorf("it wants to move a file to a path that is no file: %w", err)
		}
		at[to] = len(all) // nothing is done with it afterwards
		return &adapter.FileEdit{Op: adapter.RenameFile, Path: path, NewPath: to}, nil
	}
	return nil, fmt.Errorf("it wants to %.50q a file", c.Kind)
}

func (t *Texts) changeFile(ctx context.Context, path string, c lsp.DocumentChange) (*adapter.FileEdit, error) {
	edits, err := t.textEdits(ctx, path, c.Edits)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	return &adapter.FileEdit{Path: path, Edits: edits, Version: t.versions[path]}, nil
}

// newFile is the one edit that a new file has.
func (t *Texts) newFile(edits []lsp.TextEdit) ([]adapter.TextEdit, error) {
	content := ""
	for _, e := range edits {
		if e.Range != (lsp.Range{}) {
			return nil, errSteps
		}
		content += e.NewText
	}
	return []adapter.TextEdit{{Range: adapter.Range{Start: adapter.Position{Line: 1, Column: 1}, End: adapter.Position{Line: 1, Column: 1}}, NewText: content}}, nil
}

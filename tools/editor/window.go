package editor

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// OpenFileArgs are the arguments of open_file_in_editor.
type OpenFileArgs struct {
	// Path is relative to the project root, or absolute and inside the project. A missing file is created empty.
	Path string `json:"path"`
	// Line and Column are the cursor position, from 1. Column counts UTF-16 code units.
	Line   int `json:"line,omitempty" jsonschema:"minimum=1"`
	Column int `json:"column,omitempty" jsonschema:"minimum=1"`
	// Preview opens a tab that the next opened file replaces.
	Preview bool `json:"preview,omitempty" jsonschema:"default=false"`
}

// OpenFileResult is the result of open_file_in_editor.
type OpenFileResult struct {
	Success   bool   `json:"success"` // always true; failures are errors
	Path      string `json:"path"`    // as Change.Path
	IsNewFile bool   `json:"isNewFile"`
	Editor    string `json:"editor"`
}

// OpenFile shows a file in the user's editor. It is the tool open_file_in_editor.
func (e *Editor) OpenFile(ctx context.Context, args OpenFileArgs) (OpenFileResult, error) {
	if args.Line < 0 || args.Column < 0 || args.Column > 0 && args.Line == 0 {
		return OpenFileResult{}, invalid("give a line, and if you like a column, from 1", "line %d, column %d is no position", args.Line, args.Column)
	}
	var at *adapter.Position
	if args.Line > 0 {
		at = &adapter.Position{Line: args.Line, Column: max(args.Column, 1)}
	}
	if !hasAdapter[adapter.Windows](e) { // check before a file is created
		return OpenFileResult{}, missingCapability[adapter.Windows](e, codeNotRunning, "open a file", nil, nil)
	}
	release, err := e.lockFile(ctx, args.Path)
	if err != nil {
		return OpenFileResult{}, err
	}
	defer release()
	p, undo, err := e.locateOrCreate(ctx, args.Path)
	if err != nil {
		return OpenFileResult{}, err
	}
	by, err := e.openInEditor(ctx, p, at, args.Preview)
	if err != nil {
		if undo != nil {
			err = errors.Join(err, undo(context.WithoutCancel(ctx)))
		}
		return OpenFileResult{}, err
	}
	return OpenFileResult{true, p.path, undo != nil, by}, nil
}

// locateOrCreate returns a file, and if it was created, a function that removes it.
func (e *Editor) locateOrCreate(ctx context.Context, path string) (projectFile, func(context.Context) error, error) {
	p, err := e.locate(ctx, path)
	if !hasCode(err, security.FileNotFound) {
		return p, nil, err
	}
	made, making := e.root.Write(ctx, path, nil, security.WriteOptions{})
	if making != nil {
		return projectFile{}, nil, making
	}
	return e.fileAt(made.Location), func(ctx context.Context) error {
		_, err := e.root.Trash(ctx, made.Path, security.TrashOptions{ExpectedSHA256: made.SHA256})
		return err
	}, nil
}

// openInEditor opens a file in the first suitable editor.
func (e *Editor) openInEditor(ctx context.Context, p projectFile, at *adapter.Position, preview bool) (by string, err error) {
	for a, windows := range adaptersWith[adapter.Windows](e, &p) {
		_, err := callAdapter(ctx, a, e.options.ToolTimeout, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, windows.Open(ctx, p.abs, at, preview)
		})
		switch {
		case isUnsupported(err):
			continue
		case err != nil:
			return "", failed(string(security.InternalError), "opening "+quote(p.path), err)
		}
		return a.Name(), nil
	}
	return "", missingCapability[adapter.Windows](e, codeNotRunning, "open "+quote(p.path), &p, nil)
}

// ActiveFileArgs are the arguments of get_active_file: none.
type ActiveFileArgs struct{}

// ActiveFileResult is the result of get_active_file. Path, CursorPosition and Selection are null if no file of the project is
// active.
type ActiveFileResult struct {
	Path           *string           `json:"path"`
	CursorPosition *adapter.Position `json:"cursorPosition"` // the column counts UTF-16 code units
	Selection      *adapter.Range    `json:"selection"`      // null if nothing is selected
	IsDirty        bool              `json:"isDirty"`        // has unsaved changes
	Editor         string            `json:"editor"`
	// Note says why Path is null.
	Note string `json:"note,omitempty"`
}

// ActiveFile returns the active file of the user's editor. It is the tool get_active_file.
func (e *Editor) ActiveFile(ctx context.Context, _ ActiveFileArgs) (ActiveFileResult, error) {
	found, err := e.active(ctx)
	if err != nil {
		return ActiveFileResult{}, err
	}
	r := ActiveFileResult{Editor: found.Name(), Note: found.note}
	if found.projectFile != nil {
		r.Path, r.CursorPosition, r.Selection, r.IsDirty = &found.path, &found.Cursor, found.Selection, found.Dirty
	}
	return r, nil
}

// activeFile is the active document of an editor.
type activeFile struct {
	adapter.Adapter
	adapter.Windows
	adapter.Active
	*projectFile        // nil if it is not in the project
	note         string // reason
}

// active returns the active document of the first editor whose active document is in the project.
func (e *Editor) active(ctx context.Context) (activeFile, error) {
	var first *activeFile
	var failure error
	for a, windows := range adaptersWith[adapter.Windows](e, nil) {
		found := activeFile{Adapter: a, Windows: windows}
		ok := false
		active, err := retryAdapter(ctx, e, a, e.options.ToolTimeout, func(ctx context.Context) (active adapter.Active, err error) {
			active, ok, err = windows.Active(ctx)
			return active, err
		})
		if err != nil {
			if !isUnsupported(err) {
				failure = err
			}
			continue
		}
		switch p, err := e.locateAdapterPath(ctx, active.Path); {
		case !ok:
			found.note = "no document is open in front"
		case active.Path == "":
			found.note = "the document in front has no file yet"
		case err != nil:
			found.note = "the document in front is not a file of the project that tools may see"
		default:
			found.projectFile, found.Active = &p, active
			found.Cursor = normalizeRange(adapter.Range{Start: active.Cursor}).Start
			if active.Selection != nil {
				found.Selection = new(normalizeRange(*active.Selection))
			}
			return found, nil
		}
		if first == nil {
			first = &found
		}
	}
	switch {
	case first != nil:
		return *first, nil
	case failure != nil:
		return activeFile{}, failed(string(security.InternalError), "asking for the active file", failure)
	}
	return activeFile{}, missingCapability[adapter.Windows](e, codeNotRunning, "tell the active file", nil, nil)
}

// TextContent returns the result as text for a model.
func (r OpenFileResult) TextContent() string {
	made := ""
	if r.IsNewFile {
		made = " (made, it is empty)"
	}
	return fmt.Sprintf("[%s%s is open in %s]", r.Path, made, r.Editor)
}

// TextContent returns the result as text for a model.
func (r ActiveFileResult) TextContent() string {
	if r.Path == nil {
		return fmt.Sprintf("[%s: %s]", r.Editor, r.Note)
	}
	text := fmt.Sprintf("[%s in %s, cursor at %d:%d", *r.Path, r.Editor, r.CursorPosition.Line, r.CursorPosition.Column)
	if s := r.Selection; s != nil {
		text += fmt.Sprintf(", selected %d:%d to %d:%d", s.Start.Line, s.Start.Column, s.End.Line, s.End.Column)
	}
	if r.IsDirty {
		text += ", not saved"
	}
	return text + "]"
}

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
	// Path is relative to the project root, or absolute and inside the project. A file that is not there is made, empty.
	Path string `json:"path"`
	// Line and Column are where the cursor goes, from 1; the column counts UTF-16 code units.
	Line   int `json:"line,omitempty" jsonschema:"minimum=1"`
	Column int `json:"column,omitempty" jsonschema:"minimum=1"`
	// Preview opens it in a tab that the next file replaces.
	Preview bool `json:"preview,omitempty" jsonschema:"default=false"`
}

// OpenFileResult is what open_file_in_editor answers.
type OpenFileResult struct {
	Success   bool   `json:"success"` // always true: what failed is an error
	Path      string `json:"path"`    // as Change.Path
	IsNewFile bool   `json:"isNewFile"`
	Editor    string `json:"editor"`
}

// OpenFile is open_file_in_editor.
func (e *Editor) OpenFile(ctx context.Context, args OpenFileArgs) (OpenFileResult, error) {
	if args.Line < 0 || args.Column < 0 || args.Column > 0 && args.Line == 0 {
		return OpenFileResult{}, invalid("give a line, and if you like a column, from 1", "line %d, column %d is no position", args.Line, args.Column)
	}
	var at *adapter.Position
	if args.Line > 0 {
		at = &adapter.Position{Line: args.Line, Column: max(args.Column, 1)}
	}
	if !has[adapter.Windows](e) { // before a file is made for nothing
		return OpenFileResult{}, missing[adapter.Windows](e, codeNotRunning, "open a file", nil, nil)
	}
	release, err := e.take(ctx, args.Path)
	if err != nil {
		return OpenFileResult{}, err
	}
	defer release()
	p, undo, err := e.locateOrMake(ctx, args.Path)
	if err != nil {
		return OpenFileResult{}, err
	}
	by, err := e.show(ctx, p, at, args.Preview)
	if err != nil {
		if undo != nil {
			err = errors.Join(err, undo(context.WithoutCancel(ctx)))
		}
		return OpenFileResult{}, err
	}
	return OpenFileResult{true, p.path, undo != nil, by}, nil
}

// locateOrMake finds a file, or makes it and answers how to take that back.
func (e *Editor) locateOrMake(ctx context.Context, path string) (place, func(context.Context) error, error) {
	p, err := e.locate(ctx, path)
	if !hasCode(err, security.FileNotFound) {
		return p, nil, err
	}
	made, making := e.root.Write(ctx, path, nil, security.WriteOptions{})
	if making != nil {
		return place{}, nil, making
	}
	return e.placeOf(made.Location), func(ctx context.Context) error {
		_, err := e.root.Trash(ctx, made.Path, security.TrashOptions{ExpectedSHA256: made.SHA256})
		return err
	}, nil
}

// show has the first editor that can show a file.
func (e *Editor) show(ctx context.Context, p place, at *adapter.Position, preview bool) (by string, err error) {
	for a, windows := range able[adapter.Windows](e, &p) {
		_, err := ask(ctx, a, e.options.ToolPatience, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, windows.Open(ctx, p.abs, at, preview)
		})
		switch {
		case passes(err):
			continue
		case err != nil:
			return "", failed(string(security.InternalError), "opening "+quote(p.path), err)
		}
		return a.Name(), nil
	}
	return "", missing[adapter.Windows](e, codeNotRunning, "open "+quote(p.path), &p, nil)
}

// ActiveFileArgs are the arguments of get_active_file: none.
type ActiveFileArgs struct{}

// ActiveFileResult is what get_active_file answers. All but IsDirty is null if the user looks at no file of the project.
type ActiveFileResult struct {
	Path           *string           `json:"path"`
	CursorPosition *adapter.Position `json:"cursorPosition"` // the column counts UTF-16 code units
	Selection      *adapter.Range    `json:"selection"`      // null if nothing is selected
	IsDirty        bool              `json:"isDirty"`        // it has changes that are not saved
	Editor         string            `json:"editor"`
	// Note says why there is no path.
	Note string `json:"note,omitempty"`
}

// ActiveFile is get_active_file.
func (e *Editor) ActiveFile(ctx context.Context, _ ActiveFileArgs) (ActiveFileResult, error) {
	found, err := e.active(ctx)
	if err != nil {
		return ActiveFileResult{}, err
	}
	r := ActiveFileResult{Editor: found.Name(), Note: found.note}
	if found.place != nil {
		r.Path, r.CursorPosition, r.Selection, r.IsDirty = &found.path, &found.Cursor, found.Selection, found.Dirty
	}
	return r, nil
}

// activeFile is the document that the user looks at.
type activeFile struct {
	adapter.Adapter
	adapter.Windows
	adapter.Active
	*place        // nil if it is none of the project
	note   string // why
}

// active asks the editors what the user looks at: the first that has a document of the project counts.
func (e *Editor) active(ctx context.Context) (activeFile, error) {
	var first *activeFile
	var failure error
	for a, windows := range able[adapter.Windows](e, nil) {
		found := activeFile{Adapter: a, Windows: windows}
		ok := false
		active, err := askAgain(ctx, e, a, e.options.ToolPatience, func(ctx context.Context) (active adapter.Active, err error) {
			active, ok, err = windows.Active(ctx)
			return active, err
		})
		if err != nil {
			if !passes(err) {
				failure = err
			}
			continue
		}
		switch p, err := e.foreign(ctx, active.Path); {
		case !ok:
			found.note = "no document is open in front"
		case active.Path == "":
			found.note = "the document in front has no file yet"
		case err != nil:
			found.note = "the document in front is not a file of the project that tools may see"
		default:
			found.place, found.Active = &p, active
			found.Cursor = orderly(adapter.Range{Start: active.Cursor}).Start
			if active.Selection != nil {
				found.Selection = new(orderly(*active.Selection))
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
	return activeFile{}, missing[adapter.Windows](e, codeNotRunning, "tell the active file", nil, nil)
}

// TextContent is what a model reads.
func (r OpenFileResult) TextContent() string {
	made := ""
	if r.IsNewFile {
		made = " (made, it is empty)"
	}
	return fmt.Sprintf("[%s%s is open in %s]", r.Path, made, r.Editor)
}

// TextContent is what a model reads.
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

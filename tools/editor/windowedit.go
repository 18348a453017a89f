package editor

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// InsertTextArgs are the arguments of insert_text.
type InsertTextArgs struct {
	Text string `json:"text"`
	// Position is the position in the active document. The default is the cursor.
	Position *adapter.Position `json:"position,omitempty" jsonschema:"description=Default: the cursor"`
	// ExpectedSHA256 is the digest that the document must have. Another one is refused with STALE_FILE.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// ReplaceTextArgs are the arguments of replace_text.
type ReplaceTextArgs struct {
	Text string `json:"text"`
	// Range is the range of the active document to replace.
	Range adapter.Range `json:"range"`
	// ExpectedSHA256 is the digest that the document must have. Another one is refused with STALE_FILE.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// EditTextResult is the result of insert_text and replace_text.
type EditTextResult struct {
	Success bool `json:"success"` // always true; failures are errors
	// NewCursorPosition is the cursor position after the inserted text.
	NewCursorPosition adapter.Position `json:"newCursorPosition"`
	// LinesAffected is the number of lines of the inserted text.
	LinesAffected int `json:"linesAffected"`
	Change
	Feedback
}

// InsertText inserts text into the active document. It is the tool insert_text.
func (e *Editor) InsertText(ctx context.Context, args InsertTextArgs) (EditTextResult, error) {
	var at *adapter.Range
	if args.Position != nil {
		at = &adapter.Range{Start: *args.Position, End: *args.Position}
	}
	return e.editActive(ctx, at, args.Text, args.ExpectedSHA256)
}

// ReplaceText replaces a range of the active document. It is the tool replace_text.
func (e *Editor) ReplaceText(ctx context.Context, args ReplaceTextArgs) (EditTextResult, error) {
	if args.Range.End.Before(args.Range.Start) {
		return EditTextResult{}, invalid("give a range whose end is not before its start", "the range ends before it begins")
	}
	return e.editActive(ctx, &args.Range, args.Text, args.ExpectedSHA256)
}

// editActive replaces a range of the active document. A nil range is the cursor.
func (e *Editor) editActive(ctx context.Context, at *adapter.Range, text, expected string) (EditTextResult, error) {
	found, err := e.active(ctx)
	if err != nil {
		return EditTextResult{}, err
	}
	if found.projectFile == nil {
		return EditTextResult{}, &security.Error{Code: security.FileNotFound, Message: "There is nothing to edit: " + found.note + ".", Next: "Open a file with open_file_in_editor."}
	}
	var cursor adapter.Position
	r := request{path: found.path, expected: expected}
	r.edits = func(d *document, _ int) ([]textfile.Edit, error) {
		if d.buffer == nil || d.buffer.Name() != found.Name() {
			return nil, notOpen(found)
		}
		where := at
		if where == nil {
			if d.buffer.version != found.Version { // the cursor may have moved with the text
				return nil, &security.Error{Code: security.StaleFile, AttemptedPath: d.path, Message: quote(d.path) + " is being edited.", Next: "Call again, or give a position."}
			}
			where = &adapter.Range{Start: found.Cursor, End: found.Cursor}
		}
		edits, err := d.editAt(*where, text)
		if err == nil {
			cursor = adapter.NewText(textfile.Splice(d.text.Content, edits)).Position(edits[0].Start + len(edits[0].New))
		}
		return edits, err
	}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return EditTextResult{}, err
	}
	// The cursor moves after the text, as the result says.
	if _, err := callAdapter(ctx, found.Adapter, e.options.ToolTimeout, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, found.Open(ctx, found.abs, &cursor, false)
	}); err != nil {
		feedback.Notes = append(feedback.Notes, "the cursor could not be moved")
	}
	lines := adapter.NewText(text).Lines()
	return EditTextResult{true, cursor, lines, p.changeResult(maxDiff), feedback}, nil
}

// editAt returns an edit of a range. A range outside of the document is an error.
func (d *document) editAt(r adapter.Range, text string) ([]textfile.Edit, error) {
	edits, err := d.byteEdits([]adapter.TextEdit{{Range: r, NewText: text}})
	if err != nil {
		return nil, problem(codeBadRange, "Give a position that the document has, from line 1, column 1.", "%s: %v", quote(d.path), err)
	}
	return edits, nil
}

func notOpen(found activeFile) error {
	return problem(codeNotRunning, "Change the file with insert_code, or open it with open_file_in_editor.", "%s shows %s, but its document cannot be edited: it is not held as text, or differs from the file on the disk", found.Name(), quote(found.path))
}

// TextContent returns the result as text for a model.
func (r EditTextResult) TextContent() string {
	did := fmt.Sprintf("edited %s, cursor at %d:%d", plural.Count(r.LinesAffected, "line"), r.NewCursorPosition.Line, r.NewCursorPosition.Column)
	return r.Change.text(did) + r.Feedback.text()
}

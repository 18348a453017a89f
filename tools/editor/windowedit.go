package editor

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// InsertTextArgs are the arguments of insert_text.
type InsertTextArgs struct {
	Text string `json:"text"`
	// Position is where the text goes in the active document; the default is the cursor.
	Position *adapter.Position `json:"position,omitempty" jsonschema:"description=Default: the cursor"`
	// ExpectedSHA256 is the digest that the document must have; else it is STALE_FILE.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// ReplaceTextArgs are the arguments of replace_text.
type ReplaceTextArgs struct {
	Text string `json:"text"`
	// Range is what is replaced in the active document.
	Range adapter.Range `json:"range"`
	// ExpectedSHA256 is the digest that the document must have; else it is STALE_FILE.
	ExpectedSHA256 string `json:"expectedSha256,omitempty"`
}

// EditTextResult is what insert_text and replace_text answer.
type EditTextResult struct {
	Success bool `json:"success"` // always true: what failed is an error
	// NewCursorPosition is behind the text, where the cursor is now.
	NewCursorPosition adapter.Position `json:"newCursorPosition"`
	// LinesAffected is how many lines the text is in.
	LinesAffected int `json:"linesAffected"`
	Change
	Feedback
}

// InsertText is insert_text.
func (e *Editor) InsertText(ctx context.Context, args InsertTextArgs) (EditTextResult, error) {
	var at *adapter.Range
	if args.Position != nil {
		at = &adapter.Range{Start: *args.Position, End: *args.Position}
	}
	return e.editActive(ctx, at, args.Text, args.ExpectedSHA256)
}

// ReplaceText is replace_text.
func (e *Editor) ReplaceText(ctx context.Context, args ReplaceTextArgs) (EditTextResult, error) {
	if args.Range.End.Before(args.Range.Start) {
		return EditTextResult{}, invalid("give a range whose end is not before its start", "the range ends before it begins")
	}
	return e.editActive(ctx, &args.Range, args.Text, args.ExpectedSHA256)
}

// editActive replaces a stretch of the document that the user looks at; nil is the cursor.
func (e *Editor) editActive(ctx context.Context, at *adapter.Range, text, expected string) (EditTextResult, error) {
	found, err := e.active(ctx)
	if err != nil {
		return EditTextResult{}, err
	}
	if found.place == nil {
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
		edits, err := d.exactly(*where, text)
		if err == nil {
			cursor = adapter.NewText(textfile.Splice(d.text.Content, edits)).Position(edits[0].Start + len(edits[0].New))
		}
		return edits, err
	}
	p, feedback, err := e.change(ctx, r)
	if err != nil {
		return EditTextResult{}, err
	}
	// The cursor goes behind the text, as the answer says.
	if _, err := ask(ctx, found.Adapter, e.options.ToolPatience, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, found.Open(ctx, found.abs, &cursor, false)
	}); err != nil {
		feedback.Notes = append(feedback.Notes, "the cursor could not be moved")
	}
	lines := adapter.NewText(text).Lines()
	return EditTextResult{true, cursor, lines, p.shows(mostDiff), feedback}, nil
}

// exactly is an edit at a position that the document must have.
func (d *document) exactly(r adapter.Range, text string) ([]textfile.Edit, error) {
	edits, err := d.splices([]adapter.TextEdit{{Range: r, NewText: text}})
	if err != nil {
		return nil, problem(codeBadRange, "Give a position that the document has, from line 1, column 1.", "%s: %v", quote(d.path), err)
	}
	return edits, nil
}

func notOpen(found activeFile) error {
	return problem(codeNotRunning, "Change the file with insert_code, or open it with open_file_in_editor.", "%s shows %s, but its document cannot be edited: it is not held as text, or differs from the file on the disk", found.Name(), quote(found.path))
}

// TextContent is what a model reads.
func (r EditTextResult) TextContent() string {
	did := fmt.Sprintf("edited %s, cursor at %d:%d", count(r.LinesAffected, "line"), r.NewCursorPosition.Line, r.NewCursorPosition.Column)
	return r.Change.text(did) + r.Feedback.text()
}

package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// maxFile is how long a file may be that is read only to count its columns.
const maxFile = 16 << 20

// Encoded is a position as a language server counts.
func Encoded(text *adapter.Text, p adapter.Position, encoding string) lsp.Position {
	row := max(p.Line-1, 0)
	line := text.Line(p.Line)
	at := within16(line, p.Column-1)
	switch encoding {
	case "utf-8":
		return lsp.Position{Line: uint32(row), Character: uint32(at)}
	case "utf-32":
		return lsp.Position{Line: uint32(row), Character: uint32(utf8.RuneCountInString(line[:at]))}
	}
	return lsp.Position{Line: uint32(row), Character: uint32(max(p.Column-1, 0))}
}

// EncodedRange is a range as a language server counts.
func EncodedRange(text *adapter.Text, r adapter.Range, encoding string) lsp.Range {
	return lsp.Range{Start: Encoded(text, r.Start, encoding), End: Encoded(text, r.End, encoding)}
}

// within16 is how many bytes so many UTF-16 code units of a line are.
func within16(line string, units int) int {
	for i, r := range line {
		if units -= utf16.RuneLen(r); units < 0 {
			return i
		}
	}
	return len(line)
}

// Columns16 is how many UTF-16 code units so many columns of a line are, as a language server counts.
func Columns16(line string, columns int, encoding string) int {
	units := 0
	for i, r := range line {
		switch {
		case encoding == "utf-8" && i+utf8.RuneLen(r) > columns:
			return units
		case encoding == "utf-32":
			if columns--; columns < 0 {
				return units
			}
		}
		units += utf16.RuneLen(r)
	}
	return units
}

// Texts reads and caches the texts of the files in an answer of a language server, to convert its positions. It is for one answer
// and not safe for concurrent use.
type Texts struct {
	editor   Editor
	encoding string                   // position encoding of the server
	known    map[string]*adapter.Text // by path
	versions map[string]int           // versions of the documents that the editor has open, by path
}

// NewTexts returns the texts of an editor, for a server with a position encoding.
func NewTexts(e Editor, encoding string) *Texts {
	return &Texts{e, encoding, map[string]*adapter.Text{}, map[string]int{}}
}

// Texts returns the texts for positions of a server.
func (s *Subject) Texts(server Server) *Texts {
	t := NewTexts(s.Editor, server.Encoding)
	t.known[s.Doc.Path], t.versions[s.Doc.Path] = s.Text, s.Doc.Version
	return t
}

var errNoText = errors.New("it is not a UTF-8 text file, or it is too large")

// Text returns the text of a file: that of the editor if the file is open there, otherwise that of the disk.
func (t *Texts) Text(ctx context.Context, path string) (*adapter.Text, error) {
	if text, ok := t.known[path]; ok {
		return text, nil
	}
	d, open, err := t.editor.Read(ctx, path, "")
	if err != nil {
		return nil, fmt.Errorf("reading %s in the editor: %w", path, err)
	}
	content := d.Text
	if open {
		t.versions[path] = d.Version
	} else if content, err = readFile(path); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	text := adapter.NewText(content)
	t.known[path] = text
	return text, nil
}

// readFile reads a text file. It opens regular files only, not devices.
func readFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", errNoText
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) {
		return "", errNoText
	}
	return string(raw), nil
}

// position is one of a file as this program counts. Where a file cannot be read its columns are taken as they are.
func (t *Texts) position(ctx context.Context, path string, p lsp.Position) adapter.Position {
	row, column := int(min(p.Line, maxLine)), int(min(p.Character, maxLine))
	if t.encoding == "utf-8" || t.encoding == "utf-32" {
		if text, err := t.Text(ctx, path); err == nil {
			column = Columns16(text.Line(row+1), column, t.encoding)
		}
	}
	return adapter.Position{Line: row + 1, Column: column + 1}
}

func (t *Texts) rangeOf(ctx context.Context, path string, r lsp.Range) adapter.Range {
	out := adapter.Range{Start: t.position(ctx, path, r.Start), End: t.position(ctx, path, r.End)}
	if out.End.Before(out.Start) {
		out.End = out.Start
	}
	return out
}

// textEdits are edits of a file that is read. An end behind the text is the end of the text, by which servers mean all of it; all
// else must be right.
func (t *Texts) textEdits(ctx context.Context, path string, edits []lsp.TextEdit) ([]adapter.TextEdit, error) {
	text, err := t.Text(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(edits) > maxEdits {
		return nil, fmt.Errorf("there are more than %d edits of %s", maxEdits, path)
	}
	out := make([]adapter.TextEdit, len(edits))
	last := text.Lines()
	for i, e := range edits {
		r := adapter.Range{Start: t.position(ctx, path, e.Range.Start), End: t.position(ctx, path, e.Range.End)}
		if r.End.Line > last {
			r.End = text.Position(1 << 30)
			if r.Start.Line == last+1 && r.Start.Column == 1 {
				r.Start = r.End
			}
		}
		out[i] = adapter.TextEdit{Range: r, NewText: e.NewText}
	}
	if _, err := text.Splices(out); err != nil {
		return nil, fmt.Errorf("the edits of %s do not fit: %w", path, err)
	}
	return out, nil
}

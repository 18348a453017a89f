package headless

import (
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/lsp"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// maxPosition is the upper limit of lines and columns that a server sends. It prevents overflows.
const maxPosition = 1 << 30

func position(p lsp.Position) adapter.Position {
	return adapter.Position{Line: int(min(p.Line, maxPosition)) + 1, Column: int(min(p.Character, maxPosition)) + 1}
}

func protocolPosition(p adapter.Position) lsp.Position {
	return lsp.Position{Line: uint32(max(min(p.Line, maxPosition)-1, 0)), Character: uint32(max(min(p.Column, maxPosition)-1, 0))}
}

func rangeOf(r lsp.Range) adapter.Range {
	return adapter.Range{Start: position(r.Start), End: position(r.End)}
}

func protocolRange(r adapter.Range) lsp.Range {
	return lsp.Range{Start: protocolPosition(r.Start), End: protocolPosition(r.End)}
}

// clamp returns the nearest position that the text has.
func clamp(text *adapter.Text, p adapter.Position) adapter.Position {
	if offset, err := text.Offset(p); err == nil {
		return text.Position(offset)
	}
	return text.Position(1 << 62 >> 1) // after the end
}

func clampRange(text *adapter.Text, r adapter.Range) adapter.Range {
	r = adapter.Range{Start: clamp(text, r.Start), End: clamp(text, r.End)}
	if r.End.Before(r.Start) {
		r.End = r.Start
	}
	return r
}

// maxMessage is the upper limit of a diagnostic's text, in bytes.
const maxMessage = 4 << 10

func bound(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// diagnosticRef is the value of Diagnostic.Ref. It keeps the original diagnostic, which the server needs to offer fixes.
type diagnosticRef struct {
	instance *instance
	original lsp.Diagnostic
}

// diagnostics converts the diagnostics of one file. Ranges are clamped to text, unless it is nil.
func (i *instance) diagnostics(path string, items []lsp.Diagnostic, text *adapter.Text) []adapter.Diagnostic {
	all := make([]adapter.Diagnostic, len(items))
	for n, d := range items {
		r := rangeOf(d.Range)
		if text != nil {
			r = clampRange(text, r)
		}
		source := d.Source
		if source == "" {
			source = i.server.Name
		}
		all[n] = adapter.Diagnostic{Path: path, Range: r, Severity: adapter.SeverityOf(d.Severity), Message: bound(d.Message), Code: bound(d.Code), Source: bound(source), Ref: &diagnosticRef{i, d}}
	}
	return all
}

// textEdits converts edits and checks that they fit text. A range may end after the last line: servers write that for the end of
// the text. Any other invalid range is an error.
func textEdits(text string, edits []lsp.TextEdit) ([]adapter.TextEdit, error) {
	lines := adapter.NewText(text)
	last := lines.Lines()
	all := make([]adapter.TextEdit, len(edits))
	for n, e := range edits {
		r := rangeOf(e.Range)
		if r.End.Line > last {
			r.End = lines.Position(len(text))
			if r.Start.Line > last && r.Start.Column == 1 && r.Start.Line == last+1 {
				r.Start = r.End
			}
		}
		all[n] = adapter.TextEdit{Range: r, NewText: e.NewText}
	}
	_, err := lines.Splices(all)
	return all, err
}

// difference returns line edits that turn old into new.
func difference(old, new string) []adapter.TextEdit {
	if old == new {
		return nil
	}
	a, b := splitLines(old), splitLines(new)
	offsets := make([]int, len(a)+1)
	for n, line := range a {
		offsets[n+1] = offsets[n] + len(line)
	}
	lines := adapter.NewText(old)
	var edits []adapter.TextEdit
	for _, s := range textdiff.Compare(a, b) {
		r := adapter.Range{Start: lines.Position(offsets[s.A0]), End: lines.Position(offsets[s.A1])}
		edits = append(edits, adapter.TextEdit{Range: r, NewText: strings.Join(b[s.B0:s.B1], "")})
	}
	return edits
}

func splitLines(s string) []string { return strings.SplitAfter(s, "\n") }

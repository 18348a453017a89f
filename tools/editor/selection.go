package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Selection is a part of a file: complete lines, a range of columns, or a text within the lines.
type Selection struct {
	// Path is relative to the project root, or absolute and inside the project.
	Path string `json:"path"`
	// StartLine and EndLine are the first and the last line, from 1. EndLine 0 is StartLine.
	StartLine int `json:"startLine" jsonschema:"minimum=1"`
	EndLine   int `json:"endLine,omitempty" jsonschema:"minimum=1"`
	// StartColumn is the column of the first character, and EndColumn the column after the last one. Both count UTF-16 code
	// units from 1. 0 is the start or the end of the line without white space. StartColumn alone, in one line, is a position.
	StartColumn int `json:"startColumn,omitempty" jsonschema:"minimum=1"`
	EndColumn   int `json:"endColumn,omitempty" jsonschema:"minimum=1"`
	// Code is the exact text of the selection, instead of columns. It must occur once in the lines.
	Code string `json:"code,omitempty" jsonschema:"description=The exact text in these lines\\, instead of columns"`
}

// adapterRange returns the range of the selection in a document. White space at both ends is left out where no column is given.
func (s Selection) adapterRange(d *document) (adapter.Range, error) {
	if s.EndLine == 0 {
		s.EndLine = s.StartLine
	}
	switch {
	case s.StartLine < 1 || s.EndLine < s.StartLine || s.StartColumn < 0 || s.EndColumn < 0:
		return adapter.Range{}, invalid("give a startLine from 1, and an endLine of at least startLine", "lines %d to %d are not a range", s.StartLine, s.EndLine)
	case s.Code != "" && (s.StartColumn > 0 || s.EndColumn > 0):
		return adapter.Range{}, invalid("leave one of them out", "code and columns are both given")
	}
	text := adapter.NewText(d.text.Content)
	if s.EndLine > text.Lines() {
		return adapter.Range{}, problem(codeBadRange, "Give lines up to "+number(text.Lines())+".", "%s has %s", quote(d.path), plural.Count(text.Lines(), "line"))
	}
	start, _ := text.Offset(adapter.Position{Line: s.StartLine, Column: 1})
	end, _ := text.Offset(adapter.Position{Line: s.EndLine, Column: 1 << 30})
	if s.Code != "" {
		return s.find(d, text, start, end)
	}
	first, _ := text.Offset(adapter.Position{Line: s.StartLine, Column: max(s.StartColumn, 1)})
	last := end
	if s.EndColumn > 0 {
		last, _ = text.Offset(adapter.Position{Line: s.EndLine, Column: s.EndColumn})
	} else if s.StartColumn > 0 && s.EndLine == s.StartLine {
		last = first // a position
	}
	if last < first {
		return adapter.Range{}, problem(codeBadRange, "Give an end that is not before the start.", "column %d of line %d is before column %d", s.EndColumn, s.EndLine, s.StartColumn)
	}
	for first < last && s.StartColumn == 0 {
		r, size := utf8.DecodeRuneInString(d.text.Content[first:last])
		if !unicode.IsSpace(r) {
			break
		}
		first += size
	}
	for last > first && s.EndColumn == 0 {
		r, size := utf8.DecodeLastRuneInString(d.text.Content[first:last])
		if !unicode.IsSpace(r) {
			break
		}
		last -= size
	}
	return adapter.Range{Start: text.Position(first), End: text.Position(last)}, nil
}

// find returns the range of Code between two byte offsets. LF in Code also matches CRLF.
func (s Selection) find(d *document, text *adapter.Text, start, end int) (adapter.Range, error) {
	within := d.text.Content[start:end]
	code := s.Code
	if !strings.Contains(within, code) {
		code = strings.ReplaceAll(code, "\n", "\r\n")
	}
	switch strings.Count(within, code) {
	case 0:
		return adapter.Range{}, problem(codeNoMatch, "Read the lines, and copy the code from them exactly.", "lines %d to %d of %s do not contain this code", s.StartLine, s.EndLine, quote(d.path))
	case 1:
		at := start + strings.Index(within, code)
		return adapter.Range{Start: text.Position(at), End: text.Position(at + len(code))}, nil
	}
	return adapter.Range{}, problem(codeCountMismatch, "Give more of the code, fewer lines, or columns.", "lines %d to %d of %s contain this code %d times", s.StartLine, s.EndLine, quote(d.path), strings.Count(within, code))
}

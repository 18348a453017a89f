package adapter

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Text knows where the positions of a text are. It does not copy the text. Lines end at LF, CRLF or a lone CR, as in the
// Language Server Protocol.
type Text struct {
	content string
	starts  []int // of the lines
}

// NewText finds the lines of a text.
func NewText(content string) *Text {
	return &Text{content, textfile.LineStarts(content)}
}

// Lines is the number of lines. The end of a text whose last line is ended is a line, too.
func (t *Text) Lines() int { return len(t.starts) }

// Line answers a line by its number, from 1, without its end, and "" if there is none.
func (t *Text) Line(n int) string {
	if n < 1 || n > len(t.starts) {
		return ""
	}
	end := len(t.content)
	if n < len(t.starts) {
		end = t.starts[n]
	}
	return strings.TrimRight(t.content[t.starts[n-1]:end], "\r\n")
}

// RangeError is a position that a text does not have.
type RangeError struct {
	Position Position
	Lines    int // that the text has
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("there is no line %d, column %d in a text of %d lines", e.Position.Line, e.Position.Column, e.Lines)
}

// Offset answers how many bytes are before a position. A column behind the end of its line is that end, as the Language
// Server Protocol has it, and one within a character is the beginning of the character. A line that is not there is a
// *RangeError; only the line behind the last one, at column 1, is the end of the text.
func (t *Text) Offset(p Position) (int, error) {
	if p.Line == len(t.starts)+1 && p.Column == 1 {
		return len(t.content), nil
	}
	if p.Line < 1 || p.Line > len(t.starts) || p.Column < 1 {
		return 0, &RangeError{p, len(t.starts)}
	}
	line, units := t.Line(p.Line), p.Column-1
	for i, r := range line {
		if units -= utf16.RuneLen(r); units < 0 {
			return t.starts[p.Line-1] + i, nil
		}
	}
	return t.starts[p.Line-1] + len(line), nil
}

// Position answers where a byte offset is. One outside of the text is that of its beginning or end.
func (t *Text) Position(offset int) Position {
	offset = min(max(offset, 0), len(t.content))
	line, found := slices.BinarySearch(t.starts, offset)
	if !found {
		line--
	}
	p := Position{Line: line + 1, Column: 1}
	for i := t.starts[line]; i < offset; {
		r, size := utf8.DecodeRuneInString(t.content[i:])
		i += size
		p.Column += utf16.RuneLen(r)
	}
	return p
}

// Splice is a TextEdit in bytes: it replaces text[Start:End].
type Splice struct {
	Start, End int
	New        string
}

// Splices converts edits to byte offsets, sorted. Overlapping edits are an error. Insertions at the same position keep their
// order.
func (t *Text) Splices(edits []TextEdit) ([]Splice, error) {
	all := make([]Splice, len(edits))
	for i, e := range edits {
		start, err := t.Offset(e.Range.Start)
		if err != nil {
			return nil, err
		}
		end, err := t.Offset(e.Range.End)
		if err != nil {
			return nil, err
		}
		if end < start {
			return nil, fmt.Errorf("an edit ends at line %d, column %d, before it begins at line %d, column %d", e.Range.End.Line, e.Range.End.Column, e.Range.Start.Line, e.Range.Start.Column)
		}
		all[i] = Splice{start, end, e.NewText}
	}
	slices.SortStableFunc(all, func(a, b Splice) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	for i := 1; i < len(all); i++ {
		if all[i].Start < all[i-1].End {
			p := t.Position(all[i].Start)
			return nil, fmt.Errorf("two edits overlap at line %d, column %d", p.Line, p.Column)
		}
	}
	return all, nil
}

// Apply answers a text with edits made.
func Apply(content string, edits []TextEdit) (string, error) {
	all, err := NewText(content).Splices(edits)
	if err != nil {
		return "", err
	}
	splices := make([]textfile.Edit, len(all))
	for i, s := range all {
		splices[i] = textfile.Edit(s)
	}
	return textfile.Splice(content, splices), nil
}

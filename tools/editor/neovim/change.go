package neovim

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// change is the argument of lua/edit.lua: replacements that turn the text of a buffer into another one.
type change struct {
	Buf   int    `msgpack:"buf"`
	Tick  int    `msgpack:"tick"`
	Parts []part `msgpack:"parts"`
	EOL   bool   `msgpack:"eol"` // whether the last line has a line ending
	Save  bool   `msgpack:"save"`
}

// part replaces whole lines, or a range within lines. Rows and columns count from 0; columns count bytes.
type part struct {
	ByLine bool     `msgpack:"whole"` // replace lines Row to Last-1; otherwise the range from Row, Column to Last, Stop
	Row    int      `msgpack:"row"`
	Column int      `msgpack:"column"`
	Last   int      `msgpack:"last"`
	Stop   int      `msgpack:"stop"`
	Lines  []string `msgpack:"lines"`
}

// change returns the replacements that turn the buffer's text into after. Only differing ranges are replaced, so that marks, folds
// and cursors elsewhere remain. A line with another line ending is adapter.ErrUnsupported.
func (d document) change(after string) (change, error) {
	c := change{Buf: d.Buf, Tick: d.Tick, Parts: []part{}, EOL: true}
	was, _ := split(d.Text, d.Ending)
	now, ended := split(after, d.Ending)
	if c.EOL = ended; after == "" {
		c.EOL = strings.HasSuffix(d.Text, d.Ending)
	}
	for i, line := range now {
		if d.Ending != "\n" && strings.Contains(line, "\n") || d.Ending == "\r" && strings.Contains(line, "\r") {
			return c, fmt.Errorf("line %d has another line ending than the buffer, which Neovim does not support: %w", i+1, adapter.ErrUnsupported)
		}
	}
	if d.Text == after {
		return c, nil
	}
	if d.Text == "" || after == "" {
		last := max(len(was), 1) // an empty buffer has one line
		c.Parts = append(c.Parts, part{ByLine: true, Last: last, Lines: append([]string{}, now...)})
		return c, nil
	}
	for _, s := range textdiff.Compare(was, now) {
		c.Parts = append(c.Parts, trimCommon(s.A0, was[s.A0:s.A1], now[s.B0:s.B1]))
	}
	return c, nil
}

// split returns the lines of a text as a buffer has them, and whether the last one has a line ending. An empty text has no lines.
func split(text, ending string) (lines []string, ended bool) {
	if text == "" {
		return nil, true
	}
	text, ended = strings.CutSuffix(text, ending)
	return strings.Split(text, ending), ended
}

// trimCommon returns the part that replaces lines, without their common prefix and suffix.
func trimCommon(row int, was, now []string) part {
	if len(was) == 0 || len(now) == 0 {
		return part{ByLine: true, Row: row, Last: row + len(was), Lines: append([]string{}, now...)}
	}
	// The lines have no line endings here.
	head := commonPrefix(was[0], now[0])
	first, last := len(was)-1, len(now)-1
	wasEnd, nowEnd := was[first], now[last]
	room := min(len(wasEnd), len(nowEnd))
	if first == 0 {
		room = min(room, len(wasEnd)-head)
	}
	if last == 0 {
		room = min(room, len(nowEnd)-head)
	}
	tail := commonSuffix(wasEnd, nowEnd, room)
	lines := append([]string{}, now...)
	lines[last] = lines[last][:len(nowEnd)-tail]
	lines[0] = lines[0][head:]
	return part{Row: row, Column: head, Last: row + first, Stop: len(wasEnd) - tail, Lines: lines}
}

// commonPrefix returns the length of the common prefix of two lines in bytes, in whole characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// commonSuffix returns the length of the common suffix of two lines, at most most bytes, in whole characters.
func commonSuffix(a, b string, most int) int {
	n := 0
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

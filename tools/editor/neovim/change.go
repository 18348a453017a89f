package neovim

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// change is what makes one text of another in a buffer.
type change struct {
	Buf   int    `msgpack:"buf"`
	Tick  int    `msgpack:"tick"`
	Parts []part `msgpack:"parts"`
	EOL   bool   `msgpack:"eol"` // the last line is ended
	Save  bool   `msgpack:"save"`
}

// part replaces lines, or a stretch within lines. Rows and columns count from 0, columns in bytes.
type part struct {
	Whole  bool     `msgpack:"whole"` // lines from Row to before Last; else from Row, Column to Last, Stop
	Row    int      `msgpack:"row"`
	Column int      `msgpack:"column"`
	Last   int      `msgpack:"last"`
	Stop   int      `msgpack:"stop"`
	Lines  []string `msgpack:"lines"`
}

// change works out what leads to a text. It touches no more than what differs, so that marks, folds and cursors elsewhere stay.
func (d document) change(after string) (change, error) {
	c := change{Buf: d.Buf, Tick: d.Tick, Parts: []part{}, EOL: true}
	was, _ := split(d.Text, d.Ending)
	now, ended := split(after, d.Ending)
	if c.EOL = ended; after == "" {
		c.EOL = strings.HasSuffix(d.Text, d.Ending)
	}
	for i, line := range now {
		if d.Ending != "\n" && strings.Contains(line, "\n") || d.Ending == "\r" && strings.Contains(line, "\r") {
			return c, fmt.Errorf("line %d ends otherwise than the lines of the buffer, which Neovim has no means for: %w", i+1, adapter.ErrUnsupported)
		}
	}
	if d.Text == after {
		return c, nil
	}
	if d.Text == "" || after == "" {
		last := max(len(was), 1) // a buffer of no bytes has a line nevertheless
		c.Parts = append(c.Parts, part{Whole: true, Last: last, Lines: append([]string{}, now...)})
		return c, nil
	}
	for _, s := range textdiff.Compare(was, now) {
		c.Parts = append(c.Parts, narrow(s.A0, was[s.A0:s.A1], now[s.B0:s.B1]))
	}
	return c, nil
}

// split answers the lines of a text as a buffer has them, and whether the last one is ended. A text of no bytes has none.
func split(text, ending string) (lines []string, ended bool) {
	if text == "" {
		return nil, true
	}
	text, ended = strings.CutSuffix(text, ending)
	return strings.Split(text, ending), ended
}

// narrow answers the part that makes some lines of others, without what they share at both ends.
func narrow(row int, was, now []string) part {
	if len(was) == 0 || len(now) == 0 {
		return part{Whole: true, Row: row, Last: row + len(was), Lines: append([]string{}, now...)}
	}
	// Line ends are no characters of a line here, so no line has them.
	head := shared(was[0], now[0])
	first, last := len(was)-1, len(now)-1
	wasEnd, nowEnd := was[first], now[last]
	room := min(len(wasEnd), len(nowEnd))
	if first == 0 {
		room = min(room, len(wasEnd)-head)
	}
	if last == 0 {
		room = min(room, len(nowEnd)-head)
	}
	tail := sharedEnd(wasEnd, nowEnd, room)
	lines := append([]string{}, now...)
	lines[last] = lines[last][:len(nowEnd)-tail]
	lines[0] = lines[0][head:]
	return part{Row: row, Column: head, Last: row + first, Stop: len(wasEnd) - tail, Lines: lines}
}

// shared is how many bytes two lines begin with both, in whole characters.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// sharedEnd is how many bytes, of at most so many, two lines end with both, in whole characters.
func sharedEnd(a, b string, most int) int {
	n := 0
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

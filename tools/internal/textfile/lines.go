package textfile

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Lines knows where the lines of a text are. It does not copy the text. The zero value is that of the empty text.
//
// A line end closes its line and opens none: "a\n" is one line and the empty text has none.
type Lines struct {
	content string
	starts  []int // where each line begins
}

// NewLines finds the lines of content.
func NewLines(content string) *Lines {
	starts := LineStarts(content)
	if last := len(starts) - 1; starts[last] == len(content) {
		starts = starts[:last]
	}
	return &Lines{content, starts}
}

// LineStarts returns the offsets at which lines begin. Unlike Lines it counts the text after the last line end as a line even
// if it is empty, as the Language Server Protocol does.
func LineStarts(content string) []int {
	next := nextEOL
	if !strings.Contains(content, "\r") {
		next = nextLF
	}
	starts := make([]int, 1, strings.Count(content, "\n")+1)
	for at := 0; ; {
		start, end := next(content[at:])
		if start == end {
			return starts
		}
		at += end
		starts = append(starts, at)
	}
}

// nextLF is nextEOL for a text that has no CR.
func nextLF(s string) (start, end int) {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i, i + 1
	}
	return len(s), len(s)
}

// LineStart returns the start of the line of an offset, after the last LF before it.
func LineStart(content string, offset int) int {
	return strings.LastIndexByte(content[:offset], '\n') + 1
}

// Len is the number of lines.
func (l *Lines) Len() int { return len(l.starts) }

// Line returns line n, from 1, without its line end, or "" if it does not exist.
func (l *Lines) Line(n int) string {
	if n < 1 || n > len(l.starts) {
		return ""
	}
	line := l.content[l.starts[n-1]:l.end(n)]
	start, _ := nextEOL(line)
	return line[:start]
}

// end returns the end of line n, with its line end.
func (l *Lines) end(n int) int {
	if n < len(l.starts) {
		return l.starts[n]
	}
	return len(l.content)
}

// Span is a range of lines, and of the bytes of the content that they take, line ends included.
type Span struct {
	First, Last int // 1-based, inclusive; Last is First-1 for no lines
	Start, End  int
}

// Span returns the range of the lines first to last, inclusive. Numbers count from 1; negative numbers count from the end, -1
// is the last line. 0 is the first or the last line. Lines after the end are cut off. The error is a *RangeError if first is
// after the end or last is before first.
func (l *Lines) Span(first, last int) (Span, error) {
	n := len(l.starts)
	from, to := l.resolve(first, 1), min(l.resolve(last, n), n)
	switch {
	case n == 0 && from <= 1:
		return Span{First: 1, Last: 0}, nil
	case from > n:
		return Span{}, &RangeError{What: "lines", Why: fmt.Sprintf("line %d was requested, but there are %d", first, n),
			Next: fmt.Sprintf("ask for lines 1 to %d, or for -%d and on to read the last ones", n, min(n, 20))}
	case to < from:
		return Span{}, &RangeError{What: "lines", Why: fmt.Sprintf("lines %d to %d are none of the %d", first, last, n),
			Next: "give the first line and then the last"}
	}
	return Span{First: from, Last: to, Start: l.starts[from-1], End: l.end(to)}, nil
}

// resolve turns a line number from outside into one that counts from 1.
func (l *Lines) resolve(n, zero int) int {
	switch {
	case n == 0:
		return zero
	case n < 0:
		return max(n+len(l.starts)+1, 1)
	}
	return n
}

// Position returns the line and column, from 1 and in characters, of a byte offset. The end of a text that ends with a line end
// is column 1 of the next line.
func (l *Lines) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(l.content))
	line = sort.SearchInts(l.starts, offset+1)
	start := 0
	if line > 0 {
		start = l.starts[line-1]
	}
	before := l.content[start:offset]
	if offset == len(l.content) && (line == 0 || before != "" && isEnded(before)) {
		return line + 1, 1
	}
	return line, utf8.RuneCountInString(before) + 1
}

func isEnded(line string) bool {
	return strings.HasSuffix(line, "\n") || strings.HasSuffix(line, "\r")
}

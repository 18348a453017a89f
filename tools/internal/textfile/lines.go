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

// LineStarts answers the offsets at which lines begin. Unlike Lines it takes what follows the last line end for a line, even if
// that is nothing, as the Language Server Protocol does.
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

// Len is the number of lines.
func (l *Lines) Len() int { return len(l.starts) }

// Line answers a line by its 1-based number, without its line end, and "" if there is none of that number.
func (l *Lines) Line(n int) string {
	if n < 1 || n > len(l.starts) {
		return ""
	}
	line := l.content[l.starts[n-1]:l.end(n)]
	start, _ := nextEOL(line)
	return line[:start]
}

// end answers where line n ends, its line end included.
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

// Span answers the lines from first to last, both included. Numbers are 1-based; negative ones count from the end, -1
// being the last line. A first of 0 is the first line, a last of 0 the last. What lies outside the text is cut off, but a first line
// behind the end is a *RangeError, and so is a last line in front of the first.
func (l *Lines) Span(first, last int) (Span, error) {
	n := len(l.starts)
	from, to := l.resolve(first, 1), min(l.resolve(last, n), n)
	switch {
	case n == 0 && from <= 1:
		return Span{First: 1, Last: 0}, nil
	case from > n:
		return Span{}, &RangeError{What: "lines", Why: fmt.Sprintf("line %d was asked for, but there are %d", first, n),
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

// Position answers the 1-based line and column, in characters, of a byte offset of the content. The end of a text whose
// last line is ended is column 1 of the line that would follow.
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

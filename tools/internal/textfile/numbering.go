package textfile

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Numbering writes lines with their numbers: the number, aligned to the right, a tab, the line, and LF.
type Numbering struct {
	MaxLine int // most bytes of a line; 0 is no limit. A note follows a truncated line.
}

// Append appends the lines of a span of l to dst.
func (n Numbering) Append(dst []byte, l *Lines, s Span) []byte {
	width := len(strconv.Itoa(s.Last))
	for i := max(s.First, 1); i <= min(s.Last, l.Len()); i++ {
		dst = fmt.Appendf(dst, "%*d\t", width, i)
		dst = append(n.appendLine(dst, l.Line(i)), '\n')
	}
	return dst
}

func (n Numbering) appendLine(dst []byte, line string) []byte {
	if n.MaxLine <= 0 || len(line) <= n.MaxLine {
		return append(dst, line...)
	}
	cut := n.MaxLine
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return fmt.Appendf(append(dst, line[:cut]...), "… [%d more bytes in this line]", len(line)-cut)
}

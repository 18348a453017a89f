// Package indent computes the indentation of code that is inserted into a text.
package indent

import (
	"cmp"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// At returns the indentation of code that is inserted before a line: the indentation of the line, or of the block around
// it if the line closes a block or follows an opening line.
func At(lines *textfile.Lines, line int) string {
	next := lines.Line(line)
	before := ""
	for n := line - 1; n > 0 && IsBlank(before); n-- {
		before = lines.Line(n)
	}
	inside := OpensBlock(before)
	switch {
	case IsBlank(next) && inside:
		return Leading(before) + Unit(lines)
	case IsBlank(next):
		return Leading(before)
	case !ClosesBlock(next):
		return Leading(next)
	case inside:
		return Leading(before) + Unit(lines)
	case len(Leading(before)) > len(Leading(next)):
		return Leading(before)
	}
	return Leading(next)
}

// Unit returns one level of indentation of a text: the smallest indentation of a line, or a tab.
func Unit(lines *textfile.Lines) string { return cmp.Or(Smallest(lines), "\t") }

// Smallest returns the smallest indentation of a line of a text, or "" if no line is indented.
func Smallest(lines *textfile.Lines) string {
	const most = 2000 // enough lines for an estimate
	best := ""
	for n := 1; n <= min(lines.Len(), most); n++ {
		line := lines.Line(n)
		in := Leading(line)
		if strings.HasPrefix(in, "\t") {
			return "\t"
		}
		if len(in) > 1 && !IsBlank(line) && !strings.HasPrefix(strings.TrimSpace(line), "*") && (best == "" || len(in) < len(best)) {
			best = in
		}
	}
	return best
}

// Reindent indents code to base. Models write code without indentation, with some other indentation, or indented except for the
// first line. fixed reports the lines that keep their bytes, because they begin within a string; nil is none.
func Reindent(code, base string, fixed []bool) string {
	lines := strings.Split(code, "\n")
	isFixed := func(line int) bool { return IsBlank(lines[line]) || line < len(fixed) && fixed[line] }
	first, last, margin := -1, -1, ""
	rest, seen := true, false // rest: all lines after the first have the indentation; seen: there is a line after the first
	for i, line := range lines {
		switch {
		case isFixed(i):
			continue
		case first < 0:
			first, margin = i, Leading(line)
		default:
			margin = commonPrefix(margin, Leading(line))
			rest, seen = rest && strings.HasPrefix(line, base), true
		}
		last = i
	}
	if first < 0 || strings.HasPrefix(margin, base) {
		return code
	}
	head, end := lines[first], lines[last]
	if Leading(head) == "" && seen && rest && (!OpensBlock(head) || ClosesBlock(end) && Leading(end) == base) {
		lines[first] = base + head
		return strings.Join(lines, "\n")
	}
	for i, line := range lines {
		if !isFixed(i) {
			lines[i] = base + strings.TrimPrefix(line, margin)
		}
	}
	return strings.Join(lines, "\n")
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// IsBlank reports whether a line has only white space.
func IsBlank(line string) bool { return strings.TrimSpace(line) == "" }

// Leading returns the indentation of a line.
func Leading(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// OpensBlock reports whether a line opens a block.
func OpensBlock(line string) bool {
	line = strings.TrimRight(line, " \t\r")
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, "[") || strings.HasSuffix(line, ":")
}

// ClosesBlock reports whether a line begins with the end of a block.
func ClosesBlock(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]") ||
		line == "end" || strings.HasPrefix(line, "end ") || strings.HasPrefix(line, "end;")
}

package editor

import (
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// indentationAt is the indentation of code that is inserted before a line: that of the line which is there, but what is put
// in front of a line that closes a block, or behind one that opens it, belongs into the block.
func indentationAt(lines *textfile.Lines, line int) string {
	next := lines.Line(line)
	before := ""
	for n := line - 1; n > 0 && blank(before); n-- {
		before = lines.Line(n)
	}
	inside := opens(before)
	switch {
	case blank(next) && inside:
		return leading(before) + unit(lines)
	case blank(next):
		return leading(before)
	case !closes(next):
		return leading(next)
	case inside:
		return leading(before) + unit(lines)
	case len(leading(before)) > len(leading(next)):
		return leading(before)
	}
	return leading(next)
}

// unit is one level of indentation of a text: the least that a line has, or a tab.
func unit(lines *textfile.Lines) string {
	const most = 2000 // lines tell enough
	best := ""
	for n := 1; n <= min(lines.Len(), most); n++ {
		line := lines.Line(n)
		in := leading(line)
		if strings.HasPrefix(in, "\t") {
			return "\t"
		}
		if len(in) > 1 && !blank(line) && !strings.HasPrefix(strings.TrimSpace(line), "*") && (best == "" || len(in) < len(best)) {
			best = in
		}
	}
	if best == "" {
		return "\t"
	}
	return best
}

// indented gives lines an indentation. Models write code in three ways: at the left edge, all of it indented somehow, or as it
// stands in a file, but for the first line.
func indented(code, base string) string {
	lines := strings.Split(code, "\n")
	first, margin := -1, ""
	rest, seen := true, false // all lines behind the first have the indentation; there is one
	for i, line := range lines {
		switch {
		case blank(line):
			continue
		case first < 0:
			first, margin = i, leading(line)
		default:
			margin = common(margin, leading(line))
			rest, seen = rest && strings.HasPrefix(line, base), true
		}
	}
	if first < 0 || strings.HasPrefix(margin, base) {
		return code
	}
	head, last := lines[first], lastLine(lines)
	if leading(head) == "" && seen && rest && (!opens(head) || closes(last) && leading(last) == base) {
		lines[first] = base + head
		return strings.Join(lines, "\n")
	}
	for i, line := range lines {
		if !blank(line) {
			lines[i] = base + strings.TrimPrefix(line, margin)
		}
	}
	return strings.Join(lines, "\n")
}

// lastLine is the last one that is not blank.
func lastLine(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if !blank(lines[i]) {
			return lines[i]
		}
	}
	return ""
}

func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func leading(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// opens says that a line begins a block which goes on behind it.
func opens(line string) bool {
	line = strings.TrimRight(line, " \t\r")
	return strings.HasSuffix(line, "{") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, "[") || strings.HasSuffix(line, ":")
}

// closes says that a line begins with what ends a block.
func closes(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]") ||
		line == "end" || strings.HasPrefix(line, "end ") || strings.HasPrefix(line, "end;")
}

package chunking

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// indentation is the white space that begins the line in which a text ends, if
// there is nothing else in it yet.
func indentation(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Trim(line, " \t") != "" {
		return ""
	}
	return line
}

// indent gives code the indentation of the place that it comes to, at which old
// stands. Models write a function in three ways: as they have read it, its first
// line without the indentation that all others have; at the left edge; or all of it
// indented. The first line of the outcome has none, as the place has it already.
func indent(code, base, old string) string {
	lines := strings.Split(code, "\n")
	first := leading(lines[0])
	lines[0] = lines[0][len(first):]
	before := oldLines(old)
	if first == base || first == "" && before.asRead(lines, base) {
		return strings.Join(lines, "\n")
	}
	for i, line := range lines {
		rest, shifted := strings.CutPrefix(line, first)
		if i > 0 && shifted && strings.TrimSpace(line) != "" && !(first == "" && before.holds(line) && !before.holds(base+line)) {
			lines[i] = base + rest
		}
	}
	return strings.Join(lines, "\n")
}

// previous is the text that code replaces, by lines.
type previous map[string]bool

func oldLines(old string) previous {
	lines := make(previous)
	for line := range strings.SplitSeq(old, "\n") {
		lines[strings.TrimRight(line, " \t\r")] = true
	}
	return lines
}

// holds says that a line was in the text, with its indentation.
func (p previous) holds(line string) bool { return p[strings.TrimRight(line, " \t\r")] }

// asRead says that the lines behind the first are indented as in the file already.
// Most lines of a changed function are lines of the old one, which shows it. Else
// the line that closes the function has the indentation of its place, or, where
// nothing closes it, the first of the body is deeper than that; behind an attribute
// or a comment stands a line with just that indentation. Other lines say nothing:
// directives and the content of strings may stand at the left edge.
func (p previous) asRead(lines []string, base string) bool {
	if base == "" {
		return true
	}
	kept, shifted := 0, 0
	first, last := "", ""
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if last = line; first == "" {
			first = line
		}
		switch as, indented := p.holds(line), p.holds(base+line); {
		case as && !indented && strings.HasPrefix(line, base):
			kept++
		case indented && !as:
			shifted++
		}
	}
	if kept != shifted {
		return kept > shifted
	}
	if first == "" || closes(strings.TrimSpace(last)) {
		return strings.HasPrefix(last, base)
	}
	in := leading(first)
	return strings.HasPrefix(in, base) && (len(in) > len(base) || introduces(lines[0]))
}

// introduces says that a line stands before a declaration and belongs to it: an
// attribute, a decorator or a comment.
func introduces(line string) bool {
	for _, begin := range []string{"@", "#", "[", "//", "/*"} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

func leading(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// closes reports whether a line begins with the end of a body.
func closes(line string) bool {
	return strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]") ||
		line == "end" || strings.HasPrefix(line, "end ") || strings.HasPrefix(line, "end;")
}

// beginsWithComment says that code brings its own documentation.
func beginsWithComment(code string, lang source.Language) bool {
	code = strings.TrimLeft(code, " \t\r\n")
	if strings.HasPrefix(code, "//") || strings.HasPrefix(code, "/*") {
		return true
	}
	switch lang {
	case source.Python, source.Ruby:
		return strings.HasPrefix(code, "#")
	case source.PHP:
		return strings.HasPrefix(code, "#") && !strings.HasPrefix(code, "#[")
	}
	return false
}

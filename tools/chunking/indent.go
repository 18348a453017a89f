package chunking

import (
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/source"
)

// indentation returns the white space at the start of the last line of a text; "" if the
// line contains other characters.
func indentation(before string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Trim(line, " \t") != "" {
		return ""
	}
	return line
}

// reindent adapts code to the indentation of its new position, which now contains old. Models
// write a function in three forms: as they read it, with only the first line not indented;
// at the left edge; or completely indented. The first line of the result is not indented,
// because the position already is. fixed reports the lines that begin within a string; nil is
// none. They keep their bytes, unless the indentation restores a line of old.
func reindent(code, base, old string, fixed []bool) string {
	lines := strings.Split(code, "\n")
	first := indent.Leading(lines[0])
	lines[0] = lines[0][len(first):]
	before := oldLines(base + old)
	isFixed := func(line int) bool { return strings.TrimSpace(lines[line]) == "" || line < len(fixed) && fixed[line] }
	if first == base || first == "" && before.asRead(lines, base, isFixed) {
		return strings.Join(lines, "\n")
	}
	for i, line := range lines {
		rest, shifted := strings.CutPrefix(line, first)
		if i == 0 || !shifted || strings.TrimSpace(line) == "" || first == "" && before.holds(line) && !before.holds(base+line) {
			continue
		}
		if !isFixed(i) || before.holds(base+rest) && !before.holds(line) {
			lines[i] = base + rest
		}
	}
	return strings.Join(lines, "\n")
}

// previous is the set of lines of the replaced text.
type previous map[string]bool

func oldLines(old string) previous {
	lines := make(previous)
	for line := range strings.SplitSeq(old, "\n") {
		lines[strings.TrimRight(line, " \t\r")] = true
	}
	return lines
}

// holds reports whether the text contained a line with its indentation.
func (p previous) holds(line string) bool { return p[strings.TrimRight(line, " \t\r")] }

// asRead reports whether the lines after the first already have the indentation of the
// file. Most lines of a changed function are lines of the old one, which decides. Otherwise
// the line that closes the function has the indentation of its position. Without such a
// line, the first line of the body is deeper; a declaration after an attribute or a comment
// has exactly that indentation. Directives and other lines may start at the left edge. Lines
// for which isFixed returns true do not count.
func (p previous) asRead(lines []string, base string, isFixed func(line int) bool) bool {
	if base == "" {
		return true
	}
	kept, shifted := 0, 0
	first, last := "", ""
	for i, line := range lines {
		if i == 0 || isFixed(i) {
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
	in := indent.Leading(first)
	return strings.HasPrefix(in, base) && (len(in) > len(base) || introduces(lines[0]))
}

// introduces reports whether a line is an attribute, a decorator or a comment before a
// declaration.
func introduces(line string) bool {
	for _, begin := range []string{"@", "#", "[", "//", "/*", "--"} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// closes reports whether a line begins with the end of a body.
func closes(line string) bool {
	rest, end := strings.CutPrefix(line, "end")
	return strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]") ||
		end && strings.Trim(rest[:min(len(rest), 1)], " ;,)") == ""
}

// beginsWithComment reports whether code contains its own documentation.
func (c *Chunks) beginsWithComment(code string, lang source.Language) bool {
	return c.options.Parsers.IsComment(lang, []byte(strings.TrimLeft(code, " \t\r\n")))
}

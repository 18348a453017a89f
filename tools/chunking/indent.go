package chunking

import (
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/parse"
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

// indent gives code the indentation of the place that it comes to. Models write a
// function in three ways: as they have read it, its first line without the
// indentation that all others have; at the left edge; or all of it indented. The
// first line of the outcome has none, as the place has it already.
func indent(code, base string) string {
	lines := strings.Split(code, "\n")
	first := leading(lines[0])
	if first != "" {
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line, first)
		}
	} else if base == "" || asRead(lines[1:], base) {
		return code
	}
	for i, line := range lines {
		if i > 0 && strings.TrimSpace(line) != "" {
			lines[i] = base + line
		}
	}
	return strings.Join(lines, "\n")
}

// asRead says that the lines behind the first are indented as in the file already:
// the one that closes the function has the indentation of its place, or, where
// nothing closes it, the first of the body is deeper than that. Other lines say
// nothing: directives and the content of strings may stand at the left edge.
func asRead(rest []string, base string) bool {
	first, last := "", ""
	for _, line := range rest {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if last = line; first == "" {
			first = line
		}
	}
	if first == "" || closes(strings.TrimSpace(last)) {
		return strings.HasPrefix(last, base)
	}
	in := leading(first)
	return strings.HasPrefix(in, base) && len(in) > len(base)
}

func leading(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// closes says that a line begins with what ends a body.
func closes(line string) bool {
	return strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]") ||
		line == "end" || strings.HasPrefix(line, "end ") || strings.HasPrefix(line, "end;")
}

// beginsWithComment says that code brings its own documentation.
func beginsWithComment(code string, lang parse.Language) bool {
	code = strings.TrimLeft(code, " \t\r\n")
	if strings.HasPrefix(code, "//") || strings.HasPrefix(code, "/*") {
		return true
	}
	switch lang {
	case parse.Python, parse.Ruby:
		return strings.HasPrefix(code, "#")
	case parse.PHP:
		return strings.HasPrefix(code, "#") && !strings.HasPrefix(code, "#[")
	}
	return false
}

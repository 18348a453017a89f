package build

import "strings"

// eslintParser parses output that names a file and then lists its problems: eslint, stylelint and create-react-app, and the
// similar forms of Next.js and Biome.
//
//	/p/src/b.js
//	  2:1  error  'foo' is not defined  no-undef
//
//	src/a.ts:3:7 lint/correctness/noUnusedVariables  FIXABLE  ━━━━━
//
//	  ! This variable p is unused.
type eslintParser struct {
	file  string // that the lines below are about
	at    place  // location of a Biome or Next.js problem whose message follows
	code  string
	wait  int // how many more lines the message may be away
	since int // how many lines ago the file was named or had a problem
}

func (c *eslintParser) end(*report) {}

// maxSilence bounds how far below the name of a file its problems may be.
const maxSilence = 3

func (c *eslintParser) line(r *report, s string) verdict {
	if s == "" {
		c.file = ""
		return pass
	}
	if s[0] != ' ' {
		return c.heading(r, s)
	}
	text := strings.TrimLeft(s, " ")
	if c.wait > 0 {
		c.wait--
		if message, severity, ok := marked(text); ok {
			c.wait = 0
			r.add(Problem{File: c.at.file, Line: c.at.line, Column: c.at.column, Severity: severity, Code: c.code, Message: message, Source: "biome"}, false)
			return taken
		}
	}
	if c.file == "" {
		return pass
	}
	if p, ok := stylish(text); ok {
		p.File = c.file
		c.since = 0
		r.add(p, false)
		return taken
	}
	if c.since++; c.since > maxSilence {
		c.file = ""
	}
	return pass
}

// heading takes a line that names a file, with or without a place.
func (c *eslintParser) heading(r *report, s string) verdict {
	if message, ok := strings.CutPrefix(s, "Type error: "); ok && c.at.file != "" && c.wait > 0 {
		r.add(Problem{File: c.at.file, Line: c.at.line, Column: c.at.column, Severity: Error, Message: message, Source: "tsc"}, false)
		c.wait, c.at = 0, place{}
		return taken
	}
	if c.file != "" && s[0] >= '0' && s[0] <= '9' { // Next.js does not indent
		if p, ok := stylish(s); ok {
			p.File = c.file
			r.add(p, false)
			return taken
		}
	}
	c.file, c.wait = "", 0
	where, rest, _ := strings.Cut(s, " ")
	if p, _, ok := cutPlace(where + ":"); ok {
		kind, _, _ := strings.Cut(rest, " ")
		if rest == "" || strings.Contains(kind, "/") || kind == "parse" || kind == "format" {
			c.at, c.code, c.wait = p, kind, 3
		}
		return pass // the name alone is nothing; others may know it
	}
	if pathlike(s) && extension(s) != "" && !strings.Contains(s, ": ") {
		c.file, c.since = s, 0
	}
	return pass
}

// stylish reads "2:1  error  'foo' is not defined  no-undef", stylelint's
// " 2:1  ✖  message  rule" and "Line 2:1:  message  rule".
func stylish(s string) (Problem, bool) {
	s, line := strings.CutPrefix(s, "Line ")
	n, rest, ok := number(s)
	if !ok || !strings.HasPrefix(rest, ":") {
		return Problem{}, false
	}
	m, rest, ok := number(rest[1:])
	if !ok {
		return Problem{}, false
	}
	p := Problem{Line: n, Column: m, Severity: Warning, Source: "eslint"}
	rest = strings.TrimLeft(rest, " ")
	if line {
		if rest, ok = strings.CutPrefix(rest, ":"); !ok {
			return Problem{}, false
		}
	} else {
		word, after, _ := strings.Cut(rest, " ")
		switch word {
		case "error", "Error:":
			p.Severity = Error
		case "✖":
			p.Severity, p.Source = Error, "stylelint"
		case "warning", "Warning:":
		case "⚠":
			p.Source = "stylelint"
		default:
			return Problem{}, false
		}
		rest = after
	}
	p.Message = strings.TrimSpace(rest)
	if at := strings.LastIndex(p.Message, "  "); at > 0 && !strings.Contains(p.Message[at+2:], " ") {
		p.Code, p.Message = p.Message[at+2:], strings.TrimSpace(p.Message[:at])
	}
	return p, true
}

// marked reads a message with the mark of its severity.
func marked(s string) (string, Severity, bool) {
	for _, m := range []struct {
		mark     string
		severity Severity
	}{{"× ", Error}, {"✖ ", Error}, {"x ", Error}, {"! ", Warning}, {"⚠ ", Warning}} {
		if rest, ok := strings.CutPrefix(s, m.mark); ok {
			return rest, m.severity, true
		}
	}
	return "", "", false
}

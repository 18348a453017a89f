package build

import "strings"

// scalaParser understands Scala 3 and sbt:
//
//	-- [E006] Not Found Error: A.scala:3:4 -----
//	3 |    x
//	  |    ^
//	  |    Not found: x
//
//	[error] /p/A.scala:3:5: not found: value x
type scalaParser struct {
	block
	three bool
}

func (c *scalaParser) end(r *report) { c.block.end(r) }

func (c *scalaParser) line(r *report, s string) verdict {
	severity, text := cutMark(s, "[error] ", "[warn] ")
	if c.open {
		if c.tick() && c.continues(text, severity) {
			return more
		}
		c.end(r)
		return pass
	}
	if rest, ok := strings.CutPrefix(text, "-- "); ok {
		return c.heading(rest)
	}
	if severity == "" {
		return pass
	}
	p, message, ok := cutPlace(text)
	if !ok {
		return prettier(r, severity, text)
	}
	c.three = false
	c.begin(Problem{File: p.file, Line: p.line, Column: p.column, Severity: severity, Message: message, Source: sources[extension(p.file)]})
	return more
}

// heading reads "[E006] Not Found Error: A.scala:3:4 ----"; the column counts from 0.
func (c *scalaParser) heading(s string) verdict {
	code, rest, _ := bracket(s)
	kind, where, ok := strings.Cut(strings.TrimSpace(rest), ": ")
	if !ok || !strings.HasSuffix(kind, "Error") && !strings.HasSuffix(kind, "Warning") {
		return pass
	}
	p, _, ok := cutPlace(strings.TrimRight(where, "- ") + ":")
	if !ok {
		return pass
	}
	c.begin(Problem{File: p.file, Line: p.line, Column: p.column + 1, Severity: Error, Code: code, Source: "scalac"})
	if strings.HasSuffix(kind, "Warning") {
		c.Severity = Warning
	}
	c.three = true
	return more
}

func (c *scalaParser) continues(text string, severity Severity) bool {
	if !c.three {
		// sbt adds indented lines: more of the message, the source and a caret.
		if severity != c.Severity || !strings.HasPrefix(text, "  ") {
			return false
		}
		return true
	}
	text = strings.TrimLeft(text, " ")
	if _, rest, ok := number(text); ok {
		return strings.HasPrefix(strings.TrimLeft(rest, " "), "|")
	}
	rest, ok := strings.CutPrefix(text, "|")
	if !ok {
		return false
	}
	if rest = strings.TrimSpace(rest); strings.Trim(rest, "^-") != "" && !strings.HasPrefix(rest, "longer explanation available") {
		c.add(rest)
	}
	return true
}

// prettier takes its "[error] src/a.js: SyntaxError: message (3:5)" and "[warn] src/a.js",
// which look like sbt's.
func prettier(r *report, severity Severity, text string) verdict {
	file, message, _ := strings.Cut(text, ": ")
	if !pathlike(file) || extension(file) == "" || strings.Contains(file, " ") {
		return pass
	}
	if message == "" {
		message = "the file is not formatted"
	}
	p := Problem{File: file, Severity: severity, Message: message, Source: "prettier"}
	p.Message, p.Line, p.Column = endPlace(message)
	r.add(p, false)
	return taken
}

// endPlace takes "(3:5)" off the end of a message.
func endPlace(s string) (message string, line, column int) {
	inner, ok := strings.CutSuffix(s, ")")
	at := strings.LastIndexByte(inner, '(')
	if !ok || at < 0 {
		return s, 0, 0
	}
	n, rest, ok := number(inner[at+1:])
	if !ok || !strings.HasPrefix(rest, ":") {
		return s, 0, 0
	}
	m, rest, ok := number(rest[1:])
	if !ok || rest != "" {
		return s, 0, 0
	}
	return strings.TrimSpace(s[:at]), n, m
}

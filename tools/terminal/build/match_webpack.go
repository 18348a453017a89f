package build

import "strings"

// webpackParser understands webpack and what its loaders say through it:
//
//	ERROR in ./src/index.js 1:0-23
//	Module not found: Error: Can't resolve './gone' in '/p/src'
//
//	ERROR in /p/src/t.ts
//	./src/t.ts 1:6-7
//	[tsl] ERROR in /p/src/t.ts(1,7)
//	      TS2322: Type 'string' is not assignable to type 'number'.
type webpackParser struct{ block }

func (c *webpackParser) end(r *report) { c.block.end(r) }

func (c *webpackParser) line(r *report, s string) verdict {
	if c.open {
		if s != "" && c.tick() {
			c.body(strings.TrimSpace(s), s)
			return more
		}
		c.end(r)
		return pass
	}
	severity, where := cutMark(s, "ERROR in ", "WARNING in ")
	if severity == "" {
		return pass
	}
	c.begin(Problem{Severity: severity, Source: "webpack"})
	c.heading(where)
	return more
}

// heading reads "./src/a.js 1:0-23", "./src/a.ts:3:5" or a name.
func (c *webpackParser) heading(where string) {
	if at := strings.LastIndexByte(where, '!'); at >= 0 { // after the loaders
		where = where[at+1:]
	}
	file, numbers, _ := strings.Cut(where, " ")
	if p, _, ok := cutPlace(where + ":"); ok {
		c.at(p)
		return
	}
	if !pathlike(file) {
		c.add(where)
		return
	}
	c.File = file
	if p, _, ok := cutPlace("x.y:" + numbers + ":"); ok {
		c.Line, c.Column = p.line, p.column+1
		if p.endLine == p.line && p.endColumn > 0 {
			c.EndLine, c.EndColumn = p.endLine, p.endColumn+1
		}
	}
}

func (c *webpackParser) body(text, s string) {
	switch {
	case strings.HasPrefix(s, " @ "):
		if where := s[3:]; c.Line == 0 && strings.HasPrefix(where, c.File+" ") { // before webpack 5
			file := c.File
			c.File = ""
			c.heading(where)
			c.File = file
		}
	case strings.HasPrefix(text, "[tsl] "):
		_, where, _ := strings.Cut(text, " in ")
		if p, _, ok := cutPlace(where + ":"); ok {
			c.File, c.Line, c.Column, c.EndLine, c.EndColumn = p.file, p.line, p.column, 0, 0
		}
		c.Message = ""
	case strings.HasPrefix(text, "TS") && c.Code == "":
		if code, message, ok := strings.Cut(text, ": "); ok && codelike(code) {
			c.Code, c.Source = code, "tsc"
			text = message
		}
		c.add(text)
	case strings.HasPrefix(text, c.File+" "), strings.HasPrefix(text, "./") && c.Message == "", snippet(text), strings.HasPrefix(text, "> "), strings.HasPrefix(text, "|"), strings.HasPrefix(text, "at "):
	case strings.HasPrefix(text, "SyntaxError: "):
		if p, ok := syntaxError(text); ok {
			c.File, c.Line, c.Column, c.Message = p.File, p.Line, p.Column, p.Message
			return
		}
		c.add(text)
	default:
		c.add(text)
	}
}

// syntaxError reads Babel's "SyntaxError: /p/a.js: Unexpected token (1:10)".
func syntaxError(s string) (Problem, bool) {
	rest, ok := strings.CutPrefix(s, "SyntaxError: ")
	file, message, cut := strings.Cut(rest, ": ")
	if !ok || !cut || !pathlike(file) || strings.Contains(file, " ") {
		return Problem{}, false
	}
	text, line, column := endPlace(message)
	if line == 0 {
		return Problem{}, false
	}
	return Problem{File: file, Line: line, Column: column + 1, Severity: Error, Message: "SyntaxError: " + text, Source: "babel"}, true
}

package build

import "strings"

// jestParser understands Jest and Vitest:
//
//	● sums › adds
//
//	  expect(received).toBe(expected) // Object.is equality
//	  …
//	    at Object.toBe (src/a.test.js:3:19)
//
//	 FAIL  src/a.test.js > sums > adds
//	AssertionError: expected 2 to be 3 // Object.is equality
//	 ❯ src/a.test.js:3:19
type jestParser struct {
	block
	file   string // of the suite that has failed
	vitest bool
	said   bool // the message has ended
}

func (c *jestParser) end(r *report) {
	if c.open && c.File == "" {
		c.File = c.file
	}
	c.block.end(r)
}

func (c *jestParser) line(r *report, s string) verdict {
	text := strings.TrimSpace(s)
	if c.open {
		if c.tick() && c.continues(r, s, text) {
			return more
		}
		c.end(r)
		return pass
	}
	switch {
	case strings.HasPrefix(text, "● ") && strings.HasPrefix(s, "  ") && text != "● Console":
		c.begin(Problem{Severity: Error, Code: text[len("● "):], Source: "jest"})
		c.vitest = false
	case strings.HasPrefix(text, "FAIL "):
		name := strings.TrimSpace(text[5:])
		file, test, ok := strings.Cut(name, " > ")
		if file, _, found := strings.Cut(name, " [ "); found && !ok {
			c.begin(Problem{Severity: Error, Source: "vitest"})
			c.file, c.vitest, c.said = file, true, false
			return more
		}
		if c.file = file; !pathlike(file) || !ok {
			return pass
		}
		c.begin(Problem{Severity: Error, Code: test, Source: "vitest"})
		c.vitest = true
	default:
		return pass
	}
	c.said = false
	return more
}

func (c *jestParser) continues(r *report, s, text string) bool {
	switch {
	case strings.HasPrefix(text, "● "), strings.HasPrefix(text, "⎯⎯"), strings.HasPrefix(text, "FAIL "), strings.HasPrefix(text, "PASS "), strings.HasPrefix(s, "Test Suites:"):
		return false
	case strings.HasPrefix(text, "at "), strings.HasPrefix(text, "❯ "):
		c.said = true
		if p, ok := jsFrame(text); ok && c.File == "" && r.names.inside(p.file) {
			c.at(p)
		}
	case strings.HasPrefix(text, "File: "):
		if p, _, ok := cutPlace(strings.TrimSpace(text[6:]) + ":"); ok && c.file != "" {
			p.file = c.file // the name is a URL's
			p.column++
			c.at(p)
		}
	case text == "":
		c.said = c.said || c.Message != "" && c.vitest
	case c.said, strings.HasPrefix(text, "> "), strings.HasPrefix(text, "|"), snippet(text):
		c.said = c.Message != ""
	default:
		if p, ok := syntaxError(text); ok {
			c.File, c.Line, c.Column = p.File, p.Line, p.Column
			text = p.Message
			c.Message = ""
		}
		c.add(text)
	}
	return true
}

// jsFrame reads the place of "at f (src/a.js:3:19)", "at src/a.js:3:19" or "❯ src/a.js:3:19".
func jsFrame(s string) (place, bool) {
	if inner, ok := strings.CutSuffix(s, ")"); ok {
		if at := strings.LastIndexByte(inner, '('); at >= 0 {
			p, _, ok := cutPlace(inner[at+1:] + ":")
			return p, ok
		}
	}
	_, where, _ := strings.Cut(s, " ")
	where = strings.TrimPrefix(where, "async ")
	p, _, ok := cutPlace(where + ":")
	if !ok || strings.Contains(p.file, " ") && strings.HasPrefix(s, "❯") {
		_, where, found := strings.Cut(where, " ")
		if !found {
			return p, ok
		}
		p, _, ok = cutPlace(where + ":")
	}
	return p, ok
}

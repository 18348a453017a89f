package build

import "strings"

// nodeTestParser understands the test runner of Node.js, as TAP and as a list:
//
//	not ok 1 - adds
//	  ---
//	  location: '/p/src/n.test.js:2:1'
//	  error: |-
//	    Expected values to be strictly equal:
//
//	test at src/n.test.js:2:1
//	✖ adds (4.6ms)
//	  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
type nodeTestParser struct {
	block
	key    string // of the lines of TAP that are read
	list   bool
	frame  bool // the place is that of a frame
	indent int
}

func (c *nodeTestParser) end(r *report) { c.block.end(r) }

func (c *nodeTestParser) line(r *report, s string) verdict {
	text := strings.TrimSpace(s)
	if c.open {
		if c.tick() && c.continues(r, s, text) {
			return more
		}
		c.end(r)
		if text == "..." {
			return taken
		}
	}
	if rest, ok := strings.CutPrefix(text, "not ok "); ok {
		_, name, found := strings.Cut(rest, " - ")
		if !found || strings.Contains(name, "# TODO") || strings.Contains(name, "# SKIP") {
			return pass
		}
		c.begin(Problem{Severity: Error, Code: name, Source: "node"})
		c.list, c.frame, c.key, c.indent = false, false, "", len(s)-len(strings.TrimLeft(s, " "))
		return more
	}
	if rest, ok := strings.CutPrefix(s, "test at "); ok {
		p, _, found := cutPlace(rest + ":")
		if !found {
			return pass
		}
		c.begin(Problem{Severity: Error, Source: "node"})
		c.at(p)
		c.list, c.frame = true, false
		return more
	}
	return pass
}

func (c *nodeTestParser) continues(r *report, s, text string) bool {
	if c.list {
		return c.listed(r, s, text)
	}
	if text == "..." || len(s) > 0 && s[0] != ' ' {
		if c.Message == "" {
			c.Message = c.Code + " failed"
		}
		return false
	}
	deep := len(s) - len(strings.TrimLeft(s, " "))
	if key, value, ok := strings.Cut(text, ":"); ok && deep == c.indent+2 {
		c.key = key
		value = strings.Trim(strings.TrimSpace(value), "'")
		switch {
		case key == "location":
			if p, _, ok := cutPlace(value + ":"); ok {
				c.at(p)
			}
		case key == "error" && !strings.HasPrefix(value, "|"):
			c.add(value)
		case key == "failureType" && value == "subtestsFailed":
			c.consequence = true
		}
		return true
	}
	switch c.key {
	case "error":
		c.add(text)
	case "stack":
		c.framed(r, "at "+text)
	}
	return true
}

// framed takes the place of the first frame in the project.
func (c *nodeTestParser) framed(r *report, text string) {
	if p, ok := jsFrame(text); ok && !c.frame && r.names.inside(p.file) {
		c.frame = true
		c.File, c.Line, c.Column = p.file, p.line, p.column
	}
}

func (c *nodeTestParser) listed(r *report, s, text string) bool {
	switch {
	case c.Code == "":
		name, ok := strings.CutPrefix(text, "✖ ")
		if !ok {
			return false
		}
		if at := strings.LastIndex(name, " ("); at > 0 {
			name = name[:at]
		}
		c.Code = name
	case strings.HasPrefix(s, "test at "):
		return false
	case strings.HasPrefix(text, "at "):
		c.framed(r, text)
	case text == "":
		return !c.frame
	case !c.frame && len(c.Message) < 500:
		c.add(text)
	}
	return true
}

package build

import "strings"

// mochaParser understands the list of failures at the end of Mocha's output:
//
//  1. sums
//     adds:
//
//     AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
//     …
//     at Context.<anonymous> (src/m.js:3:29)
type mochaParser struct {
	block
	failing bool
	titled  bool
}

func (c *mochaParser) end(r *report) { c.block.end(r) }

func (c *mochaParser) line(r *report, s string) verdict {
	text := strings.TrimSpace(s)
	if !c.failing {
		if n, rest, ok := number(text); ok && n > 0 && rest == " failing" {
			c.failing = true
			return taken
		}
		return pass
	}
	if _, title, ok := number(text); ok && strings.HasPrefix(title, ") ") && strings.HasPrefix(s, "  ") {
		c.end(r)
		c.begin(Problem{Severity: Error, Code: strings.TrimSuffix(title[2:], ":"), Source: "mocha"})
		c.titled = strings.HasSuffix(title, ":")
		return more
	}
	if !c.open {
		return pass
	}
	switch {
	case !c.tick(), strings.HasPrefix(s, "npm "):
		c.end(r)
		return pass
	case text == "":
	case !c.titled:
		c.Code += " " + strings.TrimSuffix(text, ":")
		c.titled = strings.HasSuffix(text, ":")
	case strings.HasPrefix(text, "at "):
		if p, ok := jsFrame(text); ok && r.names.inside(p.file) {
			c.at(p)
		}
	case strings.HasPrefix(text, "+ expected - actual"):
	case len(c.Message) < 500:
		c.add(text)
	}
	return more
}

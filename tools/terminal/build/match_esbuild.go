package build

import "strings"

// esbuildParser understands esbuild:
//
//	✘ [ERROR] Could not resolve "./gone"
//
//	    src/index.js:1:14:
//	      1 │ import x from "./gone";
//
// Columns are bytes from 0, as with all bundlers here but rolldown.
type esbuildParser struct{ block }

func (c *esbuildParser) end(r *report) { c.block.end(r) }

func (c *esbuildParser) line(r *report, s string) verdict {
	if c.open {
		switch {
		case s == "" && c.File == "" && c.lines == 0:
			c.lines++
			return more
		case c.File == "" && strings.HasPrefix(s, "    ") && c.tick():
			if p, _, ok := cutPlace(strings.TrimSpace(s)); ok {
				p.column++
				c.at(p)
			}
			return more
		case strings.HasPrefix(s, "    ") && c.tick():
			return more
		}
		c.end(r)
		return pass
	}
	severity, message := cutMark(s, "✘ [ERROR] ", "▲ [WARNING] ")
	if severity == "" {
		return pass
	}
	message, code := tail(message)
	c.begin(Problem{Severity: severity, Code: code, Message: message, Source: "esbuild"})
	return more
}

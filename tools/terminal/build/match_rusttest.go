package build

import "strings"

// rustTestParser understands the panics of tests:
//
//	thread 'tests::adds' panicked at src/lib.rs:12:9:
//	assertion `left == right` failed
//	  left: 3
type rustTestParser struct{ block }

func (c *rustTestParser) end(r *report) { c.block.end(r) }

func (c *rustTestParser) line(r *report, s string) verdict {
	if c.open {
		if c.tick() && s != "" && !strings.HasPrefix(s, "note: ") && !strings.HasPrefix(s, "stack backtrace:") {
			c.add(s)
			return more
		}
		c.end(r)
		return taken
	}
	if strings.HasPrefix(s, "note: ") && strings.Contains(s, "RUST_BACKTRACE") {
		return taken // advice is not part of the message
	}
	rest, ok := strings.CutPrefix(s, "thread '")
	if !ok {
		return pass
	}
	name, rest, ok := strings.Cut(rest, "' ")
	if !ok {
		return pass
	}
	if strings.HasPrefix(rest, "(") { // the number of the thread
		_, rest, _ = strings.Cut(rest, ") ")
	}
	rest, ok = strings.CutPrefix(rest, "panicked at ")
	if !ok {
		return pass
	}
	message := ""
	if strings.HasPrefix(rest, "'") { // before Rust 1.73: panicked at 'message', src/lib.rs:12:9
		if at := strings.LastIndex(rest, "', "); at > 0 {
			message, rest = rest[1:at], rest[at+3:]+":"
		}
	}
	p, _, ok := cutPlace(rest)
	if !ok {
		return pass
	}
	if name == "main" {
		name = ""
	}
	c.begin(Problem{File: p.file, Line: p.line, Column: p.column, Severity: Error, Code: name, Message: message, Source: "rust"})
	if message != "" {
		c.end(r)
		return taken
	}
	return more
}

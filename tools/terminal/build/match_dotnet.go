package build

import "strings"

// dotnetTestParser understands failed tests of dotnet test:
//
//	Failed Calc.Tests.Adds [10 ms]
//	Error Message:
//	 Assert.Equal() Failure
//	Stack Trace:
//	   at Calc.Tests.Adds() in /p/Tests.cs:line 12
type dotnetTestParser struct {
	block
	trace bool
}

func (c *dotnetTestParser) end(r *report) { c.block.end(r) }

func (c *dotnetTestParser) line(r *report, s string) verdict {
	if c.open {
		inside := strings.HasPrefix(s, " ") || !c.trace && s != "" // messages are not indented whole
		if inside && c.tick() && !strings.HasPrefix(s, "  Failed ") && !strings.HasPrefix(s, "  Passed ") {
			c.continues(strings.TrimSpace(s))
			return more
		}
		c.end(r)
		return pass
	}
	rest, ok := strings.CutPrefix(s, "  Failed ")
	if !ok || !strings.HasSuffix(rest, "]") {
		return pass
	}
	name := rest[:strings.LastIndexByte(rest, '[')+1]
	c.begin(Problem{Severity: Error, Code: strings.TrimSpace(strings.TrimSuffix(name, "[")), Source: "dotnet test"})
	c.trace = false
	return more
}

func (c *dotnetTestParser) continues(text string) {
	switch {
	case text == "Error Message:":
	case text == "Stack Trace:":
		c.trace = true
	case strings.HasPrefix(text, "Standard Output Messages:"):
		c.trace = true
	case !c.trace:
		c.add(text)
	default:
		at := strings.LastIndex(text, " in ")
		if at < 0 {
			return
		}
		if file, n, ok := strings.Cut(text[at+4:], ":line "); ok {
			p := place{file: file}
			p.line, _, _ = number(n)
			c.at(p)
		}
	}
}

package build

import "strings"

// pythonParser parses tracebacks, syntax errors and the output of pytest. The location is the last frame in the project.
type pythonParser struct {
	block
	traced  bool // since "Traceback"
	message string
}

func (c *pythonParser) end(r *report) { c.block.end(r) }

func (c *pythonParser) line(r *report, s string) verdict {
	if c.open {
		if c.tick() {
			if v := c.continues(r, s); v != pass {
				return v
			}
		}
		c.open = c.open && c.Message != ""
		c.end(r)
		return pass
	}
	switch {
	case strings.HasPrefix(s, "Traceback (most recent call last):"):
		c.begin(Problem{Severity: Error, Source: "python"})
		c.traced = true
		return more
	case strings.HasPrefix(s, `  File "`):
		c.begin(Problem{Severity: Error, Source: "python"})
		c.traced = false
		c.frame(r, s)
		return more
	case strings.HasPrefix(s, "E   "):
		if len(c.message) < maxMessage {
			c.message = extend(c.message, strings.TrimSpace(s[1:]))
		}
		return taken
	case strings.HasPrefix(s, "FAILED "), strings.HasPrefix(s, "ERROR "):
		return pytestSummary(r, s)
	case c.message != "":
		return c.pytest(r, s)
	}
	return pass
}

// frame reads `  File "a.py", line 3, in f`.
func (c *pythonParser) frame(r *report, s string) {
	file, rest, ok := strings.Cut(strings.TrimSpace(s)[len(`File "`):], `"`)
	n, _, number := number(strings.TrimPrefix(rest, ", line "))
	if !ok || !number || strings.HasPrefix(file, "<") {
		return
	}
	if c.File == "" || r.names.inside(file) && !strings.Contains(file, "site-packages") {
		c.File, c.Line = file, n
	}
}

func (c *pythonParser) continues(r *report, s string) verdict {
	switch {
	case strings.HasPrefix(s, `  File "`):
		c.frame(r, s)
		return more
	case strings.HasPrefix(s, "  "):
		return more // source
	case s == "":
		return pass
	}
	kind, _, _ := strings.Cut(s, ":")
	if strings.ContainsAny(kind, " \t()") || !letters(kind) {
		c.Message = ""
		return pass
	}
	c.add(s)
	if c.File == "" || !c.traced && !strings.Contains(kind, "Error") {
		c.Message = ""
		return pass
	}
	c.end(r)
	return taken
}

// pytest awaits "tests/test_a.py:5: AssertionError" after the lines with E.
func (c *pythonParser) pytest(r *report, s string) verdict {
	if s == "" {
		return pass
	}
	message := c.message
	c.message = ""
	p, kind, ok := cutPlace(s)
	if !ok || extension(p.file) != ".py" {
		return pass
	}
	kind = strings.TrimSpace(kind)
	if kind != "" && !strings.HasPrefix(message, kind) {
		message = kind + ": " + message
	}
	r.add(Problem{File: p.file, Line: p.line, Severity: Error, Message: message, Source: "pytest"}, false)
	return taken
}

// pytestSummary parses "FAILED tests/test_a.py::test_x - assert 1 == 2". It repeats a problem and adds the name of the test.
func pytestSummary(r *report, s string) verdict {
	_, rest, _ := strings.Cut(s, " ")
	id, message, _ := strings.Cut(rest, " - ")
	file, name, ok := strings.Cut(id, "::")
	if !strings.HasSuffix(file, ".py") || strings.Contains(file, " ") {
		return pass
	}
	p := Problem{File: file, Severity: Error, Code: name, Message: message, Source: "pytest"}
	if message == "" {
		p.Message = s
	}
	r.add(p, ok)
	return taken
}

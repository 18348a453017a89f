package build

import "strings"

// nodeParser understands errors that Node.js ends with: a name, a message and a trace,
// perhaps with the place before them.
//
//	/p/src/y.js:1
//	let a = ;
//	        ^
//
//	SyntaxError: Unexpected token ';'
//	    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
type nodeParser struct {
	block
	thrown place // that was named before
	ago    int
	traced bool
	quoted bool // Vitest quotes the output of a test
}

func (c *nodeParser) end(r *report) {
	if c.open && c.File == "" && c.thrown.file != "" && c.ago <= maxThrown {
		c.at(c.thrown)
	}
	c.open = c.open && (c.traced || c.File != "")
	c.block.end(r)
	c.thrown = place{}
}

// maxThrown bounds how many lines are between a place and its error.
const maxThrown = 6

func (c *nodeParser) line(r *report, s string) verdict {
	if c.open {
		if c.tick() && c.continues(r, s) {
			return more
		}
		c.end(r)
		return pass
	}
	c.ago++
	if s == "" {
		c.quoted = false
		return pass
	}
	c.quoted = c.quoted || strings.HasPrefix(s, "stderr | ") || strings.HasPrefix(s, "stdout | ")
	if s[0] == ' ' || c.quoted {
		return pass
	}
	if kind, _, ok := strings.Cut(s, ": "); ok && errorName(kind) {
		c.begin(Problem{Severity: Error, Message: s, Source: "node"})
		c.traced = false
		return more
	}
	if last := s[len(s)-1]; '0' <= last && last <= '9' && !strings.Contains(s, " ") {
		if p, _, ok := cutPlace(s + ":"); ok && p.column == 0 && jsLike(p.file) {
			c.thrown, c.ago = p, 0
			return taken
		}
	}
	return pass
}

func jsLike(file string) bool {
	switch extension(file) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx":
		return strings.HasPrefix(file, "/") || drive(file) || strings.HasPrefix(file, "file:")
	}
	return false
}

// errorName says whether a text is the name of an error, as in "TypeError" or
// "Error [ERR_X]".
func errorName(s string) bool {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "Uncaught "), " [")
	return len(s) <= 60 && strings.HasSuffix(s, "Error") && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, " .:/\\")
}

func (c *nodeParser) continues(r *report, s string) bool {
	text := strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, "    at "):
		c.traced = true
		if p, ok := jsFrame(text); ok && r.names.inside(p.file) && !strings.HasPrefix(p.file, "node:") {
			c.at(p)
		}
		return true
	case c.traced, text == "" && c.lines > 1:
		return false
	case c.lines > 20:
		return false
	}
	c.add(text)
	return true
}

package build

import "strings"

// viteParser understands Rollup, Vite, and rolldown with its frames:
//
//	[!] RollupError: src/r.js (1:9): "nothing" is not exported by "src/ok.js", …
//
//	[PARSE_ERROR] Unexpected token
//	   ╭─[ src/main.js:1:11 ]
//
//	error during build:
//	Could not resolve entry module "index.html".
type viteParser struct {
	block
	framed  bool // a frame has to follow
	failed  bool // the build has
	pending bool // the reason of the failure has not come yet
}

func (c *viteParser) end(r *report) {
	c.open = c.open && (!c.framed || c.File != "")
	c.block.end(r)
}

func (c *viteParser) line(r *report, s string) verdict {
	text := strings.TrimSpace(s)
	if c.open {
		if c.tick() && c.continues(text) {
			return more
		}
		c.end(r)
		return pass
	}
	switch {
	case s == "error during build:":
		c.failed, c.pending = true, true
		return taken
	case c.failed && strings.HasPrefix(text, "Build failed with "):
		return taken
	case strings.HasPrefix(text, "[UNRESOLVED_ENTRY]"):
		code, message, _ := bracket(text)
		c.begin(Problem{Severity: Error, Code: code, Message: strings.TrimPrefix(strings.TrimSpace(message), "Error: "), Source: "rolldown"})
	case strings.HasPrefix(text, "[!] "), strings.HasPrefix(s, "RollupError: "):
		message := strings.TrimPrefix(strings.TrimPrefix(text, "[!] "), "RollupError: ")
		c.begin(Problem{Severity: Error, Message: message, Source: "rollup"})
		c.rollup(message)
	case strings.HasPrefix(text, "(!) "):
		c.begin(Problem{Severity: Warning, Message: text[4:], Source: "rollup"})
	case strings.HasPrefix(s, "[vite"), strings.HasPrefix(s, "[plugin"):
		_, message, ok := bracket(s)
		if !ok {
			return pass
		}
		c.begin(Problem{Severity: Warning, Message: strings.TrimLeft(message, ": "), Source: "vite"})
		if c.failed || strings.Contains(message, "ailed") {
			c.Severity = Error
		}
		c.rollup(c.Message)
	case strings.HasPrefix(text, "["):
		code, message, ok := bracket(text)
		if !ok || code == "" || strings.ToUpper(code) != code || !strings.HasPrefix(message, " ") || !strings.Contains(code, "_") {
			return pass
		}
		c.begin(Problem{Severity: Error, Code: code, Message: message[1:], Source: "rolldown"})
		c.framed = true
		return more
	case strings.HasPrefix(text, "× "), strings.HasPrefix(text, "✖ ") && s != text: // swc and oxc
		_, message, _ := strings.Cut(text, " ")
		c.begin(Problem{Severity: Error, Message: message})
		c.framed = true
		return more
	default:
		reason := c.pending && text != "" && !strings.HasPrefix(text, "at ") && r.counts[Error] == 0
		if v := c.other(r, s, text); v != pass || !reason {
			c.pending = c.pending && !reason
			return v
		}
		// The first line after "error during build:" is the reason.
		c.begin(Problem{Severity: Error, Message: strings.TrimPrefix(text, "Error: "), Source: "vite"})
		c.rollup(c.Message)
	}
	c.framed, c.pending = false, false
	return more
}

// other parses errors of Babel and Rollup in the form of Vite.
func (c *viteParser) other(r *report, s, text string) verdict {
	if p, ok := syntaxError(text); ok {
		r.add(p, false)
		return taken
	}
	if where, _, ok := strings.Cut(s, " ("); !ok || !pathlike(where) || extension(where) == "" || strings.Contains(where, " ") || !strings.Contains(s, "): ") {
		return pass
	}
	c.begin(Problem{Severity: Error, Source: "rollup"})
	c.framed = false
	if c.rollup(s); c.Line == 0 {
		c.open = false
		return pass
	}
	return more
}

// rollup finds the place in a message: "src/r.js (1:9): …", or `… from "src/r2.js"`.
func (c *viteParser) rollup(message string) {
	if where, rest, ok := strings.Cut(message, "): "); ok {
		if file, line, column := endPlace(where + ")"); line > 0 && pathlike(file) {
			c.File, c.Line, c.Column, c.Message = file, line, column+1, rest
			return
		}
	}
	if _, rest, ok := strings.Cut(message, ` from "`); ok {
		if file, _, ok := strings.Cut(rest, `"`); ok && pathlike(file) {
			c.File = file
		}
	}
}

func (c *viteParser) continues(text string) bool {
	if where, ok := strings.CutPrefix(text, "╭─["); ok {
		if p, _, ok := cutPlace(strings.Trim(where, " ]─") + ":"); ok {
			c.at(p)
		}
		return true
	}
	if c.framed {
		return strings.Contains(text[:min(len(text), 20)], "│") || strings.HasPrefix(text, "╰")
	}
	switch {
	case text == "", strings.HasPrefix(text, "[!] "), strings.HasPrefix(text, "(!) "):
		return false
	case strings.HasPrefix(text, "file: "), strings.HasPrefix(text, "File: "):
		if p, _, ok := cutPlace(text[6:] + ":"); ok {
			c.File = ""
			p.column++
			c.at(p)
		}
	case strings.HasPrefix(text, "http"), strings.HasPrefix(text, "at "), strings.HasPrefix(text, "^"):
	case c.Line > 0 && begins(text):
		return false
	case c.Severity == Warning && c.lines < 6:
		c.add(text)
	default:
		if file, line, column := endPlace(text); line > 0 && pathlike(file) && c.Line == 0 {
			c.File = ""
			c.at(place{file: file, line: line, column: column + 1})
		} else if p, rest, ok := cutPlace(text); ok && c.Line == 0 { // "/p/a.ts:3:5: ERROR: Expected …"
			if f, ok := cutSeverity(rest); ok {
				c.File, c.Message = "", f.message
				p.column++
				c.at(p)
			}
		}
	}
	return true
}

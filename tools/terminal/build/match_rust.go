package build

import "strings"

// rustParser understands rustc and cargo, as they speak to people:
//
//	error[E0425]: cannot find value `x` in this scope
//	 --> src/main.rs:3:5
//	  |
//	3 |     x
//	  |     ^ not found in this scope
//	  = note: …
//
// and to programs, with --message-format=json.
type rustParser struct {
	block
	blank bool // the last line was empty
}

func (c *rustParser) end(r *report) { c.block.end(r) }

func (c *rustParser) line(r *report, s string) verdict {
	if c.open {
		if c.tick() && c.continues(s) {
			return more
		}
		c.end(r)
		return pass
	}
	if strings.HasPrefix(s, "{") {
		return rustJSON(r, s)
	}
	if !strings.HasPrefix(s, "error") && !strings.HasPrefix(s, "warning") {
		return pass
	}
	f, ok := cutSeverity(s)
	if !ok || f.note || f.code != "" && !strings.HasPrefix(f.code, "E0") && r.system != Cargo || strings.HasPrefix(f.message, "[") {
		return pass
	}
	if rustSummary(f.message) {
		return taken
	}
	source := ""
	if r.system == Cargo {
		source = "cargo"
	}
	c.begin(Problem{Severity: f.severity, Code: f.code, Message: f.message, Source: source})
	c.consequence = consequent(f.message)
	c.blank = false
	if f.severity == Error || r.system == Cargo {
		c.manifest(f.message)
	}
	return more
}

// rustSummary says whether a warning only counts others.
func rustSummary(message string) bool {
	return strings.Contains(message, " generated ") && strings.Contains(message, " warning") || strings.HasSuffix(message, " warnings emitted") || strings.HasSuffix(message, " warning emitted")
}

// manifest sets the file of an error of cargo itself.
func (c *rustParser) manifest(message string) {
	if _, rest, ok := strings.Cut(message, " at `"); ok {
		if file, _, ok := strings.Cut(rest, "`"); ok && strings.HasSuffix(file, "Cargo.toml") {
			c.File = file
		}
	}
}

func (c *rustParser) continues(s string) bool {
	text := strings.TrimLeft(s, " ")
	wasBlank := c.blank
	c.blank = text == ""
	switch {
	case strings.HasPrefix(text, "--> "):
		if p, _, ok := cutPlace(text[4:] + ":"); ok {
			c.at(p)
			if c.Source == "" || c.Source == "cargo" {
				c.Source = "rustc"
			}
		}
		return true
	case strings.HasPrefix(text, "= "):
		c.add(text[2:])
		return true
	case text == "":
		return !wasBlank && c.File == "" || c.Source == "cargo" && !wasBlank
	case strings.HasPrefix(s, "Caused by:"):
		return true
	case strings.HasPrefix(s, "error"), strings.HasPrefix(s, "warning"):
		return false
	case strings.HasPrefix(s, "note: "), strings.HasPrefix(s, "help: "):
		c.add(s)
		return true
	case wasBlank:
		if c.Source == "cargo" && strings.HasPrefix(s, "  ") {
			c.add(text)
			return true
		}
		return false
	case strings.HasPrefix(s, "   ") && text[0] >= 'A' && text[0] <= 'Z' && c.File == "": // "   Compiling x v1.0.0"
		return false
	// an error of cargo itself continues below
	case c.Source == "cargo" && c.Severity == Error && (s[0] == ' ' || strings.Contains(c.Message, "`")):
		c.add(text)
		return true
	}
	return c.File != "" && (strings.HasPrefix(text, "|") || strings.HasPrefix(text, "::: ") || strings.HasPrefix(text, "...") || snippet(text) || s[0] == ' ')
}

// snippet says whether a line shows source, as in "3 | let x;".
func snippet(text string) bool {
	_, rest, ok := number(text)
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " "), "|") || ok && rest == ""
}

package build

import "strings"

// cmakeParser understands CMake:
//
//	CMake Error at CMakeLists.txt:3 (find_package):
//	  Message of
//
//	  several paragraphs.
//	Call Stack (most recent call first):
//	  CMakeLists.txt:5 (include)
type cmakeParser struct {
	block
	stack bool
}

func (c *cmakeParser) end(r *report) { c.block.end(r) }

func (c *cmakeParser) line(r *report, s string) verdict {
	if c.open {
		switch {
		case c.tick() && s == "":
			return more // between paragraphs, or the end
		case strings.HasPrefix(s, "Call Stack"):
			c.stack = true
			return more
		case c.stack && strings.HasPrefix(s, "  "):
			return more
		case strings.HasPrefix(s, "  ") && c.lines < maxBlock:
			c.add(strings.TrimPrefix(s, "  "))
			return more
		}
		c.end(r)
		return pass
	}
	rest, ok := strings.CutPrefix(s, "CMake ")
	if !ok {
		if message, found := strings.CutPrefix(s, "-- Configuring incomplete"); found {
			r.add(Problem{Severity: Error, Message: "Configuring incomplete" + message, Source: "cmake"}, true)
			return taken
		}
		return pass
	}
	p := Problem{Severity: Warning, Source: "cmake"}
	switch kind, _, _ := strings.Cut(rest, " "); strings.TrimSuffix(kind, ":") {
	case "Error":
		p.Severity = Error
	case "Warning", "Deprecation":
	default:
		return pass
	}
	c.begin(p)
	c.stack = false
	c.head(rest)
	return more
}

// head reads the first line from its severity on.
func (c *cmakeParser) head(s string) {
	for _, word := range []string{"Error", "Warning", "Deprecation", " Warning", " Error", " (dev)"} {
		s = strings.TrimPrefix(s, word)
	}
	if rest, ok := strings.CutPrefix(s, " at "); ok {
		file, after, found := strings.Cut(rest, ":")
		if drive(rest) {
			file, after, found = strings.Cut(rest[2:], ":")
			file = rest[:2] + file
		}
		if n, command, ok := number(after); found && ok {
			c.File, c.Line = file, n
			c.Code = strings.Trim(strings.TrimSuffix(strings.TrimSpace(command), ":"), "()")
			return
		}
		s = rest
	} else if rest, ok := strings.CutPrefix(s, " in "); ok {
		file, message, _ := strings.Cut(rest, ":")
		c.File, s = file, message
	}
	c.add(strings.TrimSpace(strings.TrimPrefix(s, ":")))
}

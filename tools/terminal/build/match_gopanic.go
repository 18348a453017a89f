package build

import "strings"

// goPanicParser understands panics and data races: the place is the first frame in
// the project.
type goPanicParser struct {
	block
	race bool
	call string // the function of the next frame
}

func (g *goPanicParser) end(r *report) { g.block.end(r) }

func (g *goPanicParser) line(r *report, s string) verdict {
	if g.open {
		if g.tick() && g.continues(r, s) {
			return more
		}
		g.end(r)
		return pass
	}
	switch {
	case strings.HasPrefix(s, "panic: "), strings.HasPrefix(s, "fatal error: ") && strings.HasSuffix(s, "!"):
		g.begin(Problem{Severity: Error, Message: s, Source: "go"})
	case s == "WARNING: DATA RACE":
		g.begin(Problem{Severity: Error, Message: "data race", Code: "DATA RACE", Source: "go"})
	default:
		return pass
	}
	g.race = s == "WARNING: DATA RACE"
	return more
}

func (g *goPanicParser) continues(r *report, s string) bool {
	switch {
	case strings.HasPrefix(s, "\t"), g.race && strings.HasPrefix(s, "      "):
		if p, _, ok := cutFrame(strings.TrimSpace(s)); ok && g.File == "" && r.names.inside(p.file) {
			g.at(p)
			if test, _, ok := strings.Cut(g.call, "("); ok && strings.Contains(test, ".Test") && g.Code == "" {
				g.Code = test[strings.LastIndex(test, ".Test")+1:]
			}
		} else if strings.HasPrefix(s, "\tpanic: ") {
			g.add(s)
		}
		return true
	}
	if g.race && g.File == "" && strings.Contains(s, " at 0x") {
		g.add(s)
	}
	g.call = s
	return s == "" || s[0] == ' ' || strings.HasSuffix(s, ")") || strings.HasSuffix(s, ":") || strings.HasPrefix(s, "created by ") || strings.HasPrefix(s, "[signal ") ||
		g.race && strings.Contains(s, " at 0x")
}

// cutFrame reads "/p/add.go:12 +0x1d".
func cutFrame(s string) (place, string, bool) {
	where, offset, ok := strings.Cut(s, " +0x")
	if !ok {
		return place{}, "", false
	}
	p, _, ok := cutPlace(where + ":")
	return p, offset, ok
}

package build

import "strings"

// linkerParser understands linkers: GNU ld and gold, lld, that of Apple and that of
// Microsoft where it does not speak as compilers do.
type linkerParser struct {
	block
}

func (l *linkerParser) end(r *report) { l.block.end(r) }

func (l *linkerParser) line(r *report, s string) verdict {
	if l.open {
		if l.tick() && l.continues(r, s) {
			return more
		}
		l.end(r)
		return pass
	}
	if rest, ok := cutTool(s); ok {
		s = rest
	}
	switch {
	case strings.HasPrefix(s, "error: undefined symbol"), strings.HasPrefix(s, "error: duplicate symbol"):
		l.begin(Problem{Severity: Error, Message: s[len("error: "):], Source: "ld"})
		return more
	case strings.HasPrefix(s, "Undefined symbols for architecture"), strings.HasPrefix(s, "duplicate symbol '"):
		l.begin(Problem{Severity: Error, Message: s, Source: "ld"})
		return more
	}
	message, ok := linkMessage(s)
	if !ok {
		return pass
	}
	if strings.HasSuffix(message, "first defined here") && !strings.Contains(message, "multiple definition") {
		r.note(message)
		return taken
	}
	p := Problem{Severity: Error, Message: message, Source: "ld"}
	if at, _, found := cutPlace(lastPath(s)); found {
		p.File, p.Line = at.file, at.line
	} else if file, _, found := strings.Cut(lastPath(s), ":("); found && pathlike(file) {
		p.File = file
	}
	if extension(p.File) == ".o" {
		p.File, p.Line = "", 0
	}
	r.add(p, strings.Contains(message, "symbol(s) not found"))
	return taken
}

// cutTool takes the name of the linker off a line.
func cutTool(s string) (string, bool) {
	tool, rest, ok := strings.Cut(s, ": ")
	if !ok || len(tool) > 200 || strings.Contains(tool, " ") {
		return s, false
	}
	base := strings.TrimSuffix(tool[strings.LastIndexAny(tool, `/\`)+1:], ".exe")
	switch {
	case base == "ld", strings.HasSuffix(base, "-ld"), strings.HasPrefix(base, "ld."), strings.HasPrefix(base, "ld64"), base == "lld", base == "lld-link", base == "mold":
		return rest, true
	}
	return s, false
}

// linkMessages are messages that only linkers print.
var linkMessages = []string{
	"undefined reference to ", "multiple definition of ", "cannot find -l", "cannot open output file ", "undefined symbol: ",
	"library not found for ", "symbol(s) not found for architecture", "first defined here", "relocation truncated to fit", "hidden symbol ",
}

// linkMessage returns the message of a linker at the end of a line.
func linkMessage(s string) (string, bool) {
	head := s[:min(len(s), 4*maxPath)]
	if strings.IndexByte(head, ':') < 0 && !strings.Contains(head, "first defined") { // most lines are let go here
		return "", false
	}
	for _, phrase := range linkMessages {
		if at := strings.Index(head, phrase); at == 0 || at > 0 && (head[at-1] == ' ' || head[at-1] == ':') {
			return strings.TrimSpace(s[at:]), true
		}
	}
	return "", false
}

// lastPath is the part of a line that may name a place: GNU ld puts an object before
// it, as in "m.o:src/m.c:3: ".
func lastPath(s string) string {
	if at := strings.Index(s, ".o:"); at >= 0 && at < maxPath && len(s) > at+3 && s[at+3] != ' ' && s[at+3] != '(' {
		return s[at+3:]
	}
	return strings.TrimSpace(s)
}

// continues parses references to a symbol: ">>> referenced by m.c:3 (src/m.c:3)" of lld, and the indented lines of Apple's
// linker.
func (l *linkerParser) continues(r *report, s string) bool {
	if rest, ok := strings.CutPrefix(s, ">>> "); ok {
		l.add(rest)
		if by, ok := strings.CutPrefix(rest, "referenced by "); ok {
			if _, full, found := strings.Cut(by, " ("); found && strings.HasSuffix(full, ")") {
				by = strings.TrimSuffix(full, ")")
			}
			if p, _, found := cutPlace(by + ":"); found {
				l.at(p)
			}
		}
		return true
	}
	if strings.HasPrefix(s, "  ") {
		l.add(s)
		return true
	}
	return false
}

package build

import "strings"

// makeParser parses messages of make and ninja, and of the shell that they run.
type makeParser struct{}

func (makeParser) end(*report) {}

func (makeParser) line(r *report, s string) verdict {
	tool, rest, ok := strings.Cut(s, ": ")
	if !ok || len(tool) > 60 {
		return pass
	}
	base := tool[strings.LastIndexAny(tool, `/\`)+1:]
	switch name, _, _ := strings.Cut(base, "["); strings.TrimSuffix(name, ".exe") {
	case "make", "gmake", "mingw32-make":
		return makeSays(r, rest)
	case "ninja":
		if dir, ok := strings.CutPrefix(rest, "Entering directory `"); ok {
			r.names.within = nil
			r.names.enter(strings.TrimRight(dir, "'"))
			return taken
		}
		if message, ok := strings.CutPrefix(rest, "error: "); ok {
			p := Problem{Severity: Error, Message: message, Source: "ninja"}
			if at, said, found := cutPlace(message); found {
				p.File, p.Line, p.Message = at.file, at.line, said
			}
			r.add(p, false)
			return taken
		}
		if strings.HasPrefix(rest, "build stopped") {
			r.add(Problem{Severity: Error, Message: rest, Source: "ninja"}, true)
			return taken
		}
	case "sh", "bash":
		return shellSays(r, rest)
	}
	return pass
}

// makeSays parses messages of make.
func makeSays(r *report, s string) verdict {
	switch {
	case strings.HasPrefix(s, "Entering directory "):
		r.names.enter(unquoted(s[len("Entering directory "):]))
		return taken
	case strings.HasPrefix(s, "Leaving directory "):
		r.names.leave()
		return taken
	case strings.HasPrefix(s, "ディレクトリ "): // as a Japanese make says both
		dir := strings.TrimPrefix(s, "ディレクトリ ")
		if in, ok := strings.CutSuffix(dir, " に入ります"); ok {
			r.names.enter(unquoted(in))
		} else {
			r.names.leave()
		}
		return taken
	case strings.HasPrefix(s, "*** "):
		return makeStops(r, s[4:])
	case strings.HasSuffix(s, ": No such file or directory"), strings.HasSuffix(s, ": Command not found"), strings.HasSuffix(s, ": Permission denied"):
		r.add(Problem{Severity: Error, Message: s, Source: "make"}, false)
		return taken
	case strings.HasPrefix(s, "warning: "):
		r.add(Problem{Severity: Warning, Message: s[len("warning: "):], Source: "make"}, false)
		return taken
	}
	return pass
}

// makeStops parses "*** [Makefile:3: all] Error 1", a consequence of the failed command, and "*** No rule to make target 'x'.
// Stop.", an error of its own.
func makeStops(r *report, s string) verdict {
	p := Problem{Severity: Error, Message: s, Source: "make"}
	inner, rest, failed := strings.Cut(strings.TrimPrefix(s, "["), "] ")
	failed = failed && s[:1] == "["
	if at, target, ok := cutPlace(inner); ok && failed {
		p.File, p.Line = at.file, at.line
		p.Message = strings.TrimSpace(target) + ": " + rest
	}
	ignored := strings.HasSuffix(s, "(ignored)")
	if ignored {
		p.Severity = Warning
	}
	unfinished := strings.HasPrefix(s, "Waiting for unfinished jobs")
	if !unfinished {
		r.add(p, failed)
	}
	return taken
}

// shellSays takes "1: tool: not found" and "line 1: tool: command not found".
func shellSays(r *report, s string) verdict {
	message := s
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		message = rest
	}
	if _, rest, ok := number(message); ok {
		message = strings.TrimPrefix(rest, ": ")
	}
	if !strings.HasSuffix(message, ": not found") && !strings.HasSuffix(message, ": command not found") && !strings.HasSuffix(message, ": Permission denied") {
		return pass
	}
	r.add(Problem{Severity: Error, Message: message, Source: "sh"}, false)
	return taken
}

// unquoted takes the quotes of make off a name.
func unquoted(s string) string { return strings.Trim(s, "'`\"") }

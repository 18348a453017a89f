package build

import "strings"

// goParser parses messages of the go command without location. Its lines with a location have the form of compilerParser.
type goParser struct {
	block
	// within the section of a "# package" line
	pkg bool
}

// end adds the problem. A line that only names a package is none.
func (g *goParser) end(r *report) {
	g.open = g.open && (!strings.HasPrefix(g.Message, "package ") || strings.Contains(g.Message, ": "))
	g.block.end(r)
}

func (g *goParser) line(r *report, s string) verdict {
	if g.open {
		if strings.HasPrefix(s, "\t") && g.tick() {
			g.add("  " + strings.TrimSpace(s))
			return more
		}
		g.end(r)
		return pass
	}
	switch {
	case strings.HasPrefix(s, "go: "):
		return g.command(r, s[4:])
	case strings.HasPrefix(s, "# ") && !strings.Contains(s[2:], " ") || strings.HasPrefix(s, "# ") && strings.HasSuffix(s, ".test]"):
		g.pkg = true
		return taken
	case strings.HasPrefix(s, "vet: "):
		if p, message, ok := cutPlace(s[5:]); ok {
			r.add(Problem{File: p.file, Line: p.line, Column: p.column, Severity: Error, Message: message, Source: "vet"}, false)
			return taken
		}
	case g.pkg && r.system == Go && linking(s):
		g.begin(Problem{Severity: Error, Message: s, Source: "go"})
		g.consequence = strings.Contains(s, "running gcc failed") || strings.Contains(s, "exit status")
		return more
	case strings.HasPrefix(s, "package ") && r.system == Go && goPackageProblem(s):
		r.add(Problem{Severity: Error, Message: s, Source: "go"}, false)
		return taken
	case strings.HasPrefix(s, "package ") && r.system == Go && len(s) < maxPath: // an import cycle can follow
		g.begin(Problem{Severity: Error, Message: s, Source: "go"})
		return more
	case strings.HasPrefix(s, "FAIL\t"), strings.HasPrefix(s, "ok  \t"), strings.HasPrefix(s, "?   \t"):
		g.pkg = false
	}
	return pass
}

// goProgress are the beginnings of lines that the go command prints without an error.
var goProgress = []string{
	"downloading ", "finding ", "extracting ", "added ", "upgraded ", "downgraded ", "removed ", "creating ", "found ", "to add ", "trying ", "switching ", "copying ", "updating ",
}

func (g *goParser) command(r *report, s string) verdict {
	for _, prefix := range goProgress {
		if strings.HasPrefix(s, prefix) {
			return taken
		}
	}
	p := Problem{Severity: Error, Message: s, Source: "go"}
	if message, ok := strings.CutPrefix(s, "warning: "); ok {
		p.Severity, p.Message = Warning, message
	}
	if strings.HasPrefix(s, "errors parsing ") && strings.HasSuffix(s, ":") {
		r.add(p, true) // messages with locations follow
		return taken
	}
	if at, message, ok := cutPlace(s); ok {
		p.File, p.Line, p.Column, p.Message = at.file, at.line, at.column, message
	}
	g.begin(p)
	return more
}

// linking reports whether a line below "# package" is from the linker.
func linking(s string) bool {
	return strings.Contains(s, ": relocation target ") || strings.Contains(s, "function main is undeclared") || strings.Contains(s, "/link: ") ||
		strings.HasPrefix(s, "link: ") || strings.HasPrefix(s, "loadinternal: ") || strings.HasPrefix(s, "import cycle not allowed")
}

func goPackageProblem(s string) bool {
	return strings.Contains(s, " is not in std") || strings.Contains(s, " imports ") || strings.Contains(s, "cannot find ") || strings.Contains(s, "build constraints exclude")
}

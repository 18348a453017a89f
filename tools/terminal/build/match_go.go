package build

import "strings"

// goParser understands what the go command says without a place; its lines with one
// are like those of other compilers.
type goParser struct {
	block
	pkg bool // within what follows "# package"
}

// end files the problem; a package that is only named is none.
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
	case strings.HasPrefix(s, "package ") && r.system == Go && len(s) < maxPath: // what it imports in a circle may follow
		g.begin(Problem{Severity: Error, Message: s, Source: "go"})
		return more
	case strings.HasPrefix(s, "FAIL\t"), strings.HasPrefix(s, "ok  \t"), strings.HasPrefix(s, "?   \t"):
		g.pkg = false
	}
	return pass
}

// goProgress are the beginnings of what the go command says when nothing is wrong.
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
		r.add(p, true) // what they are follows, with places
		return taken
	}
	if at, message, ok := cutPlace(s); ok {
		p.File, p.Line, p.Column, p.Message = at.file, at.line, at.column, message
	}
	g.begin(p)
	return more
}

// linking says whether a line under "# package" is the linker's.
func linking(s string) bool {
	return strings.Contains(s, ": relocation target ") || strings.Contains(s, "function main is undeclared") || strings.Contains(s, "/link: ") ||
		strings.HasPrefix(s, "link: ") || strings.HasPrefix(s, "loadinternal: ") || strings.HasPrefix(s, "import cycle not allowed")
}

func goPackageProblem(s string) bool {
	return strings.Contains(s, " is not in std") || strings.Contains(s, " imports ") || strings.Contains(s, "cannot find ") || strings.Contains(s, "build constraints exclude")
}

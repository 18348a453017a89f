package build

import (
	"path"
	"strings"
)

// goTestParser parses the output of go test. Log lines with locations are the errors of a failed test. The verdict line comes
// before them, or with -v after them.
//
//	--- FAIL: TestAdds (0.00s)
//	    --- FAIL: TestAdds/zero (0.00s)
//	        add_test.go:12: got 1, want 2
//	            and more of it
type goTestParser struct {
	test    string    // test of the present lines
	failed  bool      // it has failed
	indent  int       // of its last line with a location
	waiting []Problem // problems of running tests
	found   []Problem // problems of failed tests of this package
	lines   int
}

const (
	// maxWaiting is the most log problems of running tests.
	maxWaiting = 200
	// maxLogged is the most lines of one log message.
	maxLogged = 40
)

// end adds the problems of a package whose last line is missing.
func (g *goTestParser) end(r *report) { g.file(r, "") }

func (g *goTestParser) line(r *report, s string) verdict {
	text := strings.TrimLeft(s, " ")
	deep := len(s) - len(text)
	switch {
	case strings.HasPrefix(text, "--- "):
		return g.verdictOf(text[4:])
	case strings.HasPrefix(s, "=== "):
		_, name, _ := strings.Cut(s[4:], " ")
		g.test, g.failed, g.lines = strings.TrimSpace(name), false, 0
		return taken
	case strings.HasPrefix(s, "FAIL\t"):
		_, rest, _ := strings.Cut(s, "\t")
		pkg, rest, _ := strings.Cut(rest, "\t")
		g.file(r, pkg)
		if strings.Contains(rest+s, "failed]") {
			r.add(Problem{Severity: Error, Message: "the tests of " + strings.Replace(pkg, " ", ": ", 1) + " were not built", Source: "go"}, true)
		}
		return taken
	case strings.HasPrefix(s, "ok  \t"):
		g.reset()
		return taken
	case g.test == "" || deep < 4:
		return pass
	}
	return g.logged(s, text, deep)
}

// verdictOf parses "FAIL: TestAdds (0.00s)".
func (g *goTestParser) verdictOf(s string) verdict {
	kind, name, ok := strings.Cut(s, ": ")
	if !ok || kind != "FAIL" && kind != "PASS" && kind != "SKIP" {
		return pass
	}
	name, _, _ = strings.Cut(name, " ")
	g.test, g.failed, g.lines = name, kind == "FAIL", 0
	var kept []Problem
	for _, p := range g.waiting {
		switch {
		case p.Code != name:
			kept = append(kept, p)
		case g.failed:
			g.keep(p)
		}
	}
	g.waiting = kept
	if g.failed { // reported by name unless a log line follows
		g.keep(Problem{Severity: Error, Code: name, Message: name + " failed", Source: "go test"})
	}
	return taken
}

func (g *goTestParser) keep(p Problem) {
	if len(g.found) < maxEach {
		g.found = append(g.found, p)
	}
}

// logged parses a line of the log of a test, or its continuation.
func (g *goTestParser) logged(s, text string, deep int) verdict {
	list := &g.waiting
	if g.failed {
		list = &g.found
	}
	if p, message, ok := cutPlace(text); ok && extension(p.file) == ".go" && p.column == 0 {
		if len(*list) < maxWaiting {
			*list = append(*list, Problem{File: p.file, Line: p.line, Severity: Error, Code: g.test, Message: message, Source: "go test"})
		}
		g.indent, g.lines = deep, 0
		return taken
	}
	n := len(*list)
	if n == 0 || (*list)[n-1].Code != g.test || deep <= g.indent || g.lines >= maxLogged {
		return pass
	}
	g.lines++
	(*list)[n-1].Message = extend((*list)[n-1].Message, s[min(g.indent+4, deep):])
	return taken
}

// file adds the problems of a package. Without -fullpath, file names lack the directory, which is the end of the package path.
func (g *goTestParser) file(r *report, pkg string) {
	located := map[string]bool{}
	for _, p := range g.found {
		if p.File != "" {
			located[p.Code] = true
		}
	}
	for _, p := range g.found {
		if p.File == "" && (located[p.Code] || g.parent(p.Code) || r.located(p.Code)) {
			continue
		}
		if p.Message == "race detected during execution of test" { // the framework repeats a reported race
			r.add(Problem{Severity: Error, Code: p.Code, Message: p.Message, Source: p.Source}, true)
			continue
		}
		if p.File != "" && !strings.ContainsAny(p.File, `/\`) {
			var candidates []string
			for dir := pkg; ; {
				candidates = append(candidates, path.Join(dir, p.File))
				_, rest, ok := strings.Cut(dir, "/")
				if !ok || len(candidates) > 20 {
					break
				}
				dir = rest
			}
			p.File = r.names.find(p.File, candidates...)
		}
		r.add(p, false)
	}
	g.reset()
}

// parent reports whether a test failed only because a subtest failed.
func (g *goTestParser) parent(name string) bool {
	for _, p := range g.found {
		if strings.HasPrefix(p.Code, name+"/") {
			return true
		}
	}
	return false
}

func (g *goTestParser) reset() { *g = goTestParser{} }

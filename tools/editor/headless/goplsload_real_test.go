package headless_test

import (
	"fmt"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// checks returns the state and the reason of each file, as "name: state, reason".
func (p *project) checks(names ...string) []string {
	p.t.Helper()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = p.path(name)
	}
	d, err := p.Diagnose(long(p.t), paths)
	if err != nil {
		p.t.Fatal(err)
	}
	lines := []string{}
	for _, c := range d.Checks {
		line := fmt.Sprintf("%s: %s", p.rel(c.Path), c.State)
		if c.State == adapter.Unchecked {
			line += ", " + c.Reason + ". " + c.Next
		}
		lines = append(lines, line)
	}
	return lines
}

func TestDiagnose_GoplsBrokenModule(t *testing.T) {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	const files = "\n-- a.go --\npackage x\n\nvar a int = \"\"\n-- b/b.go --\npackage b\n"
	const broken = "unchecked, gopls has not loaded its package, because go.mod has an error. Correct go.mod, and call again."
	for _, test := range []struct{ name, module string }{
		{"Syntax", "module example.com/x\n\ngo 1.24\n\nrequire ("},
		{"NewerGo", "module example.com/x\n\ngo 1.999"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := open(t, "-- go.mod --\n"+test.module+files, headless.Options{})
			same(t, "the project", p.checks(), []string{"a.go: " + broken, "b/b.go: " + broken, "go.mod: checked"})
			same(t, "one file", p.checks("a.go"), []string{"a.go: " + broken})
			p.write("go.mod", "module example.com/x\n\ngo 1.24\n")
			p.FilesChanged([]string{p.path("go.mod")})
			same(t, "the project with a corrected go.mod", p.checks(), []string{"a.go: checked", "b/b.go: checked", "go.mod: checked"})
			p.write("go.mod", test.module+"\n")
			p.FilesChanged([]string{p.path("go.mod")})
			same(t, "the project with a go.mod that is broken again", p.checks(), []string{"a.go: " + broken, "b/b.go: " + broken, "go.mod: checked"})
		})
	}
}

func TestDiagnose_GoplsModuleOutsideOfWorkspace(t *testing.T) {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	p := open(t, "-- go.work --\ngo 1.24\n\nuse ./in\n-- in/go.mod --\nmodule example.com/in\n\ngo 1.24\n-- in/in.go --\npackage in\n-- in/in_test.go --\npackage in_test\n-- out/go.mod --\nmodule example.com/out\n\ngo 1.24\n-- out/out.go --\npackage out\n\nvar a int = \"\"\n", headless.Options{})
	got := p.checks()
	want := []string{
		"go.work: checked", "in/go.mod: checked", "in/in.go: checked", "in/in_test.go: checked", "out/go.mod: checked",
		"out/out.go: unchecked, gopls has not loaded its package. Check it alone, with path.",
	}
	same(t, "the project", got, want)
	if found := p.diagnose("out/out.go"); len(found) != 1 {
		t.Errorf("the file alone: %q", found)
	}
}

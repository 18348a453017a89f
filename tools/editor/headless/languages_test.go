package headless_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// TestUnindexed_CompilationDatabase checks when clangd is reported to have no compilation database.
func TestUnindexed_CompilationDatabase(t *testing.T) {
	server := headless.Server{Name: "clangd", Languages: []string{"c"}, Command: testBinary(t), Index: "compile_commands.json", IndexHint: "Make it."}
	for name, tc := range map[string]struct {
		index, settings string
		there           bool
	}{
		"none":                     {},
		"beside the file":          {index: "src/compile_commands.json", there: true},
		"at the top":               {index: "compile_commands.json", there: true},
		"in build":                 {index: "build/compile_commands.json", there: true},
		"in another directory":     {index: "out/compile_commands.json"},
		"in the one that is named": {index: "out/compile_commands.json", settings: "CompileFlags:\n  CompilationDatabase: out\n", there: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := fake(t, lsptest.Script{}, headless.Options{Servers: []headless.Server{server}})
			p.write("src/a.c", "int x;\n")
			if tc.index != "" {
				p.write(tc.index, "[]\n")
			}
			if tc.settings != "" {
				p.write(".clangd", tc.settings)
			}
			reason, next := p.Unindexed(p.path("src/a.c"))
			if tc.there && reason+next != "" || !tc.there && (reason != "clangd has checked only open files and their includes, because there is no compile_commands.json for a.c" || next != "Make it.") {
				t.Errorf("%q, %q", reason, next)
			}
			if reason, _ := p.Unindexed(p.path("a.go")); reason != "" {
				t.Errorf("of another language: %q", reason)
			}
		})
	}
}

func TestCoversProject(t *testing.T) {
	servers := func(command string) headless.Options {
		return headless.Options{Servers: []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: command}}, Formatters: []headless.Formatter{}}
	}
	for _, test := range []struct {
		name, files, command string
		want                 bool
	}{
		{"a language of the server", "-- a.go --\npackage a", testBinary(t), true},
		{"another language", "-- a.py --\npass", testBinary(t), false},
		{"no file", "-- README.md --\nNothing.", testBinary(t), false},
		{"the server is not installed", "-- a.go --\npackage a", "no-such-server", false},
	} {
		p := open(t, test.files, servers(test.command))
		changed := make(chan struct{}, 10)
		stop := p.Watch(func() { changed <- struct{}{} })
		if p.CoversProject() != test.want { // it returns true if the scan takes longer than half a second
			<-changed
		}
		if got := p.CoversProject(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		stop()
	}
}

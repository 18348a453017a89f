package headless_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestServer_Extensions checks that a server can serve files of a language that the package does not know.
func TestServer_Extensions(t *testing.T) {
	p := open(t, "-- src/app.GLEAM --\npub fn main() {}\n-- other.unknown --\nx", headless.Options{
		Servers: []headless.Server{
			{Name: "gleam", Languages: []string{"gleam"}, Extensions: map[string]string{".gleam": "gleam"}, Command: testBinary(t)},
			{Name: "later", Languages: []string{"other"}, Extensions: map[string]string{".gleam": "other"}, Command: testBinary(t)},
		},
		Formatters: []headless.Formatter{},
	})
	languages, err := p.Languages(t.Context(), false)
	if err != nil || len(languages) != 1 || languages[0].Language != "gleam" || languages[0].Files != 1 || len(languages[0].Servers) != 1 {
		t.Errorf("the languages are %+v, %v", languages, err)
	}
	if !p.CoversProject() {
		t.Error("the project is not covered")
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
		if p.CoversProject() != test.want { // it returns true if the scan takes longer than three seconds
			<-changed
		}
		if got := p.CoversProject(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		stop()
	}
}

// A project is covered as soon as it has a file of a language with a server, and the server is installed, whichever comes last.
func TestCoversProject_Later(t *testing.T) {
	for name, test := range map[string]struct {
		files  string
		report bool // the file is made by a tool, which reports it
	}{
		"the server is installed":           {files: "-- a.go --\npackage a"},
		"a file is made":                    {files: "-- README.md --\nNothing."},
		"a file is made and reported":       {files: "-- README.md --\nNothing.", report: true},
		"a file is made in an empty folder": {},
	} {
		t.Run(name, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), "bin") // made by the installation
			server := filepath.Join(bin, "fake-server")
			install := func() {
				if err := os.Mkdir(bin, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Link(testBinary(t), server); err != nil {
					if err := os.Symlink(testBinary(t), server); err != nil {
						t.Skip(err)
					}
				}
			}
			has := strings.Contains(test.files, "a.go")
			if !has {
				install()
			}
			o := headless.Options{Servers: []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: "fake-server"}}, Formatters: []headless.Formatter{}, Search: []string{bin}}
			delay := 20 * time.Millisecond
			if test.report {
				delay = time.Hour
			}
			p := open(t, test.files, headless.WithCoverDelay(o, delay))
			changed := make(chan struct{}, 100)
			defer p.Watch(func() { changed <- struct{}{} })()
			for p.CoversProject() {
				<-changed
			}
			if has {
				install()
			} else {
				p.write("cmd/a.go", "package a\n")
			}
			if test.report {
				p.FilesChanged([]string{p.path("cmd/a.go")})
			}
			for !p.CoversProject() {
				select {
				case <-changed:
				case <-time.After(time.Minute):
					t.Fatal("the project is not covered after a minute")
				}
			}
		})
	}
}

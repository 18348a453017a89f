package headless_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// confined is a project with a sandbox for its programs, and a home directory that contains a key.
type confined struct {
	*project
	sandbox *sandbox.Sandbox
	key     string // in the home directory
	outside string // a file that does not exist, beside the project
}

// confine opens a project without programs. wanted are the options of the sandbox, or nil for none; the test may change them.
func confine(t *testing.T, wanted *sandbox.Options) confined {
	t.Helper()
	home := t.TempDir()
	c := confined{
		project: open(t, fakeProject, headless.Options{Servers: []headless.Server{}, Formatters: []headless.Formatter{}}),
		key:     filepath.Join(home, ".ssh", "id_rsa"), outside: filepath.Join(t.TempDir(), "new"),
	}
	if err := os.MkdirAll(filepath.Dir(c.key), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.key, []byte("key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if wanted != nil {
		o := *wanted
		o.Helper, o.Dirs, o.Home = helper, c.root.Dirs(), home
		c.sandbox = toolsettest.Sandbox(t, o)
	}
	return c
}

// files are the paths that programs try to read and to write.
func (c confined) files() (read, write []string) {
	return []string{c.path("b.go"), c.key}, []string{c.path("made"), c.path(".mcp.json"), c.path(".cache/x/cached"), c.outside}
}

// start replaces the editor by another one.
func (c confined) start(t *testing.T, o headless.Options) confined {
	t.Helper()
	c.stop(t)
	o.Sandbox = c.sandbox
	c.Headless = headless.New(c.root, o)
	t.Cleanup(func() { c.stop(t) }) // before the sandbox is closed
	return c
}

func (c confined) stop(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
}

// serve starts a server that tries to access the files.
func (c confined) serve(t *testing.T, server headless.Server) confined {
	t.Helper()
	server.Name, server.Languages, server.Command = "fake", []string{"go"}, testBinary(t)
	script := lsptest.Script{Answers: map[string]string{
		"textDocument/diagnostic": `{"kind":"full","items":[{` + span(2, 4, 2, 5) + `,"severity":1,"code":"R1","message":"reaches: $REACHES"}]}`,
	}}
	script.Read, script.Write = c.files()
	return c.start(t, headless.Options{Servers: []headless.Server{server}, Formatters: []headless.Formatter{}, Env: script.Env()})
}

func (c confined) exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// readsTests lets the sandbox run this program.
func readsTests(t *testing.T) []string { return []string{testBinary(t)} }

func TestDiagnose_Sandbox(t *testing.T) {
	landlock := []sandbox.Kind{sandbox.Landlock}
	for name, tc := range map[string]struct {
		sandbox *sandbox.Options
		writes  []string
		reaches string
	}{
		"none":                             {nil, nil, "read b.go, read id_rsa, wrote made, wrote .mcp.json, wrote cached, wrote new"},
		"a server":                         {&sandbox.Options{}, nil, "read b.go"},
		"a server with a cache":            {&sandbox.Options{}, []string{".cache/x"}, "read b.go, wrote cached"},
		"a server that writes":             {&sandbox.Options{}, []string{"."}, "read b.go, wrote made, wrote .mcp.json, wrote cached"},
		"a read-only project":              {&sandbox.Options{ReadOnly: true}, []string{"."}, "read b.go"},
		"a cache in a read-only project":   {&sandbox.Options{ReadOnly: true}, []string{".cache/x"}, "read b.go"},
		"a server in Landlock":             {&sandbox.Options{Kinds: landlock}, nil, "read b.go"},
		"a cache in Landlock":              {&sandbox.Options{Kinds: landlock}, []string{".cache/x"}, "read b.go, wrote cached"},
		"a server that writes in Landlock": {&sandbox.Options{Kinds: landlock}, []string{"."}, "read b.go, wrote made, wrote .mcp.json, wrote cached"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.sandbox != nil {
				tc.sandbox.Read = readsTests(t)
			}
			c := confine(t, tc.sandbox)
			if !slices.Equal(tc.writes, []string{".cache/x"}) { // that is made
				c.write(".cache/x/old", "")
			}
			c.serve(t, headless.Server{Writes: tc.writes})
			same(t, "diagnostics", c.diagnose("a.go"), []string{"a.go:3:5-6: error: reaches: " + tc.reaches + " [R1]"})
			c.stop(t)
			writes := strings.Contains(tc.reaches, "made")
			if c.exists(c.path("made")) != writes || c.exists(c.outside) != (tc.sandbox == nil) {
				t.Errorf("in the project: %v, outside: %v", c.exists(c.path("made")), c.exists(c.outside))
			}
			// A file with a protected name does not stay when the server has ended.
			if refused := c.exists(c.path(".mcp.json.refused")); refused != (writes && tc.sandbox != nil) || refused && c.exists(c.path(".mcp.json")) {
				t.Errorf("the protected name was refused: %v", refused)
			}
		})
	}
}

// A link in the project does not give the server access to its target.
func TestDiagnose_SandboxLinkedCache(t *testing.T) {
	c := confine(t, &sandbox.Options{Read: readsTests(t)})
	outside := t.TempDir()
	if err := os.Symlink(outside, c.path(".cache")); err != nil {
		t.Fatal(err)
	}
	c.serve(t, headless.Server{Writes: []string{".cache/x"}})
	same(t, "diagnostics", c.diagnose("a.go"), []string{"a.go:3:5-6: error: reaches: read b.go [R1]"})
	if c.exists(filepath.Join(outside, "x")) {
		t.Error("a directory was made outside of the project")
	}
}

func TestFormat_Sandbox(t *testing.T) {
	for name, tc := range map[string]struct {
		sandbox *sandbox.Options
		reaches string
	}{
		"none":      {nil, "read b.go, read id_rsa, wrote made, wrote .mcp.json, wrote new\n"},
		"a sandbox": {&sandbox.Options{}, "read b.go\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.sandbox != nil {
				tc.sandbox.Read = readsTests(t)
			}
			c := confine(t, tc.sandbox)
			read, write := c.files()
			c = c.start(t, headless.Options{
				Servers: []headless.Server{}, Env: append(os.Environ(), formatterVariable+"=reach"),
				Formatters: []headless.Formatter{{Name: "reach", Languages: []string{"rust"}, Command: testBinary(t), Args: slices.Concat(read, []string{"--"}, write)}},
			})
			edits, err := c.Format(long(t), adapter.Document{Path: c.path("x.rs"), Text: "\n"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := adapter.Apply("\n", edits); got != tc.reaches || err != nil {
				t.Errorf("it %q, %v, want %q", got, err, tc.reaches)
			}
		})
	}
}

// processes counts the processes whose command line or environment contains a text.
func processes(t *testing.T, text string) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may have ended
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if strings.Contains(string(line)+string(env), text) {
			n++
		}
	}
	return n
}

// Close ends a server that reads no input, with all processes of its sandbox.
func TestClose_SandboxEnds(t *testing.T) {
	for name, kinds := range map[string][]sandbox.Kind{"default": nil, "Landlock": {sandbox.Landlock}} {
		t.Run(name, func(t *testing.T) {
			c := confine(t, &sandbox.Options{Read: readsTests(t), Kinds: kinds})
			script := lsptest.Script{Does: map[string]string{"textDocument/definition": lsptest.Sleep}, Read: []string{c.path("a.go")}}
			c.start(t, headless.Options{Servers: []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: testBinary(t)}}, Env: script.Env()})
			if _, err := c.Symbols(long(t), c.doc("a.go")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := c.Definition(ctx, c.doc("a.go"), adapter.Position{Line: 1, Column: 1}); code(err) != "TIMEOUT" {
				t.Errorf("a server that sleeps: %v", err)
			}
			if processes(t, c.dir) == 0 {
				t.Error("no server runs")
			}
			c.stop(t)
			if n := processes(t, c.dir); n != 0 {
				t.Errorf("%d processes are left", n)
			}
		})
	}
}

// A server that the sandbox does not contain is reported as missing.
func TestDiagnose_SandboxLacksServer(t *testing.T) {
	program := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := confine(t, &sandbox.Options{}).start(t, headless.Options{
		Servers:    []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: program}},
		Formatters: []headless.Formatter{{Name: "fake", Languages: []string{"rust"}, Command: program}},
	})
	for what, err := range map[string]error{
		"symbols": func() error { _, err := c.Symbols(long(t), c.doc("a.go")); return err }(),
		"format": func() error {
			_, err := c.Format(long(t), adapter.Document{Path: c.path("x.rs"), Text: "\n"}, nil)
			return err
		}(),
	} {
		text := fmt.Sprintf("%v", err)
		for _, words := range []string{"dougu-sandbox: start " + program, "commands.sandbox off", "commands.read"} {
			if !strings.Contains(text, words) && !strings.Contains(nextStep(err), words) {
				t.Errorf("%s: %v, next %q, want %q", what, err, nextStep(err), words)
			}
		}
	}
	d, err := c.Diagnose(long(t), []string{c.path("a.go")})
	if err != nil || d.Fresh || !strings.Contains(c.checkOf(d, "a.go").Next, "commands.sandbox off") {
		t.Errorf("diagnostics: %+v, %v", d, err)
	}
}

func TestState_Sandbox(t *testing.T) {
	c := confine(t, &sandbox.Options{Read: readsTests(t)}).serve(t, headless.Server{})
	if got := c.State().Detail; !strings.Contains(got, "fake") || !strings.Contains(got, "; in a sandbox made by ") {
		t.Errorf("in a sandbox: %q", got)
	}
	off, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.Off, Dirs: c.root.Dirs()})
	if err != nil {
		t.Fatal(err)
	}
	c.sandbox = off
	if got := c.serve(t, headless.Server{}).State().Detail; !strings.HasSuffix(got, "; without a sandbox") {
		t.Errorf("without: %q", got)
	}
}

// Language servers find their tool chains in the sandbox, and keep their caches.
func TestServers_Sandbox(t *testing.T) {
	for _, tc := range []struct{ program, remedy, archive, file, want string }{
		{"gopls", "go install golang.org/x/tools/gopls@latest", "-- go.mod --\nmodule example.com/p\n\ngo 1.22\n-- a.go --\npackage p\n\nimport \"fmt\"\n\nvar x int = fmt.Sprint()\n", "a.go", "IncompatibleAssign"},
		{"typescript-language-server", "npm install -g typescript typescript-language-server", "-- tsconfig.json --\n{}\n-- a.ts --\nexport const x: number = 'a';\n", "a.ts", "[2322]"},
		{"pyright-langserver", "npm install -g pyright", "-- a.py --\nx: int = 'a'\n", "a.py", "[reportAssignmentType]"},
		{"clangd", "install clangd", "-- compile_flags.txt --\n-Wall\n-- a.c --\n#include <stdio.h>\nint x = missing;\n", "a.c", "[undeclared_var_use]"},
	} {
		t.Run(tc.program, func(t *testing.T) {
			installed(t, tc.program, tc.remedy)
			p := open(t, tc.archive, headless.Options{})
			o := sandbox.Options{Helper: helper, Dirs: p.root.Dirs(), StateDir: t.TempDir()}
			c := confined{project: p, sandbox: toolsettest.Sandbox(t, o)}.start(t, headless.Options{})
			for range 2 {
				if got := c.diagnose(tc.file); len(got) != 1 || !strings.Contains(got[0], tc.want) {
					t.Errorf("the diagnostics are %q, want %s", got, tc.want)
				}
				c.start(t, headless.Options{})
			}
		})
	}
}

// Servers in the places of the user's home directory start in the sandbox.
func TestServer_InHomeSandbox(t *testing.T) {
	for _, place := range []string{".local/share/nvim/mason/bin", ".nvm/versions/node/v20.1.0/bin", ".cache/dougu/language-servers/fake/1.0.0/bin", ".vscode/extensions/fake.fake-1.0.0/bin"} {
		t.Run(place, func(t *testing.T) {
			home := emptyHome(t)
			program := filepath.Join(home, place, "fake-server")
			script(t, program)
			root := open(t, fakeProject, headless.Options{Servers: []headless.Server{}, Formatters: []headless.Formatter{}})
			box := toolsettest.Sandbox(t, sandbox.Options{Helper: helper, Dirs: root.root.Dirs(), Home: home, Read: readsTests(t)})
			server := headless.Server{Name: "fake", Languages: []string{"go"}, Command: "fake-server"}
			if strings.Contains(place, "language-servers") || strings.Contains(place, ".vscode") {
				server.Command = program
			}
			h := headless.New(root.root, headless.Options{
				Servers: []headless.Server{server}, Formatters: []headless.Formatter{}, Sandbox: box,
				Env: lsptest.Script{Answers: map[string]string{"textDocument/diagnostic": `{"items":[]}`}}.Env(),
			})
			c := confined{project: &project{Headless: h, t: t, dir: root.dir, root: root.root}}
			t.Cleanup(func() { c.stop(t) })
			d, err := h.Diagnose(long(t), []string{root.path("a.go")})
			if check := c.checkOf(d, "a.go"); err != nil || check.State != adapter.Checked {
				t.Errorf("%+v, %v", check, err)
			}
		})
	}
}

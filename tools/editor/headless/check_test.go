package headless_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// checkOf returns the check of a file in the result.
func (p *project) checkOf(d adapter.Diagnostics, name string) adapter.FileCheck {
	for _, c := range d.Checks {
		if c.Path == p.path(name) {
			return c
		}
	}
	return adapter.FileCheck{}
}

// npmPackage writes an npm package of TypeScript whose tsc is the test binary.
func npmPackage(t *testing.T, dir, version string) {
	t.Helper()
	testrequire.Thing(t, runtime.GOOS != "windows", "a shell for a script", "run the test on Linux or macOS")
	for name, content := range map[string]string{
		"node_modules/typescript/package.json": fmt.Sprintf(`{"name":"typescript","version":%q}`, version),
		"node_modules/typescript/bin/tsc":      "#!/bin/sh\n[ \"$1 $2\" = '--lsp --stdio' ] && exec '" + testBinary(t) + "'\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../typescript/bin/tsc", filepath.Join(bin, "tsc")); err != nil {
		t.Fatal(err)
	}
}

func TestDiagnose_NativeTypeScript(t *testing.T) {
	script := lsptest.Script{
		Capabilities: []byte(`{"diagnosticProvider":{"identifier":"typescript"}}`),
		Answers:      map[string]string{"textDocument/diagnostic": `{"items":[` + bad + `]}`},
	}
	for name, tc := range map[string]struct {
		installed, project string // versions of TypeScript in PATH and in the project
		trust              bool
		state              adapter.CheckState
		reason, next       string
	}{
		"version 7 in PATH":                         {installed: "7.0.2", state: adapter.Checked},
		"version 10 in PATH":                        {installed: "10.1.0-beta", state: adapter.Checked},
		"version 5 in PATH":                         {installed: "5.9.3", state: adapter.Unchecked, reason: "TypeScript 5.9.3, which is no language server", next: "typescript@7"},
		"none":                                      {state: adapter.Unchecked, reason: "typescript-language-server is not installed", next: "typescript@5"},
		"version 7 of a project without trust":      {project: "7.0.2", state: adapter.Unchecked, reason: "TypeScript 7.0.2 of the project", next: "-trust-project"},
		"version 7 of a trusted project":            {project: "7.0.2", trust: true, state: adapter.Checked},
		"version 5 of a trusted project, 7 in PATH": {installed: "7.0.2", project: "5.9.3", trust: true, state: adapter.Checked},
	} {
		t.Run(name, func(t *testing.T) {
			search := t.TempDir()
			if tc.installed != "" {
				npmPackage(t, search, tc.installed)
			}
			p := open(t, "-- src/a.ts --\nlet x = 1\n-- go.mod --\nmodule m\n", headless.Options{
				Env: script.Env(), Search: []string{filepath.Join(search, "node_modules", ".bin")}, TrustProject: tc.trust, TrustFlag: "-trust-project", Formatters: []headless.Formatter{},
			})
			if tc.project != "" {
				npmPackage(t, p.dir, tc.project)
			}
			for _, paths := range [][]string{{p.path("src/a.ts")}, nil} {
				d, err := p.Diagnose(long(t), paths)
				c := p.checkOf(d, "src/a.ts")
				if err != nil || c.State != tc.state || !strings.Contains(c.Reason, tc.reason) || !strings.Contains(c.Next, tc.next) {
					t.Errorf("of %q: %+v, %v", paths, d, err)
				}
				if checked := tc.state == adapter.Checked; checked != (len(d.Items) == 1) || checked != (c.By == "tsc") {
					t.Errorf("of %q: %+v", paths, d)
				}
			}
		})
	}
}

// TypeScript 7 has no tsserver.js, which typescript-language-server needs. The server counts as not installed.
func TestState_TypeScriptLanguageServerWithoutLibrary(t *testing.T) {
	dir := t.TempDir()
	npmPackage(t, dir, "7.0.2")
	search := filepath.Join(dir, "node_modules", ".bin")
	if err := os.Symlink("tsc", filepath.Join(search, "typescript-language-server")); err != nil {
		t.Fatal(err)
	}
	p := open(t, "-- a.ts --\nlet x = 1\n", headless.Options{Search: []string{search}, Formatters: []headless.Formatter{}})
	if detail := p.State().Detail; strings.Contains(detail, "typescript-language-server") || !strings.Contains(detail, "tsc") {
		t.Errorf("doctor shows %q", detail)
	}
}

func TestDiagnose_UncheckedFiles(t *testing.T) {
	p := fake(t, lsptest.Script{Answers: map[string]string{"textDocument/diagnostic": `{"items":[]}`}}, headless.Options{MaxFile: 100})
	p.write("large.go", "package a\n"+strings.Repeat("// x\n", 50))
	p.write("x.json", "{")
	p.write("x.unknown", "x")
	d, err := p.Diagnose(long(t), []string{p.path("a.go"), p.path("large.go"), p.path("x.json"), p.path("x.unknown")})
	if err != nil || p.checkOf(d, "a.go").State != adapter.Checked {
		t.Errorf("%+v, %v", d, err)
	}
	for name, reason := range map[string]string{"large.go": "fake cannot read it", "x.json": "no language server is known for json", "x.unknown": "no language server is known for this kind of file"} {
		if c := p.checkOf(d, name); c.State != adapter.Unchecked || !strings.Contains(c.Reason, reason) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestDiagnose_ServerStopped(t *testing.T) {
	p := fake(t, lsptest.Script{Does: map[string]string{"initialize": lsptest.Hang}}, headless.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	d, err := p.Diagnose(ctx, nil)
	if c := p.checkOf(d, "a.go"); err != nil || d.Fresh || c.State != adapter.Unchecked || !strings.Contains(c.Reason, "still starting") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDiagnose_GoFilesExcludedFromBuild(t *testing.T) {
	progress := func(kind string) string {
		return `{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"` + kind + `","title":"diagnosing changes"}}}`
	}
	p := fake(t, lsptest.Script{Capabilities: []byte(`{}`), Sends: map[string][]string{"initialized": {progress("begin"), progress("end")}}}, headless.Options{Servers: []headless.Server{
		{Name: "gopls", Languages: []string{"go"}, Command: testBinary(t), RootMarkers: []string{"go.mod"}, Dialect: headless.Gopls},
	}})
	p.write("go.mod", "module m\n")
	p.write("a_plan9.go", "package a\n")
	p.write("tagged.go", "//go:build never\n\npackage a\n")
	p.write("testdata/t.go", "package t\n")
	d, err := p.Diagnose(long(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, reason := range map[string]string{"a_plan9.go": "build constraints", "tagged.go": "build constraints", "testdata/t.go": "directories named testdata"} {
		if c := p.checkOf(d, name); c.State != adapter.Unchecked || !strings.Contains(c.Reason, reason) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := p.checkOf(d, "a.go"); c.State != adapter.Checked || c.By != "gopls" {
		t.Errorf("a.go: %+v", c)
	}
}

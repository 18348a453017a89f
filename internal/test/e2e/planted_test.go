package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/transport"
)

// plantedProject is a project below testdata/planted. It has three errors in three files: a type error, an unknown name and a wrong
// number of arguments.
type plantedProject struct {
	language string
	errors   []string // as "file:line"
	clean    string   // a file without errors that is checked
	program  string   // the server or compiler that is needed
	links    []string // programs that alone are on PATH; nil adds the programs of this test to PATH
	by       string   // the name of the program in the result
	flags    []string
}

func plantedProjects() []plantedProject {
	java := "src/main/java/com/example/shop/"
	return []plantedProject{
		{language: "typescript", errors: []string{"src/order.ts:4", "src/price.ts:4", "src/report.ts:4"}, clean: "src/item.ts", program: "typescript-language-server", by: "typescript-language-server"},
		{language: "javascript", errors: []string{"src/order.js:3", "src/price.js:4", "src/report.js:5"}, clean: "src/item.js", program: "typescript-language-server", by: "typescript-language-server"},
		{language: "python", errors: []string{"shop/order.py:5", "shop/price.py:5", "shop/report.py:5"}, clean: "shop/item.py", program: "pyright-langserver", by: "pyright"},
		{language: "go", errors: []string{"order/order.go:7", "price/price.go:8", "report/report.go:9"}, clean: "item/item.go", program: "gopls", by: "gopls"},
		{language: "cpp", errors: []string{"src/order.cpp:5", "src/price.cpp:6", "src/report.cpp:8"}, clean: "src/item.cpp", program: "clangd", by: "clangd"},
		{language: "rust", errors: []string{"src/order.rs:4", "src/price.rs:4", "src/report.rs:4"}, clean: "src/item.rs", program: "cargo", links: []string{"cargo", "rustc", "cc"}, by: "cargo check", flags: []string{"-trust-project"}},
		{language: "java", errors: []string{java + "Order.java:7", java + "Price.java:7", java + "Report.java:9"}, clean: java + "Item.java", program: "javac", links: []string{"javac"}, by: "javac"},
	}
}

// openPlanted starts the example editor on a copy of a project, with a PATH.
func openPlanted(t *testing.T, language, path string, flags ...string) *workshop {
	t.Helper()
	w := &workshop{t: t, dir: t.TempDir()}
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("testdata", "planted", language))); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-root", w.dir, "-editors", "[]", "-audit", "-"}, flags...)
	w.client = connect(t, transport.Command{Path: build(t, examples+"/editor"), Args: args, Env: []string{"PATH=" + path}}, nil)
	return w
}

// linkPrograms returns a directory with links to programs alone. A program that is not installed is left out.
func linkPrograms(t *testing.T, names []string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// stateOf returns the state of a file in a result.
func stateOf(r editor.DiagnosticsResult, name string) editor.FileChecks {
	for _, c := range r.Checks {
		if slices.Contains(c.Files, name) {
			return c
		}
	}
	return editor.FileChecks{}
}

// The first get_diagnostics of a project finds the errors of all files. The wait is that of a busy machine.
func TestDiagnostics_PlantedErrors(t *testing.T) {
	t.Parallel()
	for _, p := range plantedProjects() {
		t.Run(p.language, func(t *testing.T) {
			path := filepath.Join(mustAbs(t, "programs"), "node_modules", ".bin") + string(os.PathListSeparator) + os.Getenv("PATH")
			if nodes := os.Getenv("DOUGU_LSP_NODE"); nodes != "" {
				path = filepath.Join(nodes, "node_modules", ".bin") + string(os.PathListSeparator) + path
			}
			testrequire.Deep(t, found(p.program, path), p.program, "run npm ci --prefix internal/test/e2e/programs --ignore-scripts in the repository's root, go install golang.org/x/tools/gopls@v0.23.0, and install clangd, cargo and a JDK")
			if p.links != nil {
				testrequire.Thing(t, runtime.GOOS != "windows", "symbolic links to programs", "run the test on Linux or macOS")
				path = linkPrograms(t, p.links)
			}
			w := openPlanted(t, p.language, path, p.flags...)
			start := time.Now()
			r := ask[editor.DiagnosticsResult](w, "get_diagnostics", map[string]any{"severity": "error", "waitMs": 40_000})
			t.Logf("after %v", time.Since(start).Round(time.Millisecond))
			var got []string
			for _, d := range r.Diagnostics {
				got = append(got, fmt.Sprintf("%s:%d", filepath.ToSlash(d.File), d.Range.Start.Line))
			}
			if !slices.Equal(got, p.errors) || r.Errors == nil || *r.Errors != 3 {
				t.Errorf("got %q, want %q\n%s", got, p.errors, r.TextContent())
			}
			files := []string{p.clean}
			for _, e := range p.errors {
				name, _, _ := strings.Cut(e, ":")
				files = append(files, name)
			}
			for _, name := range files {
				if c := stateOf(r, name); c.State != "checked" || c.By != p.by {
					t.Errorf("%s is %s by %q: %s", name, c.State, c.By, c.Reason)
				}
			}
			if p.language == "rust" {
				if c := stateOf(r, "src/unused.rs"); c.State != "unchecked" || !strings.Contains(c.Reason, "belongs to no target") {
					t.Errorf("a file that is in no module: %+v", c)
				}
			}
		})
	}
}

// Without a language server and a compiler, no file with an error counts as checked, and the check of the syntax is named as such.
func TestDiagnostics_PlantedErrorsWithoutServer(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, p := range plantedProjects() {
		t.Run(p.language, func(t *testing.T) {
			unknown(t, openPlanted(t, p.language, empty), p, "only its syntax was checked")
		})
	}
}

// Without trust cargo does not run, and the result names the flag.
func TestDiagnostics_PlantedErrorsWithoutTrust(t *testing.T) {
	t.Parallel()
	testrequire.Thing(t, runtime.GOOS != "windows", "a script as a program", "run the test on Linux or macOS")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cargo"), []byte("#!/bin/sh\necho ran >\""+filepath.Join(dir, "ran")+"\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := plantedProjects()[5]
	unknown(t, openPlanted(t, "rust", dir), p, "not trusted")
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("cargo was started")
	}
}

// unknown checks that no file of a project with an error is checked, and that a reason has a text.
func unknown(t *testing.T, w *workshop, p plantedProject, says string) {
	t.Helper()
	r := ask[editor.DiagnosticsResult](w, "get_diagnostics", map[string]any{"severity": "error", "waitMs": 20_000})
	if len(r.Diagnostics) > 0 || r.Fresh || r.Errors != nil && *r.Errors == 0 && r.Unchecked == 0 {
		t.Errorf("%s", r.TextContent())
	}
	for _, e := range p.errors {
		name, _, _ := strings.Cut(e, ":")
		c := stateOf(r, name)
		if c.State != "unchecked" || !strings.Contains(c.Reason, says) || p.language != "java" && c.Next == "" {
			t.Errorf("%s is %s by %q: %s. %s", name, c.State, c.By, c.Reason, c.Next)
		}
	}
}

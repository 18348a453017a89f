package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/terminal"
	"github.com/dougu-go/dougu/transport"
)

// workshop is a project with a running example editor and a client.
type workshop struct {
	t      *testing.T
	dir    string
	client *mcp.Client
}

// openWorkshop starts the example editor on a project of files. The test is skipped if one of the programs is missing.
func openWorkshop(t *testing.T, programs []string, files map[string]string, flags ...string) *workshop {
	t.Helper()
	path := filepath.Join(mustAbs(t, "programs"), "node_modules", ".bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, program := range programs {
		testrequire.Deep(t, found(program, path), program, "run npm ci --prefix internal/test/e2e/programs --ignore-scripts in the repository's root, go install golang.org/x/tools/gopls@v0.23.0, and install clangd and black")
	}
	w := newWorkshop(t, files)
	args := append([]string{"-root", w.dir, "-editors", "[]"}, flags...)
	w.client = connect(t, transport.Command{Path: build(t, examples+"/editor"), Args: args, Env: []string{"PATH=" + path}}, nil)
	return w
}

// goCache returns the user's build cache. A sandbox has its own cache, which takes a minute to fill.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// newWorkshop creates a project with files.
func newWorkshop(t *testing.T, files map[string]string) *workshop {
	t.Helper()
	w := &workshop{t: t, dir: t.TempDir()}
	for name, content := range files {
		w.write(name, strings.ReplaceAll(content, "$DIR", filepath.ToSlash(w.dir)))
	}
	return w
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// found reports whether a program is in one of the directories of path.
func found(program, path string) bool {
	for _, dir := range filepath.SplitList(path) {
		for _, ending := range []string{"", ".exe", ".cmd"} {
			if info, err := os.Stat(filepath.Join(dir, program+ending)); err == nil && !info.IsDir() {
				return true
			}
		}
	}
	return false
}

func (w *workshop) write(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// has checks that a file has a text.
func (w *workshop) has(name, want string) {
	w.t.Helper()
	got, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil || !strings.Contains(string(got), want) {
		w.t.Errorf("%s lacks %q (%v):\n%s", name, want, err, got)
	}
}

// ask calls a tool.
func ask[Out any](w *workshop, tool string, args any) Out {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	out, err := mcp.Call[Out](ctx, w.client, tool, args)
	if err != nil {
		w.t.Fatalf("%s: %v", tool, err)
	}
	return out
}

// diagnose repeats the request until the result is fresh. A starting server needs time.
func (w *workshop) diagnose(path string) editor.DiagnosticsResult {
	w.t.Helper()
	var last editor.DiagnosticsResult
	for range 10 {
		if last = ask[editor.DiagnosticsResult](w, "get_diagnostics", map[string]any{"path": path, "severity": "warning", "waitMs": 20_000}); last.Fresh {
			return last
		}
	}
	w.t.Fatalf("the diagnostics of %s are never fresh: %v", path, last.Notes)
	return last
}

// mend applies the first fix, of the first diagnostic of a file, whose title contains a text. It returns the remaining diagnostics.
func (w *workshop) mend(path, title string) editor.DiagnosticsResult {
	w.t.Helper()
	found := w.diagnose(path)
	var titles []string
	for _, d := range found.Diagnostics {
		for _, fix := range ask[editor.QuickFixesResult](w, "get_quick_fixes", map[string]any{"diagnostic": d}).Fixes {
			if titles = append(titles, fix.Title); !strings.Contains(fix.Title, title) {
				continue
			}
			if r := ask[editor.ApplyQuickFixResult](w, "apply_quick_fix", map[string]any{"fixId": fix.FixID}); !r.Success || !slices.Contains(r.FilesModified, path) {
				w.t.Errorf("applying %q: %+v", fix.Title, r)
			}
			return w.diagnose(path)
		}
	}
	w.t.Fatalf("of %+v none has a fix %q, but %q", found.Diagnostics, title, titles)
	return found
}

// fine checks that a file has no diagnostics.
func (w *workshop) fine(r editor.DiagnosticsResult) {
	w.t.Helper()
	if r.TotalCount == nil || *r.TotalCount != 0 {
		w.t.Errorf("still wrong, or not known: %+v", r)
	}
}

// TestEditorGo fixes, renames, formats and builds a Go project with gopls.
func TestEditorGo(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, []string{"gopls", "go"}, map[string]string{
		"go.mod":        "module example.com/shop\n\ngo 1.26\n",
		"main.go":       "package main\n\nimport \"example.com/shop/price\"\n\nfunc main() {\n\tfmt.Println(price.Total(1, 2))\n}\n",
		"price/sum.go":  "package price\n\n// Total adds prices.\nfunc Total(all ...int) (sum int) {\n\tfor _, p := range all {\n\t\tsum += p\n\t}\n\treturn\n}\n",
		"price/test.go": "package price\n\nvar  x   = Total( 1 ,2)\n",
	}, "-commands-write", goCache(t))
	w.fine(w.mend("main.go", "Add import:"))
	w.has("main.go", "import (\n\t\"fmt\"\n")

	renamed := ask[editor.RenameResult](w, "rename_symbol", map[string]any{"path": "price/sum.go", "symbol": "Total", "newName": "Sum", "dryRun": false})
	if len(renamed.FilesModified) != 3 || renamed.Locations != 3 {
		t.Errorf("renamed: %+v", renamed)
	}
	w.has("main.go", "price.Sum(1, 2)")
	w.has("price/test.go", "Sum( 1 ,2)")
	w.fine(w.diagnose("main.go"))

	if r := ask[editor.FormatResult](w, "format_document", map[string]any{"path": "price/test.go"}); !r.Changed {
		t.Errorf("laid out: %+v", r)
	}
	w.has("price/test.go", "var x = Sum(1, 2)\n")

	// The result of an edit contains its new errors, and the errors of a build are parsed.
	edit := ask[editor.InsertCodeResult](w, "insert_code", map[string]any{"path": "main.go", "line": 10, "content": "\tundefinedName()"})
	if edit.LinesInserted != 1 {
		t.Errorf("inserted: %+v", edit)
	}
	build := ask[terminal.BuildResult](w, "execute_build", map[string]any{})
	if build.Success || len(build.Errors) != 1 || build.Errors[0].File != "main.go" || build.Errors[0].Line != 10 || !strings.Contains(build.Errors[0].Message, "undefinedName") {
		t.Errorf("the build says %+v", build)
	}
	ask[editor.DeleteCodeResult](w, "delete_code", map[string]any{"path": "main.go", "startLine": 10, "endLine": 10, "expectedSha256": edit.SHA256})
	if build := ask[terminal.BuildResult](w, "execute_build", map[string]any{}); !build.Success || len(build.Errors) != 0 {
		t.Errorf("the build says %+v", build)
	}
	if run := ask[terminal.CommandResult](w, "execute_command", map[string]any{"command": "go run ."}); run.ExitCode != 0 || run.Stdout != "3\n" {
		t.Errorf("it ran: %+v", run)
	}
}

// TestEditorTypeScript uses typescript-language-server.
func TestEditorTypeScript(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, []string{"typescript-language-server"}, map[string]string{
		"tsconfig.json":   `{"compilerOptions": {"strict": true, "target": "es2022", "module": "es2022", "moduleResolution": "bundler", "noEmit": true}}`,
		"src/greet.ts":    "export function greet(name: string): string {\n  return `Hello, ${name}`;\n}\n",
		"src/main.ts":     "console.log(greet(\"Ada\"));\nexport {};\n",
		"src/untidy.ts":   "export   const x={a:1,b:  2}\n",
		"src/spelling.ts": "const length = 3;\nexport const twice = lenght * 2;\n",
	})
	w.fine(w.mend("src/main.ts", "Add import from"))
	w.has("src/main.ts", "import { greet } from")
	w.fine(w.mend("src/spelling.ts", "Change spelling to 'length'"))

	renamed := ask[editor.RenameResult](w, "rename_symbol", map[string]any{"path": "src/greet.ts", "symbol": "greet", "newName": "welcome", "dryRun": false})
	if len(renamed.FilesModified) != 2 {
		t.Errorf("renamed: %+v", renamed)
	}
	w.has("src/main.ts", "welcome(\"Ada\")")
	w.fine(w.diagnose("src/main.ts"))

	ask[editor.FormatResult](w, "format_document", map[string]any{"path": "src/untidy.ts"})
	w.has("src/untidy.ts", "export const x = { a: 1, b: 2 }")
}

// TestEditorC uses clangd.
func TestEditorC(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, []string{"clangd"}, map[string]string{
		"compile_commands.json": `[{"directory": "$DIR", "file": "main.c", "command": "cc -Wall -std=c11 -c main.c"},
			{"directory": "$DIR", "file": "add.c", "command": "cc -Wall -std=c11 -c add.c"}]`,
		"add.h":    "int add_up(int a, int b);\n",
		"add.c":    "#include \"add.h\"\n\nint add_up(int a, int b) { return a + b; }\n",
		"main.c":   "#include \"add.h\"\n\nint main(void) {\n  int x = add_up(1, 2)\n  return x;\n}\n",
		"untidy.c": "int   f( void ){return 1 ;}\n",
	})
	w.fine(w.mend("main.c", "insert ';'"))
	w.has("main.c", "add_up(1, 2);")

	ask[editor.RenameResult](w, "rename_symbol", map[string]any{"path": "add.c", "line": 3, "column": 5, "newName": "sum_of", "dryRun": false})
	w.has("add.h", "int sum_of(int a, int b);")
	w.has("add.c", "int sum_of(int a, int b) {")
	w.has("main.c", "sum_of(1, 2)")
	w.fine(w.diagnose("main.c"))

	ask[editor.FormatResult](w, "format_document", map[string]any{"path": "untidy.c"})
	w.has("untidy.c", "int f(void) { return 1; }")
}

// TestEditorPython uses diagnostics and renames of pyright, which has no fixes and no formatter.
func TestEditorPython(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, []string{"pyright-langserver", "black"}, map[string]string{
		"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"1\"\n",
		"price.py":       "def total(prices: list[int]) -> int:\n    return sum(prices)\n",
		"main.py":        "from price import total\n\nprint(total([1, 2]))\nx: int = \"one\"\n",
		"untidy.py":      "def f( a,b ):\n  return {'a':a}\n",
	})
	if r := w.diagnose("main.py"); r.Errors == nil || *r.Errors != 1 || r.Diagnostics[0].Range.Start.Line != 4 {
		t.Errorf("wrong is %+v", r.Diagnostics)
	}
	places := ask[editor.FindDefinitionResult](w, "find_definition", map[string]any{"path": "main.py", "line": 3, "column": 7})
	if len(places.Definitions) != 1 || places.Definitions[0].Path != "price.py" || !strings.Contains(places.Definitions[0].Code, "def total") {
		t.Errorf("the definition is %+v", places)
	}
	ask[editor.RenameResult](w, "rename_symbol", map[string]any{"path": "price.py", "symbol": "total", "newName": "sum_of", "dryRun": false})
	w.has("main.py", "from price import sum_of\n\nprint(sum_of([1, 2]))")
	ask[editor.FormatResult](w, "format_document", map[string]any{"path": "untidy.py"})
	w.has("untidy.py", "def f(a, b):\n    return {\"a\": a}\n")
}

// TestEditorPythonFixes uses fixes of basedpyright, a server named in the settings.
func TestEditorPythonFixes(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, []string{"basedpyright-langserver"}, map[string]string{
		"pyrightconfig.json": `{"typeCheckingMode": "standard"}`,
		"main.py":            "print(os.getcwd())\n",
	}, "-language-servers", "python=basedpyright-langserver --stdio")
	w.fine(w.mend("main.py", "import os"))
	w.has("main.py", "import os\n")
}

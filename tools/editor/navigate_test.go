package editor_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

const shapes = "package shapes\n\ntype Circle struct{ r float64 }\n\nfunc (c Circle) Area() float64 {\n\treturn c.r\n}\n\ntype Square struct{}\n\nfunc (s Square) Area() float64 { return 1 }\n"

// shapesProject returns a project in which two methods are called Area and used in main.go.
func shapesProject(t *testing.T) (project, *fakeServer) {
	t.Helper()
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{
		"shapes.go": shapes, "main.go": "package main\n\nfunc main() { é𝒳(); circle.Area() }\n", ".env": "A=1\n",
	})
	at := func(first, last, name, from, to int, container, symbol string) adapter.Symbol {
		whole := adapter.Range{Start: adapter.Position{Line: first, Column: 1}, End: adapter.Position{Line: last, Column: 100}}
		return adapter.Symbol{Name: symbol, Kind: "method", Container: container, Location: adapter.Location{Path: p.path("shapes.go"), Range: whole}, Selection: span(name, from, to)}
	}
	all := []adapter.Symbol{at(3, 3, 3, 6, 12, "", "Circle"), at(5, 7, 5, 17, 21, "Circle", "Area"), at(11, 11, 11, 17, 21, "", "(Square).Area")}
	mind.symbols = func(doc adapter.Document) ([]adapter.Symbol, error) {
		if doc.Path == p.path("shapes.go") {
			return all, nil
		}
		return nil, nil
	}
	mind.findSymbols = func(query string) (found []adapter.Symbol, err error) {
		for _, s := range all {
			if strings.Contains(s.Name, query) {
				found = append(found, s)
			}
		}
		return found, nil
	}
	mind.definition = func(_ adapter.Document, at adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{{Path: p.path("shapes.go"), Range: span(5, 17, 21)}}, nil
	}
	mind.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{
			{Path: p.path("shapes.go"), Range: span(5, 17, 21)}, {Path: p.path("main.go"), Range: span(3, 29, 33)},
			{Path: p.path("main.go"), Range: span(3, 29, 33)}, {Path: "/usr/lib/go/src/x.go", Range: span(1, 1, 2)}, {Path: p.path(".env"), Range: span(1, 1, 2)},
		}, nil
	}
	return p, mind
}

// A target can be given in four ways.
func TestFindDefinition_Target(t *testing.T) {
	p, mind := shapesProject(t)
	var path string
	var at adapter.Position
	mind.definition = func(doc adapter.Document, pos adapter.Position) ([]adapter.Location, error) {
		path, at = doc.Path, pos
		return nil, nil
	}
	for name, tt := range map[string]struct {
		target editor.Target
		path   string
		at     adapter.Position
		code   string
	}{
		"line and column":            {target: editor.Target{Path: "main.go", Line: 3, Column: 29}, path: "main.go", at: adapter.Position{Line: 3, Column: 29}},
		"line and name":              {target: editor.Target{Path: "main.go", Line: 3, Symbol: "Area"}, path: "main.go", at: adapter.Position{Line: 3, Column: 29}},
		"line and a part of a name":  {target: editor.Target{Path: "main.go", Line: 3, Symbol: "Are"}, code: "SYMBOL_NOT_FOUND"},
		"file and name":              {target: editor.Target{Path: "shapes.go", Symbol: "Circle.Area"}, path: "shapes.go", at: adapter.Position{Line: 5, Column: 17}},
		"name":                       {target: editor.Target{Symbol: "Square/Area"}, path: "shapes.go", at: adapter.Position{Line: 11, Column: 17}},
		"name of the whole path":     {target: editor.Target{Symbol: "Circle"}, path: "shapes.go", at: adapter.Position{Line: 3, Column: 6}},
		"name of several":            {target: editor.Target{Symbol: "Area"}, code: "AMBIGUOUS_SYMBOL"},
		"name of nothing":            {target: editor.Target{Path: "shapes.go", Symbol: "Triangle"}, code: "SYMBOL_NOT_FOUND"},
		"a container of another one": {target: editor.Target{Symbol: "Triangle.Area"}, code: "SYMBOL_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.FindDefinition(t.Context(), editor.FindDefinitionArgs{Target: tt.target})
			if codeOf(err) != tt.code {
				t.Fatal(err)
			}
			if err == nil && (path != p.path(tt.path) || at != tt.at) {
				t.Errorf("asked for %s at %v", path, at)
			}
		})
	}
	_, err := p.FindDefinition(t.Context(), editor.FindDefinitionArgs{Target: editor.Target{Symbol: "Area"}})
	toolsettest.WantError(t, err, "AMBIGUOUS_SYMBOL", "shapes.go:5 (method), shapes.go:11 (method)")
}

func TestFindDefinition(t *testing.T) {
	p, mind := shapesProject(t)
	args := editor.FindDefinitionArgs{Target: editor.Target{Path: "main.go", Line: 3, Column: 29}}
	got := call(t, p.FindDefinition, args)
	want := editor.Definition{Path: "shapes.go", Line: 5, Column: 17, Kind: "method", StartLine: 5, EndLine: 7, Code: "func (c Circle) Area() float64 {\n\treturn c.r\n}\n"}
	if len(got.Definitions) != 1 || got.Definitions[0] != want {
		t.Errorf("%+v", got)
	}
	if s := got.TextContent(); s != "[shapes.go:5:17 (method)]\n5\tfunc (c Circle) Area() float64 {\n6\t\treturn c.r\n7\t}\n" {
		t.Errorf("the text is %q", s)
	}
	// Paths of libraries are returned; paths of hidden files are not.
	library := filepath.Join(filepath.Dir(p.dir), "lib", "x.go")
	mind.definition = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{{Path: library, Range: span(7, 1, 2)}, {Path: p.path(".env"), Range: span(1, 1, 2)}, {Path: "x.go", Range: span(1, 1, 2)}}, nil
	}
	got = call(t, p.FindDefinition, args)
	if len(got.Definitions) != 1 || got.Definitions[0] != (editor.Definition{Path: filepath.ToSlash(library), Outside: true, Line: 7, Column: 1}) || len(got.Notes) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestFindReferences(t *testing.T) {
	p, _ := shapesProject(t)
	got := call(t, p.FindReferences, editor.FindReferencesArgs{Target: editor.Target{Symbol: "Circle.Area"}})
	if got.TotalCount != 2 || got.Outside != 2 || len(got.Files) != 2 || got.Files[0].References[0] != (editor.Reference{Line: 3, Column: 29, Text: "func main() { é𝒳(); circle.Area() }"}) {
		t.Errorf("%+v", got)
	}
	if s := got.TextContent(); !strings.HasPrefix(s, "[2 references, and 2 outside of the project]\nmain.go\n  3:29 func main()") {
		t.Errorf("the text is %q", s)
	}
}

func TestFindReferences_Pages(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, setup{options: with(mind).options, limits: tools.Limits{Answer: 3000}}, map[string]string{"a.go": strings.Repeat("name "+strings.Repeat("x", 60)+"\n", 500)})
	mind.references = func(adapter.Document, adapter.Position) (all []adapter.Location, err error) {
		for i := range 500 {
			all = append(all, adapter.Location{Path: p.path("a.go"), Range: span(500-i, 1, 5)})
		}
		return all, nil
	}
	args, seen := editor.FindReferencesArgs{Target: editor.Target{Path: "a.go", Line: 1, Column: 1}}, 0
	for {
		got := call(t, p.FindReferences, args)
		if len(got.Files) != 1 || len(got.TextContent()) > 3000 || got.TotalCount != 500 {
			t.Fatalf("%d files in %d bytes", len(got.Files), len(got.TextContent()))
		}
		for _, r := range got.Files[0].References {
			if seen++; r.Line != seen {
				t.Fatalf("line %d comes after %d", r.Line, seen-1)
			}
		}
		if args.Cursor = got.NextCursor; args.Cursor == "" {
			break
		}
	}
	if seen != 500 {
		t.Errorf("saw %d", seen)
	}
}

func TestRenameSymbol(t *testing.T) {
	p, mind := shapesProject(t)
	p.put(t, "Circle.go", "package main // Area\n")
	mind.rename = func(_ adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{
			{Path: p.path("shapes.go"), Edits: []adapter.TextEdit{{Range: span(5, 17, 21), NewText: name}}},
			{Path: p.path("main.go"), Edits: []adapter.TextEdit{{Range: span(3, 29, 33), NewText: name}}},
			{Op: adapter.RenameFile, Path: p.path("Circle.go"), NewPath: p.path("Disc.go")},
			{Path: p.path("Disc.go"), Edits: []adapter.TextEdit{{Range: span(1, 17, 21), NewText: name}}},
			{Op: adapter.CreateFile, Path: p.path("new/n.go"), Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: "package n\n"}}},
		}, nil
	}
	args := editor.RenameArgs{Target: editor.Target{Symbol: "Circle.Area"}, NewName: "Surface"}
	dry := call(t, p.Rename, args)
	p.wantFile(t, "shapes.go", shapes)
	p.wantAbsent(t, "new")
	if !dry.DryRun || dry.OldName != "Area" || dry.Locations != 4 || len(dry.Files) != 4 || !strings.Contains(dry.Diff, "--- Circle.go\n+++ Disc.go\n") {
		t.Errorf("%+v", dry)
	}
	args.DryRun = new(false)
	got := call(t, p.Rename, args)
	p.wantFile(t, "shapes.go", strings.Replace(shapes, "Area", "Surface", 1))
	p.wantFile(t, "main.go", "package main\n\nfunc main() { é𝒳(); circle.Surface() }\n")
	p.wantFile(t, "Disc.go", "package main // Surface\n")
	p.wantFile(t, "new/n.go", "package n\n")
	p.wantAbsent(t, "Circle.go")
	if s := dry.TextContent(); !strings.HasPrefix(s, "[Area to Surface at 4 places: dry run, nothing was written: would change 4 files]\n--- shapes.go\n") {
		t.Errorf("the text is %q", s)
	}
	if s := got.TextContent(); !strings.HasPrefix(s, "[Area to Surface at 4 places: changed 4 files]\n[shapes.go: changed; sha256 "+got.Files[0].SHA256[:12]+"]\n[main.go: changed;") {
		t.Errorf("the text is %q", s)
	}
	if got.DryRun || got.Diff != dry.Diff || fmt.Sprint(got.FilesModified) != "[shapes.go main.go Disc.go new/n.go]" {
		t.Errorf("%+v", got)
	}
	// Edits for an outdated content replace other text than the name.
	_, err := p.Rename(t.Context(), args)
	toolsettest.WantError(t, err, "SYMBOL_NOT_FOUND")
	args.Target = editor.Target{Path: "main.go", Line: 3, Symbol: "Surface"}
	_, err = p.Rename(t.Context(), args)
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	mind.rename = func(adapter.Document, adapter.Position, string) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{{Path: p.path("main.go"), Edits: []adapter.TextEdit{{Range: span(1, 1, 5), NewText: "x"}}}}, nil
	}
	_, err = p.Rename(t.Context(), args)
	toolsettest.WantError(t, err, "LANGUAGE_SERVER_FAILED", `wants to replace "pack"`)
}

// unindexed is a fakeServer that has indexed only open files.
type unindexed struct{ *fakeServer }

func (unindexed) Unindexed(string) (reason, next string) {
	return "clangd has looked only at open files, because there is no compile_commands.json for a.c", "Make it with cmake."
}

// cNames returns a C project in which the server knows one of several files with a name.
func cNames(t *testing.T, files map[string]string) project {
	t.Helper()
	mind := newFakeServer()
	p := newProject(t, setup{options: editor.Options{Adapters: []adapter.Adapter{unindexed{mind}}}}, files)
	mind.references = func(adapter.Document, adapter.Position) ([]adapter.Location, error) {
		return []adapter.Location{{Path: p.path("a.c"), Range: span(1, 5, 9)}}, nil
	}
	mind.definition = mind.references
	mind.rename = func(_ adapter.Document, _ adapter.Position, name string) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{{Path: p.path("a.c"), Edits: []adapter.TextEdit{{Range: span(1, 5, 9), NewText: name}}}}, nil
	}
	return p
}

func TestNavigate_Unindexed(t *testing.T) {
	target := editor.Target{Path: "a.c", Line: 1, Column: 5}
	p := cNames(t, map[string]string{"a.c": "int area(void);\n", "a.h": "int area(void);\n", "notes.md": "area\n", "other.c": "int areas;\n"})
	const reason = "there is no compile_commands.json for a.c. Make it with cmake]"
	if s := call(t, p.FindReferences, editor.FindReferencesArgs{Target: target}).TextContent(); !strings.HasPrefix(s, "[there may be more references: ") || !strings.Contains(s, reason) {
		t.Errorf("references: %q", s)
	}
	if s := call(t, p.FindDefinition, editor.FindDefinitionArgs{Target: target}).TextContent(); !strings.Contains(s, reason) {
		t.Errorf("definition: %q", s)
	}
	args := editor.RenameArgs{Target: target, NewName: "size"}
	s := call(t, p.Rename, args).TextContent()
	if !strings.Contains(s, reason) || !strings.Contains(s, "[other files still contain the name area: a.h; check them") {
		t.Errorf("dry run: %q", s)
	}
	args.DryRun = new(false)
	_, err := p.Rename(t.Context(), args)
	toolsettest.WantError(t, err, "PROJECT_NOT_INDEXED", "nothing was written: clangd has looked only", "a.h; check them", "Make it with cmake.")
	p.wantFile(t, "a.c", "int area(void);\n")

	// A name that no other file contains is renamed.
	p = cNames(t, map[string]string{"a.c": "int area(void);\n", "other.c": "int areas;\n"})
	call(t, p.Rename, args)
	p.wantFile(t, "a.c", "int size(void);\n")
}

// Files of the language that keep the old name are reported.
func TestRename_RemainingNames(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.ts": "let area = 1\n", "b.js": "console.log(area)\n", "c.go": "package area\n"})
	mind.rename = func(_ adapter.Document, _ adapter.Position, name string) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{{Path: p.path("a.ts"), Edits: []adapter.TextEdit{{Range: span(1, 5, 9), NewText: name}}}}, nil
	}
	got := call(t, p.Rename, editor.RenameArgs{Target: editor.Target{Path: "a.ts", Line: 1, Column: 5}, NewName: "size", DryRun: new(false)})
	p.wantFile(t, "a.ts", "let size = 1\n")
	if s := got.TextContent(); !strings.Contains(s, "[other files still contain the name area: b.js; check them") {
		t.Errorf("the text is %q", s)
	}
}

// The error names the missing language server, as get_diagnostics does.
func TestNavigate_MissingServer(t *testing.T) {
	for name, running := range map[string]bool{"an adapter that does not run": false, "an adapter for other languages": true} {
		t.Run(name, func(t *testing.T) {
			mind := explainer{newFakeServer()}
			mind.state.Running = running
			p := newProject(t, setup{options: editor.Options{Adapters: []adapter.Adapter{mind}}}, map[string]string{"a.ts": "let x = 1\n"})
			target := editor.Target{Path: "a.ts", Line: 1, Column: 5}
			_, definition := p.FindDefinition(t.Context(), editor.FindDefinitionArgs{Target: target})
			_, references := p.FindReferences(t.Context(), editor.FindReferencesArgs{Target: target})
			_, rename := p.Rename(t.Context(), editor.RenameArgs{Target: target, NewName: "y"})
			_, format := p.Format(t.Context(), editor.FormatArgs{Path: "a.ts"})
			_, refactorings := p.ListRefactorings(t.Context(), editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "a.ts", StartLine: 1}})
			for _, err := range []error{definition, references, rename, format, refactorings} {
				toolsettest.WantError(t, err, "NO_LANGUAGE_SERVER", "tsc is not installed", "Install it.")
			}
		})
	}
}

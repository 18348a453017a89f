package editor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

const sums = "function f() {\n  const a = 1;\n  print(a + a);\n}\n"

// extractProject returns a project with one refactoring, which extracts line 3, and another one in another file.
func extractProject(t *testing.T) (project, *fakeServer) {
	t.Helper()
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.ts": sums, "b.ts": "one\n"})
	mind.refactorings = func(doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
		return []adapter.Refactoring{
			{Title: "Extract to function in module scope", Kind: "refactor.extract.function", Ref: part},
			{Title: "Extract to constant", Kind: "refactor.extract.constant", Disabled: "it is a statement"},
		}, nil
	}
	mind.refactor = func(r adapter.Refactoring) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{
			{Path: p.path("a.ts"), Edits: []adapter.TextEdit{
				{Range: r.Ref.(adapter.Range), NewText: "newFunction(a);"},
				{Range: span(5, 1, 1), NewText: "function newFunction(a) {\n  print(a + a);\n}\n"},
			}},
			{Path: p.path("b.ts"), Edits: []adapter.TextEdit{{Range: span(1, 1, 4), NewText: "two"}}},
		}, nil
	}
	return p, mind
}

func selectThirdLine(name string) editor.ExtractMethodArgs {
	return editor.ExtractMethodArgs{Selection: editor.Selection{Path: "a.ts", StartLine: 3}, Name: name}
}

func TestApplyRefactoring_Preview(t *testing.T) {
	p, _ := extractProject(t)
	list := call(t, p.ListRefactorings, editor.ListRefactoringsArgs{Selection: selectThirdLine("").Selection})
	if len(list.Refactorings) != 2 || list.Refactorings[0].RefactoringID == "" || list.Refactorings[1].RefactoringID != "" || !strings.Contains(list.TextContent(), "not here: Extract to constant (refactor.extract.constant): it is a statement") {
		t.Fatalf("%+v", list)
	}
	plain := call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: list.Refactorings[0].RefactoringID})
	if !plain.DryRun || plain.NewName != "newFunction" || !strings.Contains(plain.Diff, "+  newFunction(a);\n") || !strings.Contains(plain.TextContent(), "apply_refactoring refactoringId="+plain.RefactoringID) {
		t.Errorf("%+v", plain)
	}
	shown := call(t, p.ExtractMethod, selectThirdLine("show"))
	p.wantFile(t, "a.ts", sums)
	done := call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	p.wantFile(t, "a.ts", "function f() {\n  const a = 1;\n  show(a);\n}\nfunction show(a) {\n  print(a + a);\n}\n")
	p.wantFile(t, "b.ts", "two\n")
	if shown.NewName != "show" || done.Diff != shown.Diff || done.RefactoringID != "" || !done.Success || !slices.Equal(done.FilesModified, []string{"a.ts", "b.ts"}) {
		t.Errorf("%+v\n%+v", shown, done)
	}
	_, err := p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	toolsettest.WantError(t, err, "UNKNOWN_REFACTORING", "applied already")
}

func TestApplyRefactoring_Stale(t *testing.T) {
	for name, change := range map[string]string{"the file that it is of": "a.ts", "another one that it changes": "b.ts"} {
		t.Run(name, func(t *testing.T) {
			p, _ := extractProject(t)
			shown := call(t, p.ExtractMethod, selectThirdLine(""))
			p.put(t, change, "one\nx\nprint()\n\n\n")
			_, err := p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
			toolsettest.WantError(t, err, "STALE_REFACTORING", change)
		})
	}
	p, mind := extractProject(t)
	mind.refactor = func(adapter.Refactoring) ([]adapter.FileEdit, error) { return nil, adapter.ErrStale }
	_, err := p.ExtractMethod(t.Context(), selectThirdLine(""))
	toolsettest.WantError(t, err, "STALE_REFACTORING")
}

func TestExtractMethod_Name(t *testing.T) {
	p, mind := extractProject(t)
	for name, want := range map[string]string{"a b": "INVALID_PARAMS", "1a": "INVALID_PARAMS", "print": "NAME_TAKEN"} {
		_, err := p.ExtractMethod(t.Context(), selectThirdLine(name))
		toolsettest.WantError(t, err, want)
	}
	edit := func(text string) func(adapter.Refactoring) ([]adapter.FileEdit, error) {
		return func(adapter.Refactoring) ([]adapter.FileEdit, error) {
			return []adapter.FileEdit{{Path: p.path("a.ts"), Edits: []adapter.TextEdit{{Range: span(5, 1, 1), NewText: text}}}}, nil
		}
	}
	for text, want := range map[string]string{
		"help() help(other)":                "help", // not a usual generated name, but the only new name with two occurrences
		"newFunction() newFunction newName": "newFunction",
		"EXTRACTED_CONSTANT other other":    "EXTRACTED_CONSTANT",
		"one two":                           "",
		"new_var new_const":                 "",
	} {
		mind.refactor = edit(text)
		if got := call(t, p.ExtractMethod, selectThirdLine("")); got.NewName != want {
			t.Errorf("%s: %q, want %q", text, got.NewName, want)
		}
	}
	mind.refactor = edit("one two")
	_, err := p.ExtractMethod(t.Context(), selectThirdLine("fine"))
	toolsettest.WantError(t, err, "NO_NAME_TO_GIVE", "rename_symbol")
}

func TestExtractMethod_NothingOffered(t *testing.T) {
	p, mind := extractProject(t)
	mind.refactorings = func(_ adapter.Document, _ adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
		return []adapter.Refactoring{{Title: "Extract to variable", Kind: "refactor.extract.variable"}, {Title: "Extract function", Kind: "refactor.extract.function", Disabled: "two returns"}}, nil
	}
	_, err := p.ExtractMethod(t.Context(), selectThirdLine(""))
	toolsettest.WantError(t, err, "NO_REFACTORING", "Extract function (not here: two returns)")
	mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) { return nil, nil }
	if got := call(t, p.ListRefactorings, editor.ListRefactoringsArgs{Selection: selectThirdLine("").Selection}); len(got.Notes) != 1 {
		t.Errorf("%+v", got)
	}
	mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
		return nil, errors.New("broken")
	}
	ctx := t.Context()
	q := newProject(t, setup{options: editor.Options{Adapters: []adapter.Adapter{mind}, RetryDelay: 1}}, map[string]string{"a.ts": sums})
	_, err = q.ExtractMethod(ctx, selectThirdLine(""))
	toolsettest.WantError(t, err, "LANGUAGE_SERVER_FAILED", "broken")
	mind.refactorings = nil
	_, err = q.ExtractMethod(ctx, selectThirdLine(""))
	toolsettest.WantError(t, err, "NO_LANGUAGE_SERVER", "refactor \"a.ts\"")
}

func TestListRefactorings_Selection(t *testing.T) {
	p, mind := extractProject(t)
	var got adapter.Range
	mind.refactorings = func(_ adapter.Document, part adapter.Range, _ []string) ([]adapter.Refactoring, error) {
		got = part
		return nil, nil
	}
	for _, c := range []struct {
		in   editor.Selection
		want adapter.Range
	}{
		{editor.Selection{StartLine: 3}, span(3, 3, 16)},
		{editor.Selection{StartLine: 2, EndLine: 3}, adapter.Range{Start: adapter.Position{Line: 2, Column: 3}, End: adapter.Position{Line: 3, Column: 16}}},
		{editor.Selection{StartLine: 3, Code: "a + a"}, span(3, 9, 14)},
		{editor.Selection{StartLine: 3, StartColumn: 9}, span(3, 9, 9)},
		{editor.Selection{StartLine: 3, StartColumn: 9, EndColumn: 10}, span(3, 9, 10)},
	} {
		c.in.Path = "a.ts"
		call(t, p.ListRefactorings, editor.ListRefactoringsArgs{Selection: c.in})
		if got != c.want {
			t.Errorf("%+v: %+v", c.in, got)
		}
	}
	for want, s := range map[string]editor.Selection{
		"INVALID_PARAMS":      {StartLine: 3, EndLine: 2},
		"BAD_RANGE":           {StartLine: 90},
		"EDIT_NO_MATCH":       {StartLine: 3, Code: "b"},
		"EDIT_COUNT_MISMATCH": {StartLine: 3, Code: "a"},
	} {
		s.Path = "a.ts"
		_, err := p.ListRefactorings(t.Context(), editor.ListRefactoringsArgs{Selection: s})
		toolsettest.WantError(t, err, want)
	}
}

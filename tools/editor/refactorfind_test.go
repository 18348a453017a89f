package editor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// One call by path and kind previews a refactoring, and its id applies it.
func TestApplyRefactoring_ByKind(t *testing.T) {
	p, mind := extractProject(t)
	var kinds []string
	offers := mind.refactorings
	mind.refactorings = func(doc adapter.Document, part adapter.Range, only []string) ([]adapter.Refactoring, error) {
		kinds = append(kinds, only...)
		return offers(doc, part, only)
	}
	args := editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.extract.function", Name: "show"}
	shown := call(t, p.ApplyRefactoring, args)
	p.wantFile(t, "a.ts", sums)
	if !shown.DryRun || shown.NewName != "show" || shown.RefactoringID == "" || !slices.Equal(kinds, []string{"refactor.extract.function"}) {
		t.Fatalf("%+v, kinds %q", shown, kinds)
	}
	call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	p.wantFile(t, "b.ts", "two\n")

	for _, c := range []struct {
		args editor.ApplyRefactoringArgs
		code string
		says string
	}{
		{editor.ApplyRefactoringArgs{}, "INVALID_PARAMS", "path and kind"},
		{editor.ApplyRefactoringArgs{Path: "a.ts"}, "INVALID_PARAMS", "path and kind"},
		{editor.ApplyRefactoringArgs{RefactoringID: "x", Path: "a.ts"}, "INVALID_PARAMS", "does not go together"},
		{editor.ApplyRefactoringArgs{Path: "a.ts", Kind: "refactor.inline"}, "INVALID_PARAMS", "give startLine"},
		{editor.ApplyRefactoringArgs{Path: ".", Kind: "source.fixAll"}, "INVALID_PARAMS", "give glob"},
		{editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.extract.constant"}, "NO_REFACTORING", "Extract to constant (not here: it is a statement)"},
		{editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.inline"}, "NO_REFACTORING", "nothing of this kind"},
		{editor.ApplyRefactoringArgs{Path: "a.ts", Kind: "source.organizeImports"}, "NO_REFACTORING", "nothing to change"},
		{editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.extract.function", Target: "c.ts"}, "NO_REFACTORING", ""},
		{editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.inline", Glob: "*"}, "INVALID_PARAMS", "not for whole files"},
	} {
		_, err := p.ApplyRefactoring(t.Context(), c.args)
		toolsettest.WantError(t, err, c.code, c.says)
	}
}

// Of several refactorings the title or the scope decides; servers without subkinds are searched by title.
func TestApplyRefactoring_Choice(t *testing.T) {
	p, mind := extractProject(t)
	var all []adapter.Refactoring
	mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) { return all, nil }
	mind.refactor = func(r adapter.Refactoring) ([]adapter.FileEdit, error) {
		return []adapter.FileEdit{edit(p.path("a.ts"), r.Title)}, nil
	}
	named := func(kind string, titles ...string) (some []adapter.Refactoring) {
		for _, title := range titles {
			some = append(some, adapter.Refactoring{Title: title, Kind: kind})
		}
		return some
	}
	for _, c := range []struct {
		offers      []adapter.Refactoring
		kind, title string
		want        string
	}{
		{named("refactor.extract.function", "Extract to inner function in f", "Extract to function in module scope"), "refactor.extract.function", "", "Extract to function in module scope"},
		{named("refactor.extract.function", "Extract to inner function in f", "Extract to function in module scope"), "refactor.extract.function", "INNER", "Extract to inner function in f"},
		{named("refactor", "Extract to function", "Extract subexpression to variable"), "refactor.extract.variable", "", "Extract subexpression to variable"},
		{named("refactor.rewrite", "Fill", "Split"), "refactor.rewrite", "", ""},
		{named("refactor.rewrite", "Fill", "Fill"), "refactor.rewrite", "", "Fill"},
		{slices.Concat(named("refactor.rewrite.fill", "Fill"), named("refactor.rewrite", "Split")), "refactor.rewrite", "", "Split"},
		{named("refactor", "Move to a new file", "Move to a file"), "refactor.move.newFile", "", "Move to a new file"},
		{named("refactor.rewrite", "Fill"), "refactor", "", "Fill"},
		{named("source.fixAll.ts", "First", "Second"), "source.fixAll", "", "First"},
		{slices.Concat(named("source.organizeImports.ruff", "First"), named("source.organizeImports", "Second")), "source.organizeImports", "", "Second"},
	} {
		all = c.offers
		got, err := p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: c.kind, Title: c.title})
		if c.want == "" {
			toolsettest.WantError(t, err, "AMBIGUOUS_REFACTORING", "Fill; Split", "as title")
		} else if err != nil || got.Title != c.want {
			t.Errorf("%s %s: %q, %v; want %q", c.kind, c.title, got.Title, err, c.want)
		}
	}
}

// A kind for whole files with several subkinds is refused, and the error names them.
func TestApplyRefactoring_SourceSubkinds(t *testing.T) {
	p, mind := extractProject(t)
	mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
		return []adapter.Refactoring{{Title: "Sort", Kind: "source.organizeImports"}, {Title: "Fix", Kind: "source.fixAll"}, {Title: "Fix more", Kind: "source.fixAll"}}, nil
	}
	_, err := p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{Path: "a.ts", Kind: "source"})
	toolsettest.WantError(t, err, "AMBIGUOUS_REFACTORING", "source.organizeImports (Sort); source.fixAll (Fix)", "as kind")
}

// The kind refactor is requested once, and an error names each refactoring once.
func TestApplyRefactoring_Queries(t *testing.T) {
	p, mind := extractProject(t)
	queries := 0
	offers := mind.refactorings
	mind.refactorings = func(doc adapter.Document, part adapter.Range, only []string) ([]adapter.Refactoring, error) {
		queries++
		return offers(doc, part, only)
	}
	call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor"})
	_, err := p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor", Title: "none"})
	if queries != 2 {
		t.Errorf("%d queries for two calls, %v", queries, err)
	}
	_, err = p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.extract.constant"})
	if err == nil || strings.Count(err.Error(), "Extract to constant") != 1 {
		t.Errorf("%v", err)
	}
}

// A target is required, must be a file of the project, and belongs to the preview.
func TestApplyRefactoring_Target(t *testing.T) {
	p, mind := extractProject(t)
	mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
		return []adapter.Refactoring{{Title: "Move to file", Kind: "refactor.move.file", NeedsTarget: true}}, nil
	}
	mind.refactor = func(r adapter.Refactoring) ([]adapter.FileEdit, error) {
		if r.Target != p.path("b.ts") {
			return []adapter.FileEdit{{Op: adapter.CreateFile, Path: r.Target, Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: "moved\n"}}}}, nil
		}
		return []adapter.FileEdit{edit(r.Target, "moved ")}, nil
	}
	args := editor.ApplyRefactoringArgs{Path: "a.ts", StartLine: 3, Kind: "refactor.move"}
	_, err := p.ApplyRefactoring(t.Context(), args)
	toolsettest.WantError(t, err, "INVALID_PARAMS", "give target")
	for target, code := range map[string]string{"../x.ts": "PERMISSION_DENIED", ".env": "PERMISSION_DENIED", ".git/hooks/x": "PERMISSION_DENIED", "a.ts": "INVALID_PARAMS"} {
		args.Target = target
		_, err := p.ApplyRefactoring(t.Context(), args)
		toolsettest.WantError(t, err, code)
	}
	list := call(t, p.ListRefactorings, editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "a.ts", StartLine: 3}})
	if !list.Refactorings[0].NeedsTarget || !strings.Contains(list.TextContent(), "needs target") {
		t.Errorf("%+v", list)
	}
	args.Target = "b.ts"
	shown := call(t, p.ApplyRefactoring, args)
	other := call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: list.Refactorings[0].RefactoringID, Target: "new/c.ts"})
	p.wantAbsent(t, "new")
	call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	p.wantFile(t, "b.ts", "moved one\n")
	call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: other.RefactoringID, Preview: new(false)})
	p.wantFile(t, "new/c.ts", "moved\n")
}

// filesProject is a project with imports to organize in a.ts and d/b.ts.
func filesProject(t *testing.T, adapters ...adapter.Adapter) (project, *fakeServer) {
	t.Helper()
	mind := newFakeServer()
	p := newProject(t, with(append(adapters, mind)...), map[string]string{"a.ts": "a\n", "d/b.ts": "b\n", "d/clean.ts": "clean\n", "d/other.ts": "other\n", "d/broken.ts": "broken\n", "n.py": "n\n", "node_modules/x.ts": "x\n"})
	mind.refactorings = func(doc adapter.Document, _ adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
		switch {
		case strings.HasSuffix(doc.Path, ".py"):
			return nil, &mcp.ToolError{Code: "X", Message: "no server for it", Err: adapter.ErrUnsupported}
		case strings.HasPrefix(doc.Text, "clean"):
			return nil, nil
		}
		return []adapter.Refactoring{{Title: "Organize Imports", Kind: kinds[0] + ".ts", Ref: doc.Path}}, nil
	}
	mind.refactor = func(r adapter.Refactoring) ([]adapter.FileEdit, error) {
		path := r.Ref.(string)
		switch {
		case strings.HasSuffix(path, "broken.ts"):
			return nil, errors.New("it failed")
		case strings.HasSuffix(path, "other.ts"):
			path = p.path("a.ts")
		}
		return []adapter.FileEdit{edit(path, "import ")}, nil
	}
	return p, mind
}

// A kind of whole files changes the files of a glob together, and names the others.
func TestApplyRefactoring_Glob(t *testing.T) {
	p, _ := filesProject(t)
	args := editor.ApplyRefactoringArgs{Path: ".", Glob: "**", Kind: "source.organizeImports"}
	shown := call(t, p.ApplyRefactoring, args)
	notes := strings.Join(shown.Notes, "\n")
	for _, want := range []string{"1 file had nothing to change", "no language server does this for n.py", "d/broken.ts (working out", "d/other.ts (it would change other files, too)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
	p.wantFile(t, "a.ts", "a\n")
	done := call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	p.wantFile(t, "a.ts", "import a\n")
	p.wantFile(t, "d/b.ts", "import b\n")
	if !slices.Equal(done.FilesModified, []string{"a.ts", "d/b.ts"}) || done.NewName != "" {
		t.Errorf("%+v", done)
	}

	shown = call(t, p.ApplyRefactoring, args)
	p.put(t, "d/b.ts", "changed\n")
	_, err := p.ApplyRefactoring(t.Context(), editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	toolsettest.WantError(t, err, "STALE_REFACTORING", "d/b.ts")
	p.wantFile(t, "a.ts", "import a\n")

	for _, c := range []struct {
		args       editor.ApplyRefactoringArgs
		code, says string
	}{
		{editor.ApplyRefactoringArgs{Path: ".", Glob: "*.go", Kind: "source.fixAll"}, "INVALID_PARAMS", "no file below"},
		{editor.ApplyRefactoringArgs{Path: ".", Glob: "[", Kind: "source.fixAll"}, "INVALID_PARAMS", ""},
		{editor.ApplyRefactoringArgs{Path: "gone", Glob: "*", Kind: "source.fixAll"}, "FILE_NOT_FOUND", ""},
		{editor.ApplyRefactoringArgs{Path: ".", Glob: "*", Kind: "source.fixAll", StartLine: 1}, "INVALID_PARAMS", "leave startLine"},
		{editor.ApplyRefactoringArgs{Path: ".", Glob: "*.py", Kind: "source.fixAll"}, "NO_LANGUAGE_SERVER", "n.py"},
	} {
		_, err := p.ApplyRefactoring(t.Context(), c.args)
		toolsettest.WantError(t, err, c.code, c.says)
	}
	if clean := call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{Path: "d", Glob: "clean.ts", Kind: "source.fixAll"}); clean.RefactoringID != "" || len(clean.Notes) != 1 {
		t.Errorf("%+v", clean)
	}
}

// Open files change in their editor; unsaved ones are left out.
func TestApplyRefactoring_GlobInEditor(t *testing.T) {
	screen := newFakeEditor()
	p, _ := filesProject(t, screen)
	screen.addDocument(p.path("a.ts"), "a\n", false)
	screen.addDocument(p.path("d/b.ts"), "typed\n", true)
	got := call(t, p.ApplyRefactoring, editor.ApplyRefactoringArgs{Path: ".", Glob: "**/[ab].ts", Kind: "source.organizeImports", Preview: new(false)})
	if a, b := screen.docs[p.path("a.ts")], screen.docs[p.path("d/b.ts")]; a.Text != "import a\n" || a.Dirty || b.Text != "typed\n" || !b.Dirty {
		t.Errorf("%+v %+v", a, b)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "d/b.ts (unsaved in fake)") || got.Files[0].Editor != "fake" {
		t.Errorf("%+v", got)
	}
	p.wantFile(t, "a.ts", "import a\n")
	p.wantFile(t, "d/b.ts", "b\n")
}

// Many reasons against refactorings are counted unless a kind is given.
func TestListRefactorings_ManyDisabled(t *testing.T) {
	p, mind := extractProject(t)
	mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
		all := []adapter.Refactoring{{Title: "Move", Kind: "refactor.move"}}
		for range 12 {
			all = append(all, adapter.Refactoring{Title: "Extract", Kind: "refactor.extract", Disabled: "no"})
		}
		return all, nil
	}
	list := call(t, p.ListRefactorings, editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "a.ts", StartLine: 3}})
	if len(list.Refactorings) != 1 || len(list.Notes) != 1 || !strings.Contains(list.Notes[0], "12 refactorings cannot be done here") {
		t.Errorf("%+v", list)
	}
	list = call(t, p.ListRefactorings, editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "a.ts", StartLine: 3}, Kind: "refactor"})
	if len(list.Refactorings) != 13 {
		t.Errorf("%+v", list)
	}
}

// An adapter that leaves commands out is joined by the next one, without repetitions.
func TestListRefactorings_SeveralAdapters(t *testing.T) {
	first, second := newFakeServer(), newFakeServer()
	second.name = "other"
	first.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
		return []adapter.Refactoring{{Title: "Organize", Kind: "source.organizeImports"}, {Title: "Inline", Kind: "refactor.inline", Disabled: "no"}}, adapter.ErrUnsupported
	}
	second.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
		return []adapter.Refactoring{{Title: "Organize", Kind: "source.organizeImports"}, {Title: "Extract", Kind: "refactor.extract"}}, nil
	}
	args := editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "a.ts", StartLine: 1}}
	p := newProject(t, with(first, second), map[string]string{"a.ts": sums})
	var titles []string
	for _, r := range call(t, p.ListRefactorings, args).Refactorings {
		titles = append(titles, r.Title)
	}
	if !slices.Equal(titles, []string{"Organize", "Inline", "Extract"}) {
		t.Errorf("%q", titles)
	}
	p = newProject(t, with(first), map[string]string{"a.ts": sums})
	if alone := call(t, p.ListRefactorings, args); len(alone.Refactorings) != 2 {
		t.Errorf("%+v", alone)
	}
}

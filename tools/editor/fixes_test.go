package editor_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// fixesProject returns a project with an error and two fixes: one with edits, and one whose edits are computed later.
func fixesProject(t *testing.T) (project, *fakeServer, editor.QuickFixesResult) {
	t.Helper()
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.ts": "let x = y\n", "b.ts": "const y = 1\n"})
	d := newDiagnostic(p.path("a.ts"), 1, adapter.Error, "y is not defined")
	d.Ref = "mine"
	mind.diagnose = diagnosticsOf(d)
	mind.fixes = func(doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
		if d.Ref != "mine" || doc.Text != "let x = y\n" || doc.Path != p.path("a.ts") {
			return nil, nil
		}
		return []adapter.Fix{{Title: "import y", Kind: "quickfix", Preferred: true, Edits: []adapter.FileEdit{
			{Path: p.path("a.ts"), Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: "import y\n"}}},
			{Path: p.path("b.ts"), Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: "export "}}},
		}}, {Title: "worked out", Ref: 7}}, nil
	}
	mind.resolve = func(f adapter.Fix) ([]adapter.FileEdit, error) {
		if f.Ref != 7 {
			return nil, errors.New("what?")
		}
		return []adapter.FileEdit{{Path: p.path("a.ts"), Edits: []adapter.TextEdit{{Range: span(1, 9, 10), NewText: "1"}}}}, nil
	}
	found := call(t, p.Diagnostics, editor.DiagnosticsArgs{})
	return p, mind, call(t, p.QuickFixes, editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{Diagnostic: &found.Diagnostics[0]}})
}

func TestQuickFixes(t *testing.T) {
	p, _, got := fixesProject(t)
	if len(got.Fixes) != 2 || len(got.Notes) != 0 {
		t.Fatalf("%+v", got)
	}
	first, second := got.Fixes[0], got.Fixes[1]
	if first.Title != "import y" || first.Kind != "quickfix" || !first.Preferred || len(first.Files) != 2 || !strings.Contains(first.Diff, "+import y\n") || !strings.Contains(first.Diff, "+export const y = 1\n") {
		t.Errorf("%+v", first)
	}
	if !strings.Contains(second.Diff, "+let x = 1\n") || first.FixID == second.FixID {
		t.Errorf("%+v", second)
	}
	dry := call(t, p.ApplyQuickFix, editor.ApplyQuickFixArgs{FixID: first.FixID, DryRun: true})
	p.wantFile(t, "a.ts", "let x = y\n")
	done := call(t, p.ApplyQuickFix, editor.ApplyQuickFixArgs{FixID: first.FixID})
	p.wantFile(t, "a.ts", "import y\nlet x = y\n")
	p.wantFile(t, "b.ts", "export const y = 1\n")
	if !dry.DryRun || dry.Diff != done.Diff || !done.Success || strings.Join(done.FilesModified, " ") != "a.ts b.ts" || done.Files[1].SHA256 != sha256Of("export const y = 1\n") {
		t.Errorf("%+v\n%+v", dry, done)
	}
	_, err := p.ApplyQuickFix(t.Context(), editor.ApplyQuickFixArgs{FixID: first.FixID})
	toolsettest.WantError(t, err, "UNKNOWN_FIX", "applied already")
	_, err = p.ApplyQuickFix(t.Context(), editor.ApplyQuickFixArgs{FixID: second.FixID})
	toolsettest.WantError(t, err, "STALE_FIX", "a.ts")
}

func TestApplyQuickFix_Stale(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, p project){
		"the file of the diagnostic": func(t *testing.T, p project) { p.put(t, "a.ts", "\nlet x = y\n") },
		"another file":               func(t *testing.T, p project) { p.put(t, "b.ts", "const y = 2\n") },
	} {
		t.Run(name, func(t *testing.T) {
			p, _, got := fixesProject(t)
			change(t, p)
			_, err := p.ApplyQuickFix(t.Context(), editor.ApplyQuickFixArgs{FixID: got.Fixes[0].FixID})
			toolsettest.WantError(t, err, "STALE_FIX", "Call get_diagnostics")
		})
	}
}

func TestQuickFixes_DiagnosticRef(t *testing.T) {
	p, _, _ := fixesProject(t)
	found := call(t, p.Diagnostics, editor.DiagnosticsArgs{}).Diagnostics[0]
	byID, err := json.Marshal(editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{ID: found.ID}})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{Diagnostic: &found}})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{string(byID), string(whole)} {
		if got := toolsettest.Call(t, p, "get_quick_fixes", args); got.IsError || !strings.Contains(toolsettest.Text(t, got), ": import y (quickfix, preferred)\n") {
			t.Errorf("%s: %s", args, toolsettest.Text(t, got))
		}
	}
	// A diagnostic of the caller has no reference of the adapter.
	found.ID, found.Message = "", "made up"
	if got := call(t, p.QuickFixes, editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{Diagnostic: &found}}); len(got.Fixes) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestQuickFixes_Invalid(t *testing.T) {
	p, mind, _ := fixesProject(t)
	p.put(t, ".vscode/settings.json", "{}\n")
	edit := func(path string) []adapter.FileEdit {
		return []adapter.FileEdit{{Path: path, Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: "x"}}}}
	}
	mind.fixes = func(adapter.Document, adapter.Diagnostic) ([]adapter.Fix, error) {
		return []adapter.Fix{
			{Title: "outside", Edits: edit("/etc/passwd")}, {Title: "relative", Edits: edit("a.ts")}, {Title: "protected", Edits: edit(p.path(".vscode/settings.json"))},
			{Title: "no such line", Edits: []adapter.FileEdit{{Path: p.path("a.ts"), Edits: []adapter.TextEdit{{Range: span(9, 1, 1)}}}}}, {Title: "good", Edits: edit(p.path("a.ts"))},
		}, nil
	}
	found := call(t, p.Diagnostics, editor.DiagnosticsArgs{}).Diagnostics[0]
	got := call(t, p.QuickFixes, editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{ID: found.ID}})
	if len(got.Fixes) != 1 || got.Fixes[0].Title != "good" || len(got.Notes) != 4 {
		t.Errorf("%+v", got)
	}
}

func TestFormatDocument(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "a  b\r\nc  d\r\n"})
	mind.format = func(doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
		edits := replaceAll(doc.Text, "  ", " ")
		if part != nil {
			return edits[part.Start.Line-1 : part.End.Line-1], nil
		}
		return edits, nil
	}
	check := call(t, p.Format, editor.FormatArgs{Path: "a.go", CheckOnly: true})
	p.wantFile(t, "a.go", "a  b\r\nc  d\r\n")
	part := call(t, p.Format, editor.FormatArgs{Path: "a.go", StartLine: 2, EndLine: 2})
	p.wantFile(t, "a.go", "a  b\r\nc d\r\n")
	if !check.Changed || !check.CheckOnly || check.Formatter != "brain" || !strings.Contains(check.Diff, "+a b\r\n-c  d\r\n+c d\r\n") || !part.Changed || part.Diagnostics != "unchecked" {
		t.Errorf("%+v, %+v", check, part)
	}
	call(t, p.Format, editor.FormatArgs{Path: "a.go"})
	if again := call(t, p.Format, editor.FormatArgs{Path: "a.go"}); again.Changed || !strings.Contains(again.TextContent(), "laid out already") {
		t.Errorf("%+v", again)
	}
	p.wantFile(t, "a.go", "a b\r\nc d\r\n")
	mind.format = func(adapter.Document, *adapter.Range) ([]adapter.TextEdit, error) {
		return []adapter.TextEdit{{Range: span(1, 1, 3), NewText: "x"}, {Range: span(1, 2, 4), NewText: "y"}}, nil
	}
	_, err := p.Format(t.Context(), editor.FormatArgs{Path: "a.go"})
	toolsettest.WantError(t, err, "FORMATTER_FAILED", "overlap")
	mind.format = func(adapter.Document, *adapter.Range) ([]adapter.TextEdit, error) { return nil, adapter.ErrStale }
	_, err = p.Format(t.Context(), editor.FormatArgs{Path: "a.go"})
	toolsettest.WantError(t, err, "STALE_FILE")
	mind.format = nil
	_, err = p.Format(t.Context(), editor.FormatArgs{Path: "a.go"})
	toolsettest.WantError(t, err, "NO_LANGUAGE_SERVER", "brain does not support it")
	p.wantFile(t, "a.go", "a b\r\nc d\r\n")
}

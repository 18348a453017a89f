package editor_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func TestFeedback_NewErrors(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "a\n"})
	at := p.path("a.go")
	mind.diagnose = diagnosticsOf(newDiagnostic(at, 1, adapter.Error, "old"), newDiagnostic(at, 1, adapter.Warning, "warning"))
	insert := func(line int) editor.InsertCodeResult {
		t.Helper()
		return call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: line, Content: "x"})
	}
	if got := insert(1); got.NewErrors != nil || got.Diagnostics != "checked" || got.CheckedBy != "brain" {
		t.Errorf("%+v", got)
	}
	// The errors after the last change are reused, without another query.
	asked := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		asked++
		items := []adapter.Diagnostic{newDiagnostic(at, 2, adapter.Error, "old")}
		for i := range 7 {
			items = append(items, newDiagnostic(at, i+1, adapter.Error, fmt.Sprint("new ", i)))
		}
		return adapter.Diagnostics{Items: items, Fresh: true}, nil
	}
	got := insert(1)
	if len(got.NewErrors) != 5 || got.NewErrors[0].Message != "new 0" || got.NewErrors[0].File != "a.go" || asked != 1 {
		t.Errorf("asked %d times: %+v", asked, got)
	}
	if got := insert(1); got.NewErrors != nil {
		t.Errorf("%+v", got)
	}
	// get_quick_fixes accepts them like those of get_diagnostics.
	mind.fixes = func(_ adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
		return []adapter.Fix{{Title: d.Message, Edits: []adapter.FileEdit{}}}, nil
	}
	if got := call(t, p.QuickFixes, editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{ID: got.NewErrors[2].ID}}); len(got.Fixes) != 1 || got.Fixes[0].Title != "new 2" {
		t.Errorf("%+v", got)
	}
}

func TestFeedback_Stale(t *testing.T) {
	mind := newFakeServer()
	s := with(mind)
	s.options.Feedback = 4 * time.Millisecond
	p := newProject(t, s, map[string]string{"a.go": "a\n"})
	mind.diagnose = func(ctx context.Context, _ []string) (adapter.Diagnostics, error) {
		<-ctx.Done()
		return adapter.Diagnostics{}, ctx.Err()
	}
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); got.Diagnostics != "stale" || got.NewErrors != nil {
		t.Errorf("%+v", got)
	}
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Items: []adapter.Diagnostic{newDiagnostic(p.path("a.go"), 1, adapter.Error, "stale")}}, nil
	}
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); got.Diagnostics != "stale" || got.NewErrors != nil {
		t.Errorf("%+v", got)
	}
	s.options.Feedback = -1
	p = newProject(t, s, map[string]string{"a.go": "a\n"})
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); got.Diagnostics != "unchecked" || got.Reason == "" {
		t.Errorf("%+v", got)
	}
}

// An adapter that reads the disk cannot check unsaved text.
func TestFeedback_UnsavedText(t *testing.T) {
	mind, screen := newFakeServer(), newFakeEditor()
	p := newProject(t, with(screen, mind), map[string]string{"a.go": "a\n"})
	mind.diagnose = diagnosticsOf()
	screen.addDocument(p.path("a.go"), "a\nb\n", true)
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); got.NewErrors != nil || got.Diagnostics != "unchecked" || !strings.Contains(got.Reason, "not saved") || got.Saved {
		t.Errorf("%+v", got)
	}
}

// If the errors before the change are unknown, the errors of the changed lines count as new.
func TestFeedback_UnknownErrorsBefore(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "1\n2\n3\n"})
	at := p.path("a.go")
	times := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		times++ // the server is still starting at first
		return adapter.Diagnostics{Items: []adapter.Diagnostic{newDiagnostic(at, 1, adapter.Error, "1"), newDiagnostic(at, 2, adapter.Error, "x"), newDiagnostic(at, 3, adapter.Error, "y"), newDiagnostic(at, 4, adapter.Error, "2")}, Fresh: times > 1}, nil
	}
	got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 2, Content: "x\ny"})
	if len(got.NewErrors) != 2 || got.NewErrors[0].Message != "x" || got.NewErrors[1].Message != "y" || got.Diagnostics != "stale" || strings.Contains(got.TextContent(), "new error") {
		t.Errorf("%+v", got)
	}
}

// The errors that get_diagnostics found are the errors before the next change.
func TestFeedback_KnownFromDiagnostics(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "1\n"})
	asked := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		asked++
		return adapter.Diagnostics{Items: []adapter.Diagnostic{newDiagnostic(p.path("a.go"), 1, adapter.Error, "old")}, Fresh: true}, nil
	}
	call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go"})
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); asked != 2 || got.NewErrors != nil || got.Diagnostics != "checked" {
		t.Errorf("asked %d times: %+v", asked, got)
	}
}

// An error whose message names a line is the same error after the line has moved.
func TestFeedback_LineInMessage(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "1\n"})
	line := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		line++
		return adapter.Diagnostics{Items: []adapter.Diagnostic{newDiagnostic(p.path("a.go"), line, adapter.Error, fmt.Sprintf("declared again, see line %d and a.go:%d:3", line, line))}, Fresh: true}, nil
	}
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); line != 2 || got.NewErrors != nil {
		t.Errorf("asked %d times: %+v", line, got)
	}
}

// lateSyntax is a syntax checker whose first check ends without a result.
type lateSyntax struct {
	syntaxOf
	checks *int
}

func (s lateSyntax) CheckSyntax(ctx context.Context, path, text string) (adapter.Syntax, error) {
	if *s.checks++; *s.checks == 1 {
		return adapter.Syntax{}, context.DeadlineExceeded
	}
	return s.syntaxOf.CheckSyntax(ctx, path, text)
}

// The errors before a change are found afterwards if the checker had no time before.
func TestFeedback_SlowSyntaxBefore(t *testing.T) {
	s := with()
	s.options.Syntax = lateSyntax{syntaxOf{extension: ".ts", complete: true}, new(int)}
	p := newProject(t, s, map[string]string{"a.ts": "broken\n"})
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.ts", Line: 1, Content: "let x = 1"}); got.NewErrors != nil || got.Diagnostics != "checked" {
		t.Errorf("%+v", got)
	}
}

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

func TestAChangeTellsWhichErrorsItBrings(t *testing.T) {
	mind := newBrain()
	p := newProject(t, with(mind), map[string]string{"a.go": "a\n"})
	at := p.path("a.go")
	mind.diagnose = finds(wrong(at, 1, adapter.Error, "old"), wrong(at, 1, adapter.Warning, "warning"))
	insert := func(line int) editor.InsertCodeResult {
		t.Helper()
		return call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: line, Content: "x"})
	}
	if got := insert(1); got.NewErrors != nil || got.Diagnostics != "checked" || got.CheckedBy != "brain" {
		t.Errorf("%+v", got)
	}
	// The errors before a change are those after the last one, so that they are not asked for.
	asked := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		asked++
		items := []adapter.Diagnostic{wrong(at, 2, adapter.Error, "old")}
		for i := range 7 {
			items = append(items, wrong(at, i+1, adapter.Error, fmt.Sprint("new ", i)))
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
	// They are as good as those of get_diagnostics.
	mind.fixes = func(_ adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
		return []adapter.Fix{{Title: d.Message, Edits: []adapter.FileEdit{}}}, nil
	}
	if got := call(t, p.QuickFixes, editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{ID: got.NewErrors[2].ID}}); len(got.Fixes) != 1 || got.Fixes[0].Title != "new 2" {
		t.Errorf("%+v", got)
	}
}

func TestDiagnosticsThatAreNotThereYet(t *testing.T) {
	mind := newBrain()
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
		return adapter.Diagnostics{Items: []adapter.Diagnostic{wrong(p.path("a.go"), 1, adapter.Error, "stale")}}, nil
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

// Who reads the disk does not know what is wrong with what is not saved.
func TestDiagnosticsOfWhatIsNotSaved(t *testing.T) {
	mind, screen := newBrain(), newIDE()
	p := newProject(t, with(screen, mind), map[string]string{"a.go": "a\n"})
	mind.diagnose = finds()
	screen.holds(p.path("a.go"), "a\nb\n", true)
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); got.NewErrors != nil || got.Diagnostics != "unchecked" || !strings.Contains(got.Reason, "not saved") || got.Saved {
		t.Errorf("%+v", got)
	}
}

// Without what was wrong before, the errors of the changed lines are still new.
func TestErrorsOfTheChangedLines(t *testing.T) {
	mind := newBrain()
	p := newProject(t, with(mind), map[string]string{"a.go": "1\n2\n3\n"})
	at := p.path("a.go")
	times := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		times++ // the first time it is still starting
		return adapter.Diagnostics{Items: []adapter.Diagnostic{wrong(at, 1, adapter.Error, "1"), wrong(at, 2, adapter.Error, "x"), wrong(at, 3, adapter.Error, "y"), wrong(at, 4, adapter.Error, "2")}, Fresh: times > 1}, nil
	}
	got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 2, Content: "x\ny"})
	if len(got.NewErrors) != 2 || got.NewErrors[0].Message != "x" || got.NewErrors[1].Message != "y" || got.Diagnostics != "stale" {
		t.Errorf("%+v", got)
	}
}

// What get_diagnostics has found is what was wrong before the next change.
func TestDiagnosticsAreThoseBeforeTheNextChange(t *testing.T) {
	mind := newBrain()
	p := newProject(t, with(mind), map[string]string{"a.go": "1\n"})
	asked := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		asked++
		return adapter.Diagnostics{Items: []adapter.Diagnostic{wrong(p.path("a.go"), 1, adapter.Error, "old")}, Fresh: true}, nil
	}
	call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go"})
	if got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); asked != 2 || got.NewErrors != nil || got.Diagnostics != "checked" {
		t.Errorf("asked %d times: %+v", asked, got)
	}
}

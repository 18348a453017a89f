package editor_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// newDiagnostic returns a diagnostic of a file.
func newDiagnostic(path string, line int, severity adapter.Severity, message string) adapter.Diagnostic {
	return adapter.Diagnostic{Path: path, Range: span(line, 1, 2), Severity: severity, Message: message, Code: "E1", Source: "test"}
}

// diagnosticsOf returns the same diagnostics for every query.
func diagnosticsOf(items ...adapter.Diagnostic) func(context.Context, []string) (adapter.Diagnostics, error) {
	return func(context.Context, []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Items: items, Fresh: true}, nil
	}
}

func TestDiagnostics(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"b.go": "b\n", "a.go": "a\n", ".env": "A=1\n"})
	mind.diagnose = diagnosticsOf(
		newDiagnostic(p.path("b.go"), 3, adapter.Warning, "w"), newDiagnostic(p.path("b.go"), 2, adapter.Error, "e2\nmore"), newDiagnostic(p.path("a.go"), 1, adapter.Hint, "h"),
		newDiagnostic("/outside/c.go", 1, adapter.Error, "x"), newDiagnostic(p.path(".env"), 1, adapter.Error, "x"), newDiagnostic("relative.go", 1, adapter.Error, "x"),
		newDiagnostic(p.path("a.go"), -1, "fatal", "\xffodd"),
	)
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{})
	if *got.Errors != 1 || *got.Warnings != 1 || *got.TotalCount != 4 || !got.Fresh || got.Baseline == "" || got.Truncated {
		t.Errorf("%+v", got)
	}
	d := got.Diagnostics
	if d[0].File != "a.go" || d[0].Message != "\uFFFDodd" || d[0].Severity != "info" || d[0].Range != (adapter.Range{Start: adapter.Position{Line: 1, Column: 1}, End: adapter.Position{Line: 1, Column: 2}}) {
		t.Errorf("%+v", d[0])
	}
	if d[2].File != "b.go" || d[2].Range.Start.Line != 2 || d[2].Code != "E1" || d[2].Source != "test" || d[2].ID == "" {
		t.Errorf("%+v", d[2])
	}
	if len(got.Notes) != 1 || got.Notes[0] != "3 diagnostics of files that are not in the project or hidden" {
		t.Errorf("%q", got.Notes)
	}
	if s := got.TextContent(); !strings.Contains(s, "b.go\n  2:1 error E1 e2 more (test) #"+d[2].ID+"\n  3:1 warning") {
		t.Errorf("the text is %q", s)
	}
	if least := call(t, p.Diagnostics, editor.DiagnosticsArgs{Severity: "warning"}); *least.TotalCount != 2 {
		t.Errorf("%+v", least)
	}
}

func TestDiagnostics_Since(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "a\n"})
	at := p.path("a.go")
	mind.diagnose = diagnosticsOf(newDiagnostic(at, 1, adapter.Error, "same"), newDiagnostic(at, 2, adapter.Error, "gone"))
	base := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go"})
	mind.diagnose = diagnosticsOf(newDiagnostic(at, 5, adapter.Error, "same"), newDiagnostic(at, 6, adapter.Error, "same"), newDiagnostic(at, 7, adapter.Warning, "new"))
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go", Since: base.Baseline})
	if *got.TotalCount != 2 || got.Resolved != 1 || got.Diagnostics[0].Range.Start.Line != 6 || got.Diagnostics[1].Message != "new" {
		t.Errorf("%+v", got)
	}
	if s := got.TextContent(); !strings.HasPrefix(s, "[new: 2 diagnostics, resolved: 1: 1 error, 1 warning; checked 1 of 1 file; baseline ") {
		t.Errorf("the text is %q", s)
	}
}

func TestDiagnostics_Pages(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, setup{options: with(mind).options, limits: tools.Limits{Answer: 4000}}, map[string]string{"a.go": "a\n"})
	var all []adapter.Diagnostic
	for i := range 50 {
		all = append(all, newDiagnostic(p.path("a.go"), i+1, adapter.Error, fmt.Sprintf("%d %s", i, strings.Repeat("x", 2000))))
	}
	mind.diagnose = diagnosticsOf(all...)
	args, seen := editor.DiagnosticsArgs{MaxResults: 10}, 0
	for pages := 0; ; pages++ {
		got := call(t, p.Diagnostics, args)
		if *got.TotalCount != 50 || len(got.Diagnostics) == 0 || len(got.TextContent()) > 5500 || pages > 50 {
			t.Fatalf("page %d: %d of %d in %d bytes", pages, len(got.Diagnostics), *got.TotalCount, len(got.TextContent()))
		}
		for _, d := range got.Diagnostics {
			if !strings.HasPrefix(d.Message, fmt.Sprintf("%d x", seen)) {
				t.Fatalf("after %d comes %.20q", seen, d.Message)
			}
			seen++
		}
		if got.NextCursor == "" {
			break
		}
		args.Cursor = got.NextCursor
		mind.diagnose = diagnosticsOf() // later pages come from the first call
	}
	if seen != 50 {
		t.Errorf("saw %d", seen)
	}
}

// Each adapter receives the files that earlier adapters left unchecked.
func TestDiagnostics_SeveralAdapters(t *testing.T) {
	first, second := newFakeServer(), newFakeServer()
	first.name, second.name = "first", "second"
	p := newProject(t, with(first, second), map[string]string{"a.go": "a\n", "b.py": "b\n", "c.txt": "c\n"})
	var asked []string
	first.diagnose = func(_ context.Context, paths []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Items: []adapter.Diagnostic{newDiagnostic(p.path("a.go"), 1, adapter.Error, "1"), newDiagnostic(p.path("other.go"), 1, adapter.Error, "not asked for")},
			Fresh: true, Covered: []string{p.path("a.go")}, Notes: []string{"gopls is starting"}}, nil
	}
	second.diagnose = func(_ context.Context, paths []string) (adapter.Diagnostics, error) {
		asked = paths
		return adapter.Diagnostics{Items: []adapter.Diagnostic{newDiagnostic(p.path("b.py"), 1, adapter.Error, "2")}, Covered: []string{p.path("b.py")}}, nil
	}
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Paths: []string{"a.go", "b.py", "c.txt", "./a.go"}})
	if *got.TotalCount != 2 || got.Fresh || !slices.Equal(asked, []string{p.path("b.py"), p.path("c.txt")}) {
		t.Errorf("%+v, the second was asked for %q", got, asked)
	}
	if !slices.Contains(got.Notes, "gopls is starting") || got.Unchecked != 1 || !slices.Contains(got.Checks[2].Files, "c.txt") {
		t.Errorf("%q", got.Notes)
	}
}

func TestDiagnostics_AdapterFailure(t *testing.T) {
	mind := newFakeServer()
	s := with(mind)
	s.options.RetryDelay = time.Millisecond
	p := newProject(t, s, map[string]string{"a.go": "a\n"})
	times := 0
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		if times++; times < 3 {
			return adapter.Diagnostics{}, errors.New("busy")
		}
		return adapter.Diagnostics{Fresh: true}, nil
	}
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); !got.Fresh || times != 3 {
		t.Errorf("%+v after %d times", got, times)
	}
	times = -100
	_, err := p.Diagnostics(t.Context(), editor.DiagnosticsArgs{})
	toolsettest.WantError(t, err, "LANGUAGE_SERVER_FAILED", "busy")
	if times != -97 {
		t.Errorf("asked %d times", times+100)
	}
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) { panic("boom") }
	_, err = p.Diagnostics(t.Context(), editor.DiagnosticsArgs{})
	toolsettest.WantError(t, err, "LANGUAGE_SERVER_FAILED", "boom")
	mind.diagnose = func(ctx context.Context, _ []string) (adapter.Diagnostics, error) {
		<-ctx.Done()
		return adapter.Diagnostics{}, ctx.Err()
	}
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{WaitMS: 1}); got.Fresh || got.Errors != nil || got.Unchecked != 1 || !strings.Contains(got.Checks[0].Next, "longer waitMs") {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Diagnostics(ctx, editor.DiagnosticsArgs{})
	toolsettest.WantError(t, err, "CANCELLED")
}

func TestDiagnostics_ScopeChanged(t *testing.T) {
	_, err := exec.LookPath("git")
	testrequire.Thing(t, err == nil, "git", "install git")
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "a\n", "b.go": "b\n", "gone.go": "g\n", "日本 語.go": "n\n"})
	var asked []string
	mind.diagnose = func(_ context.Context, paths []string) (adapter.Diagnostics, error) {
		asked = paths
		return adapter.Diagnostics{Fresh: true}, nil
	}
	if _, err := p.Diagnostics(t.Context(), editor.DiagnosticsArgs{Scope: "changed"}); codeOf(err) != "INVALID_PARAMS" {
		t.Errorf("outside of a repository: %v", err)
	}
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		c.Dir = p.dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Scope: "changed"}); asked != nil || got.Fresh || got.Errors != nil || len(got.Notes) != 1 {
		t.Errorf("nothing changed: %+v", got)
	}
	p.put(t, "b.go", "changed\n")
	p.put(t, "日本 語.go", "changed\n")
	p.put(t, "sub/new.go", "new\n")
	p.put(t, ".env", "A=1\n")
	git("rm", "-q", "gone.go")
	// Programs named by the repository are not run.
	git("config", "core.fsmonitor", "touch ran; false")
	call(t, p.Diagnostics, editor.DiagnosticsArgs{Scope: "changed"})
	slices.Sort(asked)
	if want := []string{p.path("b.go"), p.path("sub/new.go"), p.path("日本 語.go")}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	p.wantAbsent(t, "ran")
}

// An editor may report only its open files of a project. The next adapter is queried as well, and duplicates are removed.
func TestDiagnostics_ProjectOfTwoAdapters(t *testing.T) {
	screen, mind := newFakeServer(), newFakeServer()
	screen.name = "screen"
	p := newProject(t, with(screen, mind), map[string]string{"a.go": "a\n", "b.go": "b\n"})
	both := newDiagnostic(p.path("a.go"), 1, adapter.Error, "known to both")
	fresh := false
	screen.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Items: []adapter.Diagnostic{both, both}, Fresh: fresh, Notes: []string{"only open files"}}, nil
	}
	mind.diagnose = diagnosticsOf(both, newDiagnostic(p.path("b.go"), 1, adapter.Error, "known to one"))
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{})
	if *got.Errors != 3 || got.Fresh || !slices.Contains(got.Notes, "only open files") {
		t.Errorf("got %+v", got)
	}
	fresh = true
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); *got.Errors != 2 || !got.Fresh {
		t.Errorf("of an editor that knows everything: %+v", got)
	}
}

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
)

// syntaxOf is a syntax checker that finds the word "broken" in files with an extension.
type syntaxOf struct {
	extension string
	complete  bool
	err       error
}

func (s syntaxOf) KnowsSyntax(path string) bool { return strings.HasSuffix(path, s.extension) }

func (s syntaxOf) CheckSyntax(_ context.Context, path, text string) (adapter.Syntax, error) {
	found := adapter.Syntax{By: "grammar", Complete: s.complete}
	if strings.Contains(text, "broken") {
		found.Items = append(found.Items, adapter.Diagnostic{Path: path, Range: span(1, 1, 2), Severity: adapter.Error, Message: "unexpected broken"})
	}
	return found, s.err
}

// checksOf returns the same check for every file.
func checksOf(c adapter.FileCheck) func(context.Context, []string) (adapter.Diagnostics, error) {
	return func(_ context.Context, paths []string) (adapter.Diagnostics, error) {
		d := adapter.Diagnostics{Fresh: true, Covered: []string{}}
		for _, path := range paths {
			one := c
			one.Path = path
			d.Checks = append(d.Checks, one)
		}
		return d, nil
	}
}

// explainer is a fakeServer that is not running and gives a reason.
type explainer struct{ *fakeServer }

func (explainer) WhyUnchecked(string) (reason, next string) {
	return "tsc is not installed", "Install it."
}

// Unchecked files: no result counts errors, claims that there are none, or is fresh. Each result has a reason, unless it is an
// error.
func TestDiagnostics_Unchecked(t *testing.T) {
	none := func(context.Context, []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Fresh: true, Covered: []string{}}, nil
	}
	for name, tc := range map[string]struct {
		diagnose func(context.Context, []string) (adapter.Diagnostics, error)
		syntax   adapter.SyntaxChecker
		buffer   string // unsaved text of an editor
		stopped  bool   // the adapter is not running
		args     editor.DiagnosticsArgs
		says     string
	}{
		"a file that no adapter covers":    {diagnose: none, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "no check is known"},
		"a project that no adapter covers": {diagnose: none, says: "no check is known"},
		"a JSON file without a parser":     {diagnose: none, args: editor.DiagnosticsArgs{Path: "x.json"}, says: "no check is known"},
		"a file of an unknown kind":        {diagnose: none, args: editor.DiagnosticsArgs{Path: "z.unknown"}, says: "no check is known"},
		"a file without an extension":      {diagnose: none, args: editor.DiagnosticsArgs{Path: "LICENSE"}, says: "no check is known"},
		"an unknown kind beside a grammar": {diagnose: none, syntax: syntaxOf{extension: ".ts"}, args: editor.DiagnosticsArgs{Path: "z.unknown"}, says: "no check is known"},
		"a language without a server":      {diagnose: checksOf(adapter.FileCheck{State: adapter.Unchecked, Reason: "tsserver is not installed", Next: "Install it."}), args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "tsserver is not installed. Install it"},
		"a server that is still starting":  {diagnose: checksOf(adapter.FileCheck{State: adapter.Unchecked, Reason: "gopls is still starting"}), args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "still starting"},
		"a file that is too large":         {diagnose: checksOf(adapter.FileCheck{State: adapter.Unchecked, Reason: "it is larger than 4 MiB"}), args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "larger than 4 MiB"},
		"a file that the build leaves out": {diagnose: checksOf(adapter.FileCheck{State: adapter.Unchecked, Reason: "build constraints leave it out"}), args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "leave it out"},
		"a server whose answer is old":     {diagnose: checksOf(adapter.FileCheck{State: adapter.Stale, Reason: "it has changed"}), args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "stale: a.ts, by brain: it has changed"},
		"an editor that has not said that it is done": {diagnose: func(_ context.Context, paths []string) (adapter.Diagnostics, error) {
			return adapter.Diagnostics{Covered: paths}, nil
		}, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "stale: a.ts"},
		"an editor that knows only its open files": {diagnose: func(context.Context, []string) (adapter.Diagnostics, error) { return adapter.Diagnostics{}, nil }, says: "unchecked 5"},
		"a server that does not answer in time": {diagnose: func(ctx context.Context, _ []string) (adapter.Diagnostics, error) {
			<-ctx.Done()
			return adapter.Diagnostics{}, ctx.Err()
		}, args: editor.DiagnosticsArgs{Path: "a.ts", WaitMS: 1}, says: "did not respond in time. Call again with a longer waitMs"},
		"a server that fails": {diagnose: func(context.Context, []string) (adapter.Diagnostics, error) {
			return adapter.Diagnostics{}, errors.New("it died")
		}, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "it died"},
		"a server that fails, and a grammar": {diagnose: func(context.Context, []string) (adapter.Diagnostics, error) {
			return adapter.Diagnostics{}, errors.New("it died")
		}, syntax: syntaxOf{extension: ".ts"}, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "it died"},
		"a server that panics":                    {diagnose: func(context.Context, []string) (adapter.Diagnostics, error) { panic("boom") }, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "boom"},
		"a grammar alone":                         {diagnose: none, syntax: syntaxOf{extension: ".ts"}, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "by grammar: only its syntax was checked"},
		"a grammar, and a server that is missing": {stopped: true, syntax: syntaxOf{extension: ".ts"}, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "by grammar: only its syntax was checked: tsc is not installed. Install it"},
		"a grammar that fails":                    {diagnose: none, syntax: syntaxOf{extension: ".ts", err: errors.New("it is too complex")}, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "it is too complex"},
		"no adapter that is running":              {stopped: true, args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "NO_LANGUAGE_SERVER"},
		"unsaved text of another editor":          {diagnose: diagnosticsOf(), buffer: "broken", args: editor.DiagnosticsArgs{Path: "a.ts"}, says: "stale: a.ts, by brain: screen has text of it that is not saved"},
		"a binary file":                           {diagnose: none, syntax: syntaxOf{extension: ".bin"}, args: editor.DiagnosticsArgs{Path: "b.bin"}, says: "cannot be read"},
		"a file that tools may not see":           {diagnose: diagnosticsOf(), args: editor.DiagnosticsArgs{Path: ".env"}, says: "hidden"},
		"what git has changed outside of git":     {diagnose: diagnosticsOf(), args: editor.DiagnosticsArgs{Scope: "changed"}, says: "git"},
	} {
		t.Run(name, func(t *testing.T) {
			mind, screen := newFakeServer(), newFakeEditor()
			screen.name = "screen"
			mind.diagnose = tc.diagnose
			s := with(screen, explainer{mind})
			s.options.Syntax, s.options.RetryDelay = tc.syntax, time.Millisecond
			if !tc.stopped {
				s.options.Adapters[1] = mind
			} else {
				mind.state.Running = false
			}
			p := newProject(t, s, map[string]string{"a.ts": "let x = 1\n", "x.json": "{}\n", "z.unknown": "z\n", "LICENSE": "l\n", "b.bin": "\x00\x01\n", ".env": "A=1\n"})
			if tc.buffer == "" {
				screen.setState(adapter.State{})
			} else {
				screen.addDocument(p.path("a.ts"), tc.buffer, true)
			}
			got, err := p.Diagnostics(t.Context(), tc.args)
			if err != nil {
				if text := codeOf(err) + ": " + err.Error(); !strings.Contains(text, tc.says) {
					t.Errorf("%s, want %q", text, tc.says)
				}
				return
			}
			known := got.Errors != nil && got.Stale == 0 // a stale file has the last known errors
			if text := got.TextContent(); got.Fresh || got.Unchecked+got.Stale == 0 || known || !strings.Contains(text, tc.says) || got.Stale == 0 && strings.Contains(text, "0 errors") {
				t.Errorf("%+v\n%s", got, text)
			}
		})
	}
}

func TestDiagnostics_FileStates(t *testing.T) {
	mind := newFakeServer()
	s := with(mind)
	s.options.Syntax, s.options.BuildTool = syntaxOf{extension: ".ts"}, "execute_build"
	p := newProject(t, s, map[string]string{"a.go": "a\n", "b.go": "b\n", "c.ts": "broken\n", "d.txt": "d\n", "node_modules/x/y.ts": "broken\n"})
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Fresh: true, Covered: []string{p.path("a.go"), p.path("b.go")}, Checks: []adapter.FileCheck{
			{Path: p.path("a.go"), State: adapter.Checked, By: "gopls"}, {Path: p.path("b.go"), State: adapter.Stale, By: "gopls", Reason: "it has changed"},
			{Path: p.path("c.ts"), State: adapter.Unchecked, Reason: "tsc is not installed", Next: "Install it."},
		}}, nil
	}
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{})
	if got.Checked != 1 || got.Stale != 1 || got.Unchecked != 2 || got.Fresh || got.Errors == nil || *got.Errors != 1 {
		t.Errorf("%+v", got)
	}
	want := "[1 diagnostic: 1 error, 0 warnings; checked 1 of 4 files, stale 1, unchecked 2; baseline " + got.Baseline + "]\n" +
		"c.ts\n  1:1 error unexpected broken #" + got.Diagnostics[0].ID + "\n" +
		"[checked: a.go, by gopls]\n[stale: b.go, by gopls: it has changed]\n[unchecked: d.txt: no check is known for this kind of file]\n" +
		"[unchecked: c.ts, by grammar: only its syntax was checked: tsc is not installed. Install it]\n" +
		"[where the project has a build, execute_build returns the compiler errors of unchecked files]\n"
	if text := got.TextContent(); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestDiagnostics_ManyFiles(t *testing.T) {
	mind := newFakeServer()
	mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
		return adapter.Diagnostics{Fresh: true, Covered: []string{}}, nil
	}
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("f%03d.k%d", i, i%30)] = "x\n"
	}
	p := newProject(t, setup{options: with(mind).options, limits: tools.Limits{Answer: 4000}}, files)
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{})
	text := got.TextContent()
	if got.Unchecked != 300 || len(got.Checks[0].Files) != 20 || len(text) > 1000 || !strings.Contains(text, "unchecked: 300 files (.k0 10, .k1 10") || !strings.Contains(text, "others 220") {
		t.Errorf("%+v\n%s", got, text)
	}
}

// For a format with syntax errors only, the parser's check is complete. It covers the text of the editor.
func TestDiagnostics_CompleteSyntax(t *testing.T) {
	screen := newFakeEditor()
	s := with(screen)
	s.options.Syntax = syntaxOf{extension: ".json", complete: true}
	p := newProject(t, s, map[string]string{"x.json": "{}\n"})
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "x.json"}); !got.Fresh || *got.Errors != 0 || got.Checked != 1 {
		t.Errorf("%+v", got)
	}
	screen.addDocument(p.path("x.json"), "broken", true)
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "x.json"}); !got.Fresh || *got.Errors != 1 {
		t.Errorf("%+v", got)
	}
}

func TestDiagnostics_ProjectWithEditor(t *testing.T) {
	screen, mind := newFakeEditor(), newFakeServer()
	mind.diagnose = diagnosticsOf()
	p := newProject(t, with(screen, mind), map[string]string{"a.go": "a\n"})
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); !got.Fresh || got.Checked != 1 || len(got.Notes) != 0 {
		t.Errorf("without unsaved text: %+v", got)
	}
	screen.addDocument(p.path("a.go"), "typed\n", true)
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); got.Fresh || got.Stale != 1 || !strings.Contains(got.TextContent(), "brain has looked at the file on the disk") {
		t.Errorf("with unsaved text: %+v", got)
	}
	mind.readsUnsaved = true
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); !got.Fresh || got.Checked != 1 || len(got.Notes) != 0 {
		t.Errorf("with an adapter that reads unsaved text: %+v", got)
	}
	mind.readsUnsaved = false
	screen.docs = map[string]*adapter.Document{p.path("new.go"): {Path: p.path("new.go"), Text: "typed\n", Version: 1, Dirty: true}}
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); got.Checked != 1 || !strings.Contains(got.TextContent(), "brain has looked at the disk for files with text that is not saved in fake") {
		t.Errorf("with another unsaved file: %+v", got)
	}
	screen.docs, screen.unsavedErr = nil, errors.New("it is busy")
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{}); got.Fresh || !strings.Contains(got.TextContent(), "it is busy; text that is not saved may differ") {
		t.Errorf("without an answer: %+v", got)
	}
}

// A diagnostic of the baseline is gone only if its file was checked again.
func TestDiagnostics_UncheckedBaseline(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a.go": "a\n"})
	mind.diagnose = diagnosticsOf(newDiagnostic(p.path("a.go"), 1, adapter.Error, "old"))
	base := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go"})
	mind.diagnose = checksOf(adapter.FileCheck{State: adapter.Unchecked, Reason: "gopls has died"})
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go", Since: base.Baseline})
	if got.Resolved != 0 || !slices.Contains(got.Notes, "1 diagnostic of the baseline are in files that are not checked now, and may be there still") {
		t.Errorf("%+v", got)
	}
	mind.diagnose = diagnosticsOf(newDiagnostic(p.path("a.go"), 1, adapter.Error, "old"))
	if again := call(t, p.Diagnostics, editor.DiagnosticsArgs{Path: "a.go", Since: got.Baseline}); len(again.Notes) != 1 || !strings.Contains(again.Notes[0], "they may be older") {
		t.Errorf("%+v", again)
	}
}

func TestDiagnostics_HiddenChangedFiles(t *testing.T) {
	_, err := exec.LookPath("git")
	testrequire.Thing(t, err == nil, "git", "install git")
	mind := newFakeServer()
	mind.diagnose = diagnosticsOf()
	p := newProject(t, with(mind), map[string]string{".env": "A=1\n", "a.go": "a\n"})
	c := exec.Command("git", "init", "-q")
	c.Dir = p.dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := call(t, p.Diagnostics, editor.DiagnosticsArgs{Scope: "changed"}); got.Fresh || got.Checked != 1 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "1 changed file cannot be checked") {
		t.Errorf("%+v", got)
	}
}

// A result without errors says whether the file was checked, also after an edit.
func TestInsertCode_Feedback(t *testing.T) {
	insert := editor.InsertCodeArgs{Path: "a.ts", Line: 1, Content: "broken"}
	for name, tc := range map[string]struct {
		adapters []adapter.Adapter
		syntax   adapter.SyntaxChecker
		errors   int
		state    string
		says     string
	}{
		"nothing that could check":  {nil, nil, 0, "unchecked", "[not checked for errors: no editor or language server that could check it is running]"},
		"a server that is missing":  {[]adapter.Adapter{explainer{&fakeServer{fakeAdapter: fakeAdapter{name: "brain"}}}}, nil, 0, "unchecked", "[not checked for errors: tsc is not installed. Install it]"},
		"a grammar":                 {nil, syntaxOf{extension: ".ts"}, 1, "unchecked", "[not checked for errors, by grammar: only its syntax was checked: no editor"},
		"a parser of a data format": {nil, syntaxOf{extension: ".ts", complete: true}, 1, "checked", "[new error: a.ts:1:1 error unexpected broken"},
	} {
		t.Run(name, func(t *testing.T) {
			s := with(tc.adapters...)
			s.options.Syntax = tc.syntax
			p := newProject(t, s, map[string]string{"a.ts": "let x = 1\n"})
			got := call(t, p.InsertCode, insert)
			if got.Diagnostics != tc.state || len(got.NewErrors) != tc.errors || !strings.Contains(got.TextContent(), tc.says) {
				t.Errorf("%+v\n%s", got, got.TextContent())
			}
		})
	}
}

// slowSyntax is a syntax checker that waits for the end of its context.
type slowSyntax struct{}

func (slowSyntax) KnowsSyntax(string) bool { return true }

func (slowSyntax) CheckSyntax(ctx context.Context, _, _ string) (adapter.Syntax, error) {
	<-ctx.Done()
	return adapter.Syntax{}, ctx.Err()
}

// Files that were not reached in time have the timeout as their reason.
func TestDiagnostics_SyntaxTimeout(t *testing.T) {
	p := newProject(t, setup{options: editor.Options{Syntax: slowSyntax{}}}, map[string]string{"a.json": "{}\n", "b.json": "{}\n"})
	got := call(t, p.Diagnostics, editor.DiagnosticsArgs{WaitMS: 1})
	text := got.TextContent()
	if got.Unchecked != 2 || strings.Contains(text, "cannot be read") || !strings.Contains(text, "the time was up before its check. Call again with a longer waitMs") {
		t.Errorf("the text is %q", text)
	}
}

package headless_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func TestDiagnose_ServerDies(t *testing.T) {
	p := fake(t, lsptest.Script{
		Answers: map[string]string{"textDocument/documentSymbol": `[{"name":"x","kind":13,` + span(2, 0, 2, 9) + `,"selectionRange":{"start":{"line":2,"character":4},"end":{"line":2,"character":5}}}]`},
		Does:    map[string]string{"textDocument/definition": lsptest.Die},
	}, headless.Options{})
	doc := p.doc("a.go")
	for n := range 3 {
		_, err := p.Definition(long(t), doc, p.at("a.go", "var |x"))
		if code(err) != "LANGUAGE_SERVER_FAILED" || !strings.Contains(err.Error(), "out of cheese") {
			t.Errorf("death %d: %v", n+1, err)
		}
		if n == 2 {
			break
		}
		if symbols, err := p.Symbols(long(t), doc); err != nil || len(symbols) != 1 || symbols[0].Kind != "variable" {
			t.Errorf("after death %d: %+v, %v", n+1, symbols, err)
		}
	}
	if _, err := p.Symbols(long(t), doc); code(err) != "LANGUAGE_SERVER_FAILED" || !strings.Contains(err.Error(), "too often") {
		t.Errorf("after three deaths: %v", err)
	}
	p.Forgive()
	if _, err := p.Symbols(long(t), doc); err != nil {
		t.Errorf("forgiven: %v", err)
	}
}

// A text with which the server ends is found among others, and is not sent again until it changes.
func TestDiagnose_SuspectText(t *testing.T) {
	p := fake(t, lsptest.Script{Poison: "poison", Answers: map[string]string{"textDocument/diagnostic": `{"items":[]}`, "textDocument/documentSymbol": `[]`}}, headless.Options{
		Servers: []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: testBinary(t), Dialect: headless.Pyright}},
	})
	p.write("b.go", "package a // poison\n")
	states := func() (a, b adapter.FileCheck) {
		t.Helper()
		d, err := p.Diagnose(long(t), []string{p.path("a.go"), p.path("b.go")})
		if err != nil {
			t.Fatal(err)
		}
		return p.checkOf(d, "a.go"), p.checkOf(d, "b.go")
	}
	for range 3 { // together, then alone
		if _, b := states(); b.State != adapter.Unchecked || b.Next == "" {
			t.Errorf("b.go: %+v", b)
		}
	}
	for range 4 {
		a, b := states()
		if a.State != adapter.Checked {
			t.Errorf("a.go: %+v", a)
		}
		if b.State != adapter.Unchecked || !strings.Contains(b.Reason, "ended 2 times") || !strings.Contains(b.Next, "change the file") {
			t.Errorf("b.go: %+v", b)
		}
	}
	if _, err := p.Symbols(long(t), p.doc("b.go")); code(err) != "LANGUAGE_SERVER_FAILED" || !strings.Contains(err.Error(), "does not receive it again") {
		t.Errorf("symbols: %v", err)
	}
	p.write("b.go", "package a\n")
	if _, b := states(); b.State != adapter.Checked {
		t.Errorf("b.go after a change: %+v", b)
	}
}

func TestDiagnose_NotFresh(t *testing.T) {
	for name, tc := range map[string]struct {
		script           lsptest.Script
		started, endless bool // started before the request; endless until the request is cancelled
		note             string
	}{
		"a server that does not start": {lsptest.Script{Does: map[string]string{"initialize": lsptest.Die}}, false, false, "exit code 3"},
		"one that starts slowly":       {lsptest.Script{Does: map[string]string{"initialize": lsptest.Hang}}, false, true, "still starting"},
		"one that does not answer":     {lsptest.Script{Does: map[string]string{"textDocument/diagnostic": lsptest.Hang}}, true, true, "try again"},
		"one that answers nonsense":    {lsptest.Script{Answers: map[string]string{"textDocument/diagnostic": `{"items":5}`}}, false, false, "its answer is invalid"},
		"one that claims to repeat":    {lsptest.Script{Answers: map[string]string{"textDocument/diagnostic": `{"kind":"unchanged"}`}}, false, false, "reported unchanged"},
		"one that publishes nothing":   {lsptest.Script{Capabilities: []byte(`{}`)}, true, true, "has not finished"},
		"one that publishes for another version": {lsptest.Script{Capabilities: []byte(`{}`), Sends: map[string][]string{"textDocument/didOpen": {
			`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"$ROOT/a.go","version":99,"diagnostics":[]}}`}}}, true, true, "has not finished"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fake(t, tc.script, headless.Options{})
			ctx := long(t)
			if tc.started {
				_, _ = p.Symbols(ctx, p.doc("a.go"))
			}
			if tc.endless {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			d, err := p.Diagnose(ctx, []string{p.path("a.go")})
			if err != nil || d.Fresh || len(d.Covered) != 1 || p.checkOf(d, "a.go").State == adapter.Checked || !strings.Contains(p.checkOf(d, "a.go").Reason, tc.note) {
				t.Errorf("%+v, %v, want a note of %q", d, err, tc.note)
			}
		})
	}
}

func TestDiagnose_PublishedVersion(t *testing.T) {
	p := fake(t, lsptest.Script{Capabilities: []byte(`{}`), Sends: map[string][]string{"textDocument/didOpen": {
		`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"$ROOT/a.go","version":"$VERSION","diagnostics":[{` + span(2, 4, 2, 5) + `,"severity":2,"code":"U1","message":"unused"}]}}`,
	}}}, headless.Options{})
	want := []string{"a.go:3:5-6: warning: unused [U1]"}
	same(t, "at first", p.diagnose("a.go"), want)
	p.write("b.go", "package a\n")
	p.FilesChanged([]string{p.path("b.go")})
	same(t, "after another file has changed", p.diagnose("a.go"), want)
}

// A server that states versions publishes without one for a document that was closed. This does not end the wait for the document
// that was opened again.
func TestDiagnose_PublishedAfterClose(t *testing.T) {
	t.Parallel()
	publish := func(name, version string) string {
		return `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"$ROOT/` + name + `",` + version + `"diagnostics":[]}}`
	}
	p := fake(t, lsptest.Script{Capabilities: []byte(`{}`), Sends: map[string][]string{
		"textDocument/didOpen": {publish("b.go", `"version":"$VERSION",`), publish("a.go", "")},
	}}, headless.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // longer than a server without versions gets
	defer cancel()
	d, err := p.Diagnose(ctx, []string{p.path("a.go")})
	if c := p.checkOf(d, "a.go"); err != nil || c.State != adapter.Stale || !strings.Contains(c.Reason, "has not finished") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestRequests_Unsupported(t *testing.T) {
	p := fake(t, lsptest.Script{}, headless.Options{})
	p.write("x.kt", "fun main() {}\n")
	_, err := p.Definition(long(t), p.doc("x.kt"), adapter.Position{Line: 1, Column: 1})
	if code(err) != "NO_LANGUAGE_SERVER" || !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("definition: %v", err)
	}
	d, err := p.Diagnose(long(t), []string{p.path("x.kt"), p.path("a.go")})
	if err != nil || !d.Fresh || len(d.Covered) != 1 || p.rel(d.Covered[0]) != "a.go" || p.checkOf(d, "x.kt").Reason == "" {
		t.Errorf("diagnostics: %+v, %v", d, err)
	}
	if _, err := p.Format(long(t), p.doc("x.kt"), nil); code(err) != "NO_LANGUAGE_SERVER" || !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("format: %v", err)
	}
	weak := fake(t, lsptest.Script{Capabilities: []byte(`{}`)}, headless.Options{})
	if _, err := weak.References(long(t), weak.doc("a.go"), adapter.Position{Line: 1, Column: 1}); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("a server that cannot: %v", err)
	}
}

func TestServers_NeedTrust(t *testing.T) {
	server := headless.Server{Name: "builder", Languages: []string{"go"}, Command: testBinary(t), RunsProject: true}
	for _, trusted := range []bool{false, true} {
		p := fake(t, lsptest.Script{}, headless.Options{Servers: []headless.Server{server}, TrustProject: trusted, Search: []string{t.TempDir()}})
		_, err := p.Symbols(long(t), p.doc("a.go"))
		if (err == nil) != trusted || !trusted && !strings.Contains(err.Error(), "not trusted") {
			t.Errorf("trusted %v: %v", trusted, err)
		}
		if tool, ok := errors.AsType[*mcp.ToolError](err); ok && (strings.Contains(tool.Next, "TrustProject") || !strings.HasPrefix(tool.Next, "Continue without it")) {
			t.Errorf("the advice is %q, without a flag of the program", tool.Next)
		}
		if p.State().Running != trusted {
			t.Errorf("trusted %v: %+v", trusted, p.State())
		}
	}
}

// until waits for a state.
func (p *project) until(what string, ok func(adapter.State) bool) {
	p.t.Helper()
	changed := make(chan struct{}, 1)
	defer p.Watch(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for ctx := long(p.t); !ok(p.State()); {
		select {
		case <-changed:
		case <-ctx.Done():
			p.t.Fatalf("%s: the state is still %+v", what, p.State())
		}
	}
}

func TestServers_EndWhenIdle(t *testing.T) {
	p := fake(t, lsptest.Script{}, headless.Options{Idle: 50 * time.Millisecond})
	for range 2 {
		if _, err := p.Symbols(long(t), p.doc("a.go")); err != nil {
			t.Fatal(err)
		}
		p.until("idle", func(s adapter.State) bool { return !strings.Contains(s.Detail, "running: fake") })
	}
}

func TestServers_MaxServers(t *testing.T) {
	server := headless.Server{Name: "fake", Languages: []string{"go"}, Command: testBinary(t), RootMarkers: []string{"go.mod"}}
	p := fake(t, lsptest.Script{}, headless.Options{Servers: []headless.Server{server}, MaxServers: 2})
	for _, name := range []string{"one", "two", "three", "one"} {
		p.write(name+"/go.mod", "module "+name+"\n")
		p.write(name+"/x.go", "package x\n")
		if _, err := p.Symbols(long(t), p.doc(name+"/x.go")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.until("few", func(s adapter.State) bool { return strings.HasSuffix(s.Detail, "running: fake (2)") })
}

func TestClose_EndsServers(t *testing.T) {
	p := fake(t, lsptest.Script{Does: map[string]string{"textDocument/definition": lsptest.Sleep}}, headless.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.Definition(ctx, p.doc("a.go"), adapter.Position{Line: 1, Column: 1}); code(err) != "TIMEOUT" {
		t.Errorf("a server that sleeps: %v", err)
	}
	for range 2 {
		if err := p.Close(long(t)); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	if _, err := p.Symbols(long(t), p.doc("a.go")); err == nil {
		t.Error("it answers after it was closed")
	}
}

// Concurrent requests about different texts of one document each get the result for their own text.
func TestFormat_ConcurrentTexts(t *testing.T) {
	server := headless.Server{Name: "echo", Languages: []string{"go"}, Command: testBinary(t)}
	p := fake(t, lsptest.Script{Answers: map[string]string{
		"textDocument/formatting": `[{` + span(0, 0, 0, 0) + `,"newText":"// one\n"}]`,
	}}, headless.Options{Servers: []headless.Server{server}})
	var work group.Group
	for n := range 8 {
		doc := p.doc("a.go")
		doc.Text += strings.Repeat("\n", n)
		work.Go(func() {
			edits, err := p.Format(long(t), doc, nil)
			if errors.Is(err, adapter.ErrStale) {
				return
			}
			if got, applyErr := adapter.Apply(doc.Text, edits); err != nil || applyErr != nil || !strings.HasSuffix(got, doc.Text) {
				t.Errorf("%q, %v, %v", got, err, applyErr)
			}
		})
	}
	work.Wait()
}

// Concurrent requests about unsaved texts do not replace each other's text with the file on disk.
func TestSymbols_ConcurrentUnsavedTexts(t *testing.T) {
	p := fake(t, lsptest.Script{
		Answers: map[string]string{"textDocument/documentSymbol": `[{"name":"x","kind":13,` + span(0, 0, 0, 9) + `,"selectionRange":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}]`},
	}, headless.Options{})
	var asking group.Group
	for n := range 4 {
		asking.Go(func() {
			for round := range 25 {
				doc := adapter.Document{Path: filepath.Join(p.dir, fmt.Sprintf("text%d.go", n)), Text: fmt.Sprintf("var x = %d\n", round), Language: "go"}
				if symbols, err := p.Symbols(long(t), doc); err != nil || len(symbols) != 1 {
					t.Errorf("text %d, round %d: %+v, %v", n, round, symbols, err)
					return
				}
			}
		})
	}
	asking.Wait()
}

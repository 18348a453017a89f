package headless_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// faultRequests are the methods of the protocol that the adapter uses, with a request that sends them. Each returns the error, or
// the reason why a file is not checked.
var faultRequests = []struct {
	method string
	ask    func(ctx context.Context, p *project) error
}{
	{"initialize", askSymbols},
	{"textDocument/didOpen", askSymbols},
	{"textDocument/documentSymbol", askSymbols},
	{"textDocument/diagnostic", func(ctx context.Context, p *project) error { return p.unchecked(ctx, []string{p.path("a.go")}) }},
	{"workspace/diagnostic", func(ctx context.Context, p *project) error { return p.unchecked(ctx, nil) }},
	{"textDocument/definition", func(ctx context.Context, p *project) error {
		_, err := p.Definition(ctx, p.doc("a.go"), p.at("a.go", "var |x"))
		return err
	}},
	{"textDocument/references", func(ctx context.Context, p *project) error {
		_, err := p.References(ctx, p.doc("a.go"), p.at("a.go", "var |x"))
		return err
	}},
	{"textDocument/rename", func(ctx context.Context, p *project) error {
		edits, err := p.Rename(ctx, p.doc("a.go"), p.at("a.go", "var |x"), "z")
		return noEdits(edits, err)
	}},
	{"textDocument/prepareRename", func(ctx context.Context, p *project) error {
		edits, err := p.Rename(ctx, p.doc("a.go"), p.at("a.go", "var |x"), "z")
		return noEdits(edits, err)
	}},
	{"workspace/symbol", func(ctx context.Context, p *project) error {
		_, err := p.FindSymbols(ctx, "x")
		return err
	}},
	{"textDocument/formatting", func(ctx context.Context, p *project) error {
		_, err := p.Format(ctx, p.doc("a.go"), nil)
		return err
	}},
	{"textDocument/rangeFormatting", func(ctx context.Context, p *project) error {
		at := p.at("a.go", "var |x")
		_, err := p.Format(ctx, p.doc("a.go"), &adapter.Range{Start: at, End: at})
		return err
	}},
	{"textDocument/codeAction", func(ctx context.Context, p *project) error {
		at := p.at("a.go", "var |x")
		_, err := p.Fixes(ctx, p.doc("a.go"), adapter.Diagnostic{Range: adapter.Range{Start: at, End: at}, Message: "bad"})
		return err
	}},
	{"codeAction/resolve", func(ctx context.Context, p *project) error {
		at := p.at("a.go", "var |x")
		found, err := p.Refactorings(ctx, p.doc("a.go"), adapter.Range{Start: at, End: at}, nil)
		if err != nil {
			return err
		}
		if len(found) != 1 {
			p.t.Fatalf("%d refactorings", len(found))
		}
		edits, err := p.Refactor(ctx, found[0])
		return noEdits(edits, err)
	}},
	{"workspace/executeCommand", func(ctx context.Context, p *project) error {
		at := p.at("a.go", "var |x")
		fixes, err := p.Fixes(ctx, p.doc("a.go"), adapter.Diagnostic{Range: adapter.Range{Start: at, End: at}, Message: "bad"})
		if err != nil {
			return err
		}
		if len(fixes) != 1 {
			p.t.Fatalf("%d fixes", len(fixes))
		}
		edits, err := p.Resolve(ctx, fixes[0])
		return noEdits(edits, err)
	}},
}

func askSymbols(ctx context.Context, p *project) error {
	_, err := p.Symbols(ctx, p.doc("a.go"))
	return err
}

func noEdits(edits []adapter.FileEdit, err error) error {
	if err == nil || len(edits) > 0 {
		return nil
	}
	return err
}

// unchecked requests diagnostics and returns the reason why a.go is not checked; nil if it counts as checked.
func (p *project) unchecked(ctx context.Context, paths []string) error {
	d, err := p.Diagnose(ctx, paths)
	if err != nil {
		return err
	}
	if c := p.checkOf(d, "a.go"); c.State == adapter.Unchecked && !d.Fresh && c.Reason != "" {
		return errors.New(c.Reason)
	}
	return nil
}

// serverFaults are the faults of a server, with a part of the error. The error of a silent server is the end of the request's time.
var serverFaults = []struct{ name, says string }{
	{lsptest.Hang, ""}, {lsptest.Sleep, ""}, {lsptest.Promise, ""},
	{lsptest.Die, "exit code 3"}, {lsptest.Half, "exit code 0"},
	{lsptest.Garbage, "instead of a header"}, {lsptest.Binary, "not a message of JSON-RPC"}, {lsptest.Huge, "a message of 50000000 bytes"},
	{lsptest.Flood, "more messages than anybody can read"}, {lsptest.Chatter, "more messages than anybody can read"},
	{lsptest.Eat, "too much memory"}, {lsptest.Breed, "too much memory"},
}

// Every fault of a server during every request is an error with a reason, within a bound, and Close ends the server. Without
// DOUGU_TEST_FAULTS=all each fault and each request is tested, but not all combinations.
func TestServers_Faults(t *testing.T) {
	all := os.Getenv("DOUGU_TEST_FAULTS") == "all"
	for n, r := range faultRequests {
		for m, f := range serverFaults {
			if !all && n%len(serverFaults) != m || runtime.GOOS != "linux" && strings.Contains(f.says, "memory") {
				continue
			}
			t.Run(strings.ReplaceAll(r.method, "/", " ")+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				script := lsptest.Script{
					Does: map[string]string{r.method: f.name},
					Answers: map[string]string{
						"textDocument/prepareRename": `{"defaultBehavior":true}`,
						"textDocument/codeAction":    `[{"title":"Extract","kind":"refactor.extract"}]`,
					},
					Capabilities: []byte(`{"textDocumentSync": 2, "definitionProvider": true, "referencesProvider": true, "renameProvider": {"prepareProvider": true}, "documentSymbolProvider": true,
						"workspaceSymbolProvider": true, "documentFormattingProvider": true, "documentRangeFormattingProvider": true, "codeActionProvider": {"resolveProvider": true},
						"diagnosticProvider": {"workspaceDiagnostics": true}, "executeCommandProvider": {"commands": ["mend"]}}`),
				}
				if r.method == "workspace/executeCommand" {
					script.Answers["textDocument/codeAction"] = `[{"title":"Mend","command":"mend"}]`
				}
				o := headless.Options{MaxMemory: 100 << 20, RequestTimeout: time.Minute}
				if f.says == "" {
					o.RequestTimeout = 500 * time.Millisecond
				}
				if !strings.Contains(f.says, "memory") {
					o.MaxMemory = -1
				}
				p := fake(t, script, headless.WithMemoryInterval(o, 20*time.Millisecond))
				err := r.ask(long(t), p)
				if err == nil || !strings.Contains(err.Error(), f.says) {
					t.Errorf("the error is %v, want %q", err, f.says)
				}
				if got := code(err); got != "" && got != "LANGUAGE_SERVER_FAILED" && got != "TIMEOUT" {
					t.Errorf("the code is %s", got)
				}
			})
		}
	}
}

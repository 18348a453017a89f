package lsp_test

import (
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// Nothing that a server can answer does more harm than an error.
func FuzzValues(f *testing.F) {
	for _, text := range []string{
		`null`, `[]`, `{}`, `7`, `"x"`, `{"command":"x"}`, `{"command":{"command":"x"},"edit":{"changes":{"file:///a":[{"range":{},"newText":""}]}}}`,
		`{"documentChanges":[{"kind":"rename","oldUri":"a","newUri":"b"},{"textDocument":{"uri":"x","version":null},"edits":[{}]}]}`,
		`{"items":[{"message":{"value":"x"},"code":1.5,"range":{"start":{"line":4294967295,"character":0},"end":{}}}]}`,
		`{"watchers":[{"globPattern":"**/*.{a,b}","kind":7},{"globPattern":{"baseUri":"file:///x","pattern":"*"}}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, into := range []any{new(lsp.Locations), new(lsp.WorkspaceEdit), new(lsp.CodeAction), new(lsp.DiagnosticReport), new(lsp.PublishParams), new([]lsp.Symbol), new([]lsp.TextEdit), new(lsp.WorkspaceDiagnosticReport)} {
			if err := json.Unmarshal(data, into); err != nil {
				continue
			}
			if report, ok := into.(*lsp.DiagnosticReport); ok {
				if _, err := json.Marshal(report.Items); err != nil {
					t.Errorf("what was read cannot be sent back: %v", err)
				}
			}
		}
		lsp.Matches(lsp.ParseWatches(data), "/a/b/c.go", "b/c.go", lsp.FileChanged)
		var uri string
		if json.Unmarshal(data, &uri) == nil {
			if path, err := lsp.Path(uri); err == nil {
				if again, err := lsp.Path(lsp.URI(path)); err != nil || again != path {
					t.Errorf("%q is %q, and then %q, %v", uri, path, again, err)
				}
			}
		}
	})
}

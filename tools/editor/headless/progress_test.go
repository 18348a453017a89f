package headless_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func workReport(kind, rest string) string {
	return `{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"` + kind + `",` + rest + `}}}`
}

// The call receives the progress of the server, and its result names the work that has not ended.
func TestDiagnose_Progress(t *testing.T) {
	p := fake(t, lsptest.Script{
		Sends: map[string][]string{"textDocument/didOpen": {workReport("begin", `"title":"Indexing"`), workReport("report", `"message":"src/a.rs","percentage":43`)}},
		Does:  map[string]string{"textDocument/diagnostic": lsptest.Hang},
	}, headless.Options{})
	set, err := editor.New(t.Context(), tools.Env{Root: p.root}, editor.Options{Adapters: []adapter.Adapter{p.Headless}})
	if err != nil {
		t.Fatal(err)
	}
	box, err := tools.NewBox(t.Context(), tools.BoxOptions{}, set)
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close(t.Context())
	var progress []string
	result, err := box.CallWith(long(t), "get_diagnostics", json.RawMessage(`{"path":"a.go","waitMs":2000}`), &mcp.CallOptions{OnProgress: func(n protocol.ProgressNotification) { progress = append(progress, n.Message) }})
	if err != nil {
		t.Fatal(err)
	}
	const work = "Indexing 43 %, src/a.rs"
	if text := result.Blocks()[0].(mcp.TextContent).Text; !strings.Contains(text, "unchecked: a.go") || !strings.Contains(text, "fake is still reading the project ("+work+")") {
		t.Errorf("the result is %s", text)
	}
	if !slices.Contains(progress, "fake: "+work) {
		t.Errorf("the progress is %q", progress)
	}
}

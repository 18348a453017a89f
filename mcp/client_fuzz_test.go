package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Whatever a server answers with, a client returns: with a result, or an error
// that can be read.
func FuzzClientResults(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"n":1},"isError":false}`,
		`{"contents":[{"uri":"a:b","blob":"AA=="}],"ttlMs":1e3,"cacheScope":"public"}`,
		`{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":""}}}]}`,
		`{"tools":[{"name":"t","inputSchema":{},"outputSchema":{"type":"object"}}],"nextCursor":"c"}`,
		`{"resources":[{"uri":"a:b","name":"b","size":1}],"resourceTemplates":[{}],"prompts":[{"arguments":[{}]}]}`,
		`{"completion":{"values":["a"],"total":1,"hasMore":true}}`,
		`{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}},"requestState":"s"}`,
		`{"resultType":null}`, `[]`, `null`, `{"nextCursor":{}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, result string) {
		if !json.Valid([]byte(result)) {
			return // the wire has no such results
		}
		mcptest.Bubble(t, func(t *testing.T) { // a server may ask to be asked later
			srv := fake{}
			for _, method := range []string{"tools/call", "tools/list", "resources/read", "resources/list", "resources/templates/list", "prompts/get", "prompts/list", "completion/complete"} {
				srv[method] = says(result)
			}
			client, err := mcp.Connect(t.Context(), direct{fake: srv, rev: protocol.Latest}, mcp.Implementation{}, &mcp.ClientOptions{CheckResults: true})
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			errs := make([]error, 4)
			_, errs[0] = client.CallTool(ctx, "t", nil, nil)
			_, errs[1] = client.ReadResource(ctx, "a:b", nil)
			_, errs[2] = client.GetPrompt(ctx, "p", nil, nil)
			_, errs[3] = client.CompletePrompt(ctx, "p", "a", "", nil)
			for _, err := range errs {
				if err != nil && err.Error() == "" {
					t.Errorf("an error that says nothing: %#v", err)
				}
			}
			toolNames(ctx, client)
			collect(client.Resources(ctx), func(r mcp.Resource) string { return r.URI })
			collect(client.Templates(ctx), func(r mcp.ResourceTemplate) string { return r.URITemplate })
			collect(client.Prompts(ctx), func(p mcp.Prompt) string { return p.Name })
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	})
}

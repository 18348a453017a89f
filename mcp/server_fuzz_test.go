package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Whatever a client sends, a request is answered, and what goes wrong is the
// client's fault and not the server's.
func FuzzRequests(f *testing.F) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Log: slog.New(slog.DiscardHandler)})
	all := many(2)
	all.Templates = append(all.Templates, template[place]("at:{dir}{/name}{?tags*,rev}"), template[map[string]string]("any:{+x}"))
	all.Prompts = append(all.Prompts, mcp.NewPrompt(mcp.Prompt{Name: "review"}, review))
	if err := srv.Replace("o", all); err != nil {
		f.Fatal(err)
	}
	for method, params := range map[string]string{
		"tools/call":               `{"name":"x0","arguments":{}}`,
		"resources/read":           `{"uri":"at:a/b?tags=a&rev=%20"}`,
		"resources/list":           `{"cursor":"cmVzb3VyY2Ugbm90ZTp4MA"}`,
		"resources/templates/list": `{"cursor":null}`,
		"prompts/get":              `{"name":"review","arguments":{"code":"\ud83d\ude00","focus":"Speed"},"inputResponses":{},"requestState":"d1.x"}`,
		"completion/complete":      `{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"focus","value":"S"},"context":{"arguments":{"a":"b"}}}`,
		"subscriptions/listen":     `{"notifications":{"resourceSubscriptions":["a:b"],"toolsListChanged":true}}`,
	} {
		f.Add(method, params)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	f.Fuzz(func(t *testing.T, method, params string) {
		if !json.Valid([]byte(params)) || params[0] != '{' {
			return // a transport lets nothing else pass
		}
		req := &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Notify: func(context.Context, protocol.Notification) error { return nil }}
		var err error
		if req.Meta, err = protocol.ReadMeta(req.Params); err != nil {
			return
		}
		req.Meta.Revision = protocol.Latest
		ctx := t.Context()
		if method == "subscriptions/listen" {
			ctx = ended
		}
		result, err := srv.Dispatch(ctx, req)
		if code(err) == protocol.CodeInternal {
			t.Fatalf("%s %s: %v", method, params, err)
		}
		if err != nil {
			return
		}
		for _, rev := range protocol.Revisions() {
			if wire, err := result.AppendJSON(nil, rev); err != nil || !json.Valid(wire) {
				t.Errorf("%s %s in %s: %s, %v", method, params, rev, wire, err)
			}
		}
	})
}

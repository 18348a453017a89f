package gateway_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// report is a result with a text of its own.
type report struct {
	N int `json:"n"`
}

func (r report) TextContent() string { return "one line" }

// A server behind the gateway sends the form that the client of the gateway takes, and the gateway
// forwards it. Its own policy replaces the wish of the client.
func TestGateway_Structured(t *testing.T) {
	newUpstream := func(policy mcp.StructuredPolicy) *mcp.Server {
		srv := mcp.NewServer(mcp.Implementation{Name: "up", Version: "1"}, &mcp.ServerOptions{Structured: policy})
		run := func(context.Context, struct{}) (report, error) { return report{1}, nil }
		page := mcp.Meta{"ui": map[string]any{"resourceUri": "ui://up/page"}}
		if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "report"}, run), mcp.NewTool(mcp.Tool{Name: "page", Meta: page}, run)}}); err != nil {
			t.Fatal(err)
		}
		return srv
	}
	const (
		asks  = `{"experimental":{"` + protocol.StructuredCapability + `":{}}}`
		shows = `{"extensions":{"io.modelcontextprotocol/ui":{}}}`
	)
	both := []string{"up_page", "up_report"}
	for name, tc := range map[string]struct {
		upstream, gateway mcp.StructuredPolicy
		capabilities      string
		want              []string // tools with structured content
	}{
		"a model client":                      {mcp.StructuredAuto, "", `{}`, nil},
		"a client that asks":                  {mcp.StructuredAuto, "", asks, both},
		"a client that shows pages":           {mcp.StructuredAuto, "", shows, []string{"up_page"}},
		"a gateway that asks":                 {mcp.StructuredAuto, mcp.StructuredAlways, `{}`, both},
		"a gateway that never asks":           {mcp.StructuredAuto, mcp.StructuredNever, asks, nil},
		"an upstream that decides for itself": {mcp.StructuredAlways, mcp.StructuredNever, `{}`, both},
	} {
		upstream := newUpstream(tc.upstream)
		for way, up := range map[string]gateway.Upstream{
			"in process": {Name: "up", Server: upstream},
			"connected":  {Name: "up", Connect: gateway.Always(transport.InMemory{Server: upstream})},
		} {
			if up.Server != nil && tc.gateway != "" && tc.upstream == mcp.StructuredAuto {
				continue // it knows the client
			}
			g := newGateway(t, gateway.Options{Structured: tc.gateway}, up)
			g.Start(t.Context())
			for _, session := range []bool{false, true} {
				var meta protocol.RequestMeta
				if session {
					s := &protocol.SessionMeta{Client: mcp.Implementation{Name: "claude-code"}}
					if err := json.Unmarshal([]byte(tc.capabilities), &s.Capabilities); err != nil {
						t.Fatal(err)
					}
					meta = protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(s)
				} else {
					var err error
					meta, err = protocol.ReadMeta(json.RawMessage(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + string(protocol.Latest) + `",
						"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + tc.capabilities + `}}`))
					if err != nil {
						t.Fatal(err)
					}
				}
				send := func(method, params string) string {
					result, err := g.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Meta: meta, Peer: protocol.Peer{Transport: "stdio"}})
					if err != nil {
						t.Fatal(err)
					}
					wire, err := result.AppendJSON(nil, meta.Revision)
					if err != nil {
						t.Fatal(err)
					}
					return string(wire)
				}
				var got, schemas []string
				for _, tool := range both {
					result := send("tools/call", `{"name":"`+tool+`","arguments":{}}`)
					if strings.Contains(result, `"structuredContent":{"n":1}`) {
						got = append(got, tool)
					}
					if !strings.Contains(result, `"text":"one line"`) {
						t.Errorf("%s, %s: %s", name, way, result)
					}
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("%s, %s, session %v: structured content of %v, want %v", name, way, session, got, tc.want)
				}
				var list struct{ Tools []mcp.Tool }
				if err := json.Unmarshal([]byte(send("tools/list", `{}`)), &list); err != nil {
					t.Fatal(err)
				}
				for _, tool := range list.Tools {
					if tool.OutputSchema != nil {
						schemas = append(schemas, tool.Name)
					}
				}
				for _, tool := range schemas {
					if !slices.Contains(got, tool) {
						t.Errorf("%s, %s, session %v: %s has an output schema without structured content", name, way, session, tool)
					}
				}
			}
		}
	}
}

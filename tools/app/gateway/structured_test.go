package gateway

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// counter is the name of the child that has a tool with structured content.
const counter = "counter"

// countResult is a result with a text of its own.
type countResult struct {
	N int `json:"n"`
}

func (r countResult) TextContent() string { return "three" }

// The gateway asks a server in another process for structured content as -structured says, and
// forwards the answer. Its own tool follows the flag, too.
func TestServe_Structured(t *testing.T) {
	file := servers(t, "", counter)
	asks := protocol.ClientCapabilities{Experimental: map[string]json.RawMessage{protocol.StructuredCapability: json.RawMessage(`{}`)}}
	for flag, clients := range map[string]map[string]bool{ // expected structured content, by client
		"auto":   {"claude-code": false, "codex-mcp-client": false, "asks": true},
		"always": {"claude-code": true, "codex-mcp-client": true, "asks": true},
		"never":  {"claude-code": false, "codex-mcp-client": false, "asks": false},
	} {
		url, _ := served(t, "-config", file, "-no-token", "-structured", flag)
		for name, want := range clients {
			for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
				host := &protocol.Host{Info: mcp.Implementation{Name: name, Version: "1"}, Revision: rev}
				if name == "asks" {
					host.Capabilities = asks
				}
				conn, err := (&httpclient.Client{URL: url}).Connect(t.Context(), host)
				apptest.Must(t, err)
				for tool, text := range map[string]string{"counter_count": `"text":"three"`, "gateway_servers": `"text":"counter is `} {
					result, err := conn.Dispatch(t.Context(), &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":{}}`)})
					apptest.Must(t, err)
					wire, err := result.AppendJSON(nil, protocol.Latest)
					apptest.Must(t, err)
					if got := strings.Contains(string(wire), `"structuredContent"`); got != want || !strings.Contains(string(wire), text) {
						t.Errorf("-structured %s, %s %s, %s: want structured content %v and %s: %s", flag, name, rev, tool, want, text, wire)
					}
				}
				apptest.Must(t, conn.Close())
			}
		}
	}
}

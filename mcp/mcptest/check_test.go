package mcptest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
)

// A result that does not match the output schema of its tool fails the test.
func TestConnect_ChecksResults(t *testing.T) {
	type level struct {
		Level string `json:"level" jsonschema:"enum=low,enum=high"`
	}
	tool := func(name, value string) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (level, error) { return level{value}, nil })
	}
	raw := mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object","unevaluatedProperties":false}`)},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: json.RawMessage(`{"a":1}`)}, nil
		})
	empty := mcp.NewRawTool(mcp.Tool{Name: "empty", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.Text("x"), nil })
	srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{tool("good", "low"), tool("bad", "medium"), raw, empty}})
	for name, want := range map[string]string{
		"good": "", "bad": `the result of bad does not match its output schema: level: must be one of "low", "high", got "medium"`,
		"raw": "the result of raw does not match its output schema", "empty": "the result of empty has no structured content",
	} {
		for way, call := range map[string]func(testing.TB){
			"Connect": func(f testing.TB) {
				client := mcptest.Connect(f, srv, nil)
				if _, err := client.CallTool(t.Context(), name, nil, nil); err != nil {
					f.Errorf("calling: %v", err)
				}
			},
			"CheckReplay": func(f testing.TB) { mcptest.CheckReplay(f, srv, name, nil, nil) },
		} {
			said := verdict(t, call)
			if (said == "") != (want == "") || !strings.Contains(said, want) {
				t.Errorf("%s of %s: %q, want %q", way, name, said, want)
			}
		}
	}
}

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// declared is an error that declares itself a protocol error.
type declared struct{ error }

func (declared) ProtocolError() *protocol.Error { return protocol.Errorf(7, "declared") }
func (d declared) Unwrap() error                { return d.ProtocolError() }

// An error of a tool is a protocol error only if it is one, not if it wraps one.
func TestTool_ProtocolErrors(t *testing.T) {
	answered := &protocol.Error{Code: 7, Message: "no such city", Data: json.RawMessage(`{"city":"X"}`)}
	for name, tc := range map[string]struct {
		err      error
		protocol bool
		text     string
	}{
		"a protocol error":              {answered, true, "no such city"},
		"a declared protocol error":     {declared{errors.New("login")}, true, "login"},
		"a wrapped declared error":      {fmt.Errorf("calling: %w", declared{errors.New("login")}), true, "calling: login"},
		"a wrapped protocol error":      {fmt.Errorf("the weather service failed: %w", answered), false, "the weather service failed: no such city"},
		"a joined protocol error":       {errors.Join(errors.New("first"), answered), false, "first\nno such city"},
		"a tool error around one":       {&mcp.ToolError{Code: "WEATHER", Message: "no weather", Next: "wait", Err: answered}, false, "WEATHER: no weather\nNext step: wait"},
		"a protocol error deep in many": {fmt.Errorf("a: %w", fmt.Errorf("b: %w", answered)), false, "a: b: no such city"},
	} {
		t.Run(name, func(t *testing.T) {
			fail := func(context.Context, struct{}) (string, error) { return "", tc.err }
			typed, raw := mcp.NewTool(mcp.Tool{Name: "typed"}, fail), mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, tc.err })
			srv := newServer(t, nil, typed, raw)
			for _, tool := range []mcp.ServerTool{typed, raw} {
				got, err := dispatch(t, srv, "tools/call", fmt.Sprintf(`{"name":%q}`, tool.Tool().Name))
				inProcess, direct := tool.Call(t.Context(), nil)
				if tc.protocol {
					if err == nil || err.Error() != tc.text || direct == nil || direct.Error() != tc.text {
						t.Errorf("%s: %s, %v; in process %v", tool.Tool().Name, got, err, direct)
					}
					continue
				}
				text, _ := json.Marshal(tc.text)
				if err != nil || !strings.Contains(got, `"isError":true`) || !strings.Contains(got, string(text)) {
					t.Errorf("%s: %s, %v", tool.Tool().Name, got, err)
				}
				if direct != nil || !inProcess.IsError || inProcess.Content[0].(mcp.TextContent).Text != tc.text {
					t.Errorf("%s in process: %+v, %v", tool.Tool().Name, inProcess, direct)
				}
			}
		})
	}
}

// A prompt, resource or completer whose error wraps a protocol error keeps its code, its data and
// the text of the error.
func TestPromptAndResource_WrappedProtocolErrors(t *testing.T) {
	answered := &protocol.Error{Code: 7, Message: "no such city", Data: json.RawMessage(`{"city":"X"}`)}
	wrapped := fmt.Errorf("the weather service failed: %w", answered)
	srv := offering(t, nil, mcp.Features{
		Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return nil, wrapped })},
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return nil, wrapped
		})},
	})
	for method, params := range map[string]string{"prompts/get": `{"name":"p"}`, "resources/read": `{"uri":"a:b"}`} {
		_, err := dispatch(t, srv, method, params)
		var refused *protocol.Error
		if !errors.As(err, &refused) || refused.Code != 7 || refused.Message != wrapped.Error() || string(refused.Data) != `{"city":"X"}` {
			t.Errorf("%s: %#v", method, err)
		}
	}
}

package gateway_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// A tool that asks twice gets its answers, whatever its server and its client
// speak.
func TestQuestion_Answered(t *testing.T) {
	combinations(t, func(t *testing.T, rev protocol.Revision, u gateway.Upstream, _ *mcp.Server) {
		var asked []string
		opts := mcp.ClientOptions{Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			asked = append(asked, form.Message)
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"really":true,"why":"it is time"}`)}, nil
		}}
		c := connect(t, newGateway(t, gateway.Options{}, u), rev, opts)
		for range 2 {
			asked = nil
			result, err := c.CallTool(t.Context(), "up_deploy", deployArgs{"prod"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			text := result.Blocks()[0].(mcp.TextContent).Text
			if strings.Contains(t.Name(), "oldest") {
				if len(asked) != 0 || !result.IsError { // elicitation is later than that
					t.Errorf("a server that cannot ask answers %q", text)
				}
				continue
			}
			if text != "deployed to prod: true, it is time" || strings.Join(asked, " ") != "Deploy to prod? Really?" {
				t.Errorf("after %q: %s", asked, text)
			}
		}
	})
}

// A client without support for questions is not asked, and the tool receives an error.
func TestQuestion_ClientCannotAnswer(t *testing.T) {
	combinations(t, func(t *testing.T, rev protocol.Revision, u gateway.Upstream, _ *mcp.Server) {
		c := connect(t, newGateway(t, gateway.Options{}, u), rev, mcp.ClientOptions{})
		result, err := c.CallTool(t.Context(), "up_deploy", deployArgs{"prod"}, nil)
		if err == nil && !result.IsError {
			t.Errorf("the tool answers %v", result.Blocks())
		}
	})
}

package mcptest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// checkedServer is a server whose tool results are checked against the listed output schemas. A
// mismatch fails the test; the client receives the result unchanged.
type checkedServer struct {
	*mcp.Server
	t testing.TB

	mu      sync.Mutex
	schemas map[string]*schema.Schema // by their text
}

// checked returns d with checked results if it is an *mcp.Server, otherwise d.
func checked(t testing.TB, d protocol.Dispatcher) protocol.Dispatcher {
	srv, ok := d.(*mcp.Server)
	if !ok || srv == nil {
		return d
	}
	return &checkedServer{Server: srv, t: t, schemas: make(map[string]*schema.Schema)}
}

// Dispatch implements protocol.Dispatcher.
func (s *checkedServer) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	result, err := s.Server.Dispatch(ctx, req)
	if called, ok := result.(*mcp.ToolResult); ok && err == nil && req.Method == "tools/call" && !called.IsError {
		s.check(req, called)
	}
	return result, err
}

// check reports a result that does not match the output schema of its tool. Tools that are listed
// without an output schema promise nothing.
func (s *checkedServer) check(req *protocol.Request, result *mcp.ToolResult) {
	var call struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(req.Params, &call) != nil {
		return
	}
	for _, tool := range s.Tools() {
		if tool.Name != call.Name || tool.OutputSchema == nil {
			continue
		}
		output, err := s.compile(tool.OutputSchema)
		switch {
		case err != nil:
			s.t.Errorf("the output schema of %s cannot be checked: %v", tool.Name, err)
		case result.Structured == nil:
			s.t.Errorf("the result of %s has no structured content, which its output schema requires", tool.Name)
		default:
			if err := output.Check(result.Structured); err != nil {
				s.t.Errorf("the result of %s does not match its output schema: %v\n%s", tool.Name, err, result.Structured)
			}
		}
	}
}

// compile compiles an output schema once.
func (s *checkedServer) compile(raw json.RawMessage) (*schema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if output := s.schemas[string(raw)]; output != nil {
		return output, nil
	}
	output, err := schema.Compile(raw, schema.Options{Reference: reference.Validator})
	if err == nil {
		s.schemas[string(raw)] = output
	}
	return output, err
}

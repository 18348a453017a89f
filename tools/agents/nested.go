package agents

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// NestedTools returns the tools for agents of the main agent: NestedToolsForLevel(1).
func (a *Agents) NestedTools() tools.Set { return a.NestedToolsForLevel(1) }

// NestedToolsForLevel returns the tools for agents of a level, which EnvDepth names: report_result
// and get_agent_status, and all tools below Options.MaxDepth. Each call needs a context of
// WithCaller.
func (a *Agents) NestedToolsForLevel(level int) tools.Set {
	var n nested
	for _, tool := range a.features.Tools {
		name := tool.Tool().Name
		if level < a.options.MaxDepth || slices.Contains([]string{reportTool, "get_agent_status"}, name) {
			n.features.Tools = append(n.features.Tools, tool.Wrap(requireCaller))
		}
	}
	return n
}

// requireCaller rejects calls without a calling agent.
func requireCaller(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		if callerFrom(ctx) == "" {
			return nil, invalid("Call with the token of an agent.", "the call has no token of an agent")
		}
		return next(ctx, args)
	}
}

// nested is the tool set of agents.
type nested struct{ features mcp.Features }

// Features implements tools.Set.
func (n nested) Features() mcp.Features { return n.features }

// Close implements tools.Set.
func (n nested) Close(context.Context) error { return nil }

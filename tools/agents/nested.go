package agents

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// Nested is what agents are offered, whom calls must name with WithCaller: report_result and get_agent_status, and if agents may
// run agents, all the other tools, for those that they have ordered.
func (a *Agents) Nested() tools.Set { return a.NestedAt(1) }

// NestedAt is what agents of a level are offered: 1 is that of the agents which the main agent has ordered; see EnvDepth.
func (a *Agents) NestedAt(level int) tools.Set {
	var n nested
	for _, tool := range a.features.Tools {
		name := tool.Tool().Name
		if level < a.options.MaxDepth || slices.Contains([]string{reportTool, "get_agent_status"}, name) {
			n.features.Tools = append(n.features.Tools, tool.Wrap(named))
		}
	}
	return n
}

// named refuses calls of nobody.
func named(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		if callerFrom(ctx) == "" {
			return nil, invalid("Call with the token of an agent.", "it is not known which agent calls")
		}
		return next(ctx, args)
	}
}

// nested are the tools of agents.
type nested struct{ features mcp.Features }

// Features implements tools.Set.
func (n nested) Features() mcp.Features { return n.features }

// Close implements tools.Set.
func (n nested) Close(context.Context) error { return nil }

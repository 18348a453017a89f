package agents

import (
	"context"
	"encoding/json"
	"fmt"
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
	for _, tool := range a.ownTools {
		if level < a.options.MaxDepth || slices.Contains(selfTools(), tool.Tool().Name) {
			n.features.Tools = append(n.features.Tools, tool.Wrap(requireCaller))
		}
	}
	return n
}

// selfTools are the tools that an agent calls for itself, without its ID.
func selfTools() []string { return []string{reportTool, "get_agent_status"} }

// requireInput returns a tool with a required argument.
func requireInput(tool mcp.ServerTool, name string) (mcp.ServerTool, error) {
	var schema map[string]json.RawMessage
	var required []string
	if err := json.Unmarshal(tool.Tool().InputSchema, &schema); err != nil {
		return tool, fmt.Errorf("reading the input schema of %s: %w", tool.Tool().Name, err)
	}
	if schema["required"] != nil {
		if err := json.Unmarshal(schema["required"], &required); err != nil {
			return tool, fmt.Errorf("reading the input schema of %s: %w", tool.Tool().Name, err)
		}
	}
	var err error
	if schema["required"], err = json.Marshal(append([]string{name}, required...)); err != nil {
		return tool, fmt.Errorf("encoding the input schema of %s: %w", tool.Tool().Name, err)
	}
	changed, err := json.Marshal(schema)
	if err != nil {
		return tool, fmt.Errorf("encoding the input schema of %s: %w", tool.Tool().Name, err)
	}
	return tool.With(mcp.ToolOptions{InputSchema: changed}), nil
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

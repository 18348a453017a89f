package main

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/mcp"
)

// changingTools returns tools that add features to srv, and remove them at the next call.
func changingTools(srv *mcp.Server) []mcp.ServerTool {
	added := mcp.NewTool(mcp.Tool{Name: "test_dynamic_tool", Description: "Comes and goes."},
		func(context.Context, none) (string, error) { return "I am here.", nil })
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "test_dynamic_prompt", Description: "Comes and goes."},
		func(context.Context, none) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("I am here.")}}, nil
		})
	return []mcp.ServerTool{
		toggle(srv, "test_trigger_tool_change", "Changes the list of tools.", mcp.Features{Tools: []mcp.ServerTool{added}}),
		toggle(srv, "test_trigger_prompt_change", "Changes the list of prompts.", mcp.Features{Prompts: []mcp.ServerPrompt{prompt}}),
	}
}

// toggle returns a tool that alternately adds and removes features.
func toggle(srv *mcp.Server, name, description string, features mcp.Features) mcp.ServerTool {
	var (
		mu    sync.Mutex
		there bool
	)
	return mcp.NewTool(mcp.Tool{Name: name, Description: description},
		func(context.Context, none) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			there = !there
			if there {
				return "Added.", srv.Replace(name, features)
			}
			return "Removed.", srv.Remove(name)
		})
}

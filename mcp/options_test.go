package mcp_test

import (
	"context"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// With undoes what an earlier With has set, and keeps it without a value.
func TestWith_Undo(t *testing.T) {
	type limits struct {
		unlisted            bool
		timeout, hard       time.Duration
		maxResult           int
		listed              bool // Listed is a request, no state
		tools, prompts, uri int  // listed features
	}
	tool := mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "", nil }).
		With(mcp.ToolOptions{Unlisted: true, Timeout: time.Second, HardTimeout: time.Minute, MaxResult: 5})
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return nil, nil }).
		With(mcp.PromptOptions{Unlisted: true, Timeout: time.Second, HardTimeout: time.Minute, MaxResult: 5})
	resource := mcp.NewResource(mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, string) ([]mcp.ResourceContents, error) { return nil, nil }).
		With(mcp.ResourceOptions{Unlisted: true, Timeout: time.Second, HardTimeout: time.Minute, MaxResult: 5})
	for _, step := range []struct {
		name string
		tool mcp.ServerTool
		p    mcp.ServerPrompt
		r    mcp.ServerResource
		want limits
	}{
		{"kept", tool.With(mcp.ToolOptions{}), prompt.With(mcp.PromptOptions{}), resource.With(mcp.ResourceOptions{}), limits{unlisted: true, timeout: time.Second, hard: time.Minute, maxResult: 5}},
		{
			"undone", tool.With(mcp.ToolOptions{Listed: true, Timeout: -1, HardTimeout: -1, MaxResult: -1}), prompt.With(mcp.PromptOptions{Listed: true, Timeout: -1, HardTimeout: -1, MaxResult: -1}),
			resource.With(mcp.ResourceOptions{Listed: true, Timeout: -1, HardTimeout: -1, MaxResult: -1}), limits{tools: 1, prompts: 1, uri: 1},
		},
	} {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		if err := srv.Replace("o", mcp.Features{Tools: []mcp.ServerTool{step.tool}, Prompts: []mcp.ServerPrompt{step.p}, Resources: []mcp.ServerResource{step.r}}); err != nil {
			t.Fatal(err)
		}
		to, po, ro := step.tool.Options(), step.p.Options(), step.r.Options()
		for kind, got := range map[string]limits{
			"tool":     {unlisted: to.Unlisted, timeout: to.Timeout, hard: to.HardTimeout, maxResult: to.MaxResult, listed: to.Listed},
			"prompt":   {unlisted: po.Unlisted, timeout: po.Timeout, hard: po.HardTimeout, maxResult: po.MaxResult, listed: po.Listed},
			"resource": {unlisted: ro.Unlisted, timeout: ro.Timeout, hard: ro.HardTimeout, maxResult: ro.MaxResult, listed: ro.Listed},
		} {
			got.tools, got.prompts, got.uri = len(srv.Tools()), len(srv.Prompts()), len(srv.Resources())
			if got != step.want {
				t.Errorf("%s %s: %+v, want %+v", kind, step.name, got, step.want)
			}
		}
	}
}

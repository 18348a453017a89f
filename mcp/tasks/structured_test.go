package tasks_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// sum is a result with a text of its own.
type sum struct {
	N int `json:"n"`
}

func (s sum) TextContent() string { return "the sum" }

// The result of a task has the form for the client that has made the call.
func TestTask_Structured(t *testing.T) {
	for policy, want := range map[mcp.StructuredPolicy]string{mcp.StructuredAuto: `{"n":3}`, mcp.StructuredNever: ""} {
		add := mcp.NewTool(mcp.Tool{Name: "add"}, func(context.Context, none) (sum, error) { return sum{3}, nil }).
			With(mcp.ToolOptions{Task: mcp.TaskRequired, Structured: policy})
		srv, _ := serve(t, tasks.Options{}, add)
		result, err := connect(t, srv, mcp.ClientOptions{}).CallTool(t.Context(), "add", nil, nil)
		must(t, err)
		if text := result.Content[0].(mcp.TextContent).Text; string(result.Structured) != want || text != "the sum" {
			t.Errorf("%s: structured content %s, want %q; text %q", policy, result.Structured, want, text)
		}
	}
}

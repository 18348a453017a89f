package tools_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// library is a set that offers everything but tools.
type library struct{}

func (library) Features() mcp.Features {
	return mcp.Features{
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "book:///1", Name: "1"}, func(_ context.Context, uri string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: uri, Text: "once upon a time"}}, nil
		})},
		Templates: []mcp.ServerTemplate{mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "page:///{n}", Name: "page"}, func(_ context.Context, uri string, in map[string]string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: uri, Text: "page " + in["n"]}}, nil
		})},
		Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "review"}, func(context.Context, struct{}) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Review it.")}}, nil
		})},
		ReserveTools: true,
	}
}

func (library) Close(context.Context) error { return nil }

// Resources and prompts of a set are installed and removed with its tools.
func TestInstall_ResourcesAndPrompts(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	in, err := tools.Install(srv, "library", tools.Profile{}, library{})
	if err != nil {
		t.Fatal(err)
	}
	if r, p, q := srv.Resources(), srv.Templates(), srv.Prompts(); len(r) != 1 || len(p) != 1 || len(q) != 1 {
		t.Errorf("the server offers %v, %v, %v", r, p, q)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if r, p, q := srv.Resources(), srv.Templates(), srv.Prompts(); len(r)+len(p)+len(q) != 0 {
		t.Errorf("the server still offers %v, %v, %v", r, p, q)
	}
}

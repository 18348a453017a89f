// Command completion declares proposals for the argument of a prompt and the variable of a resource template.
package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/mcp"
)

type args struct {
	Value string `json:"value"`
}

// propose returns a Completer with fixed proposals.
func propose(values ...string) mcp.Completer {
	return func(context.Context, string, map[string]string) (mcp.Completion, error) {
		return mcp.Completion{Values: values, Total: len(values)}, nil
	}
}

func prompt(_ context.Context, in args) (*mcp.PromptResult, error) {
	return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(in.Value)}}, nil
}

func read(_ context.Context, _ string, in args) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{{Text: in.Value}}, nil
}

func main() {
	server := mcp.NewServer(mcp.Implementation{Name: "server"}, nil)
	if err := server.Replace("completion", mcp.Features{
		Prompts:   []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "prompt"}, prompt).Complete("value", propose("suggestion1", "suggestion2", "suggestion3"))},
		Templates: []mcp.ServerTemplate{mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "demo:///{value}", Name: "resource"}, read).Complete("value", propose("suggestion4", "suggestion5", "suggestion6"))},
	}); err != nil {
		log.Fatal(err)
	}
	log.Println("The server proposes values (but does not run).")
}

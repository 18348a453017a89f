package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type SummarizeArgs struct {
	Text string `json:"text"`
}

// A handler asks the model of its client, so that the server needs no account at a provider. An
// agent gives its model as a function.
func ExampleSample() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "library", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "summarize", Description: "Summarizes a text."},
		func(ctx context.Context, in SummarizeArgs) (string, error) {
			answer, err := mcp.Sample(ctx, "summary", mcp.SampleParams{Prompt: "Summarize: " + in.Text, MaxTokens: 100})
			if err != nil {
				return "", err
			}
			return answer.Text(), nil
		})
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, exampleClient, &mcp.ClientOptions{
		Sample: func(_ context.Context, p mcp.SampleParams) (*mcp.SampleResult, error) {
			question, _ := p.Messages[0].Content[0].(mcp.TextContent) // call a model here
			return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: strings.ToUpper(question.Text)}}, Model: "loud-1"}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](ctx, client, "summarize", SummarizeArgs{Text: "It rains."})
	fmt.Println(text, err)
	// Output: SUMMARIZE: IT RAINS. <nil>
}

// The model uses a tool that the handler offers it. Each round has a key of its own.
func ExampleSample_tools() {
	add := mcp.NewTool(mcp.Tool{Name: "add", Description: "Adds numbers."}, func(_ context.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil })
	solve := mcp.NewTool(mcp.Tool{Name: "solve", Description: "Solves a problem."}, func(ctx context.Context, _ struct{}) (string, error) {
		params := mcp.SampleParams{Prompt: "What is 40 plus 2?", Tools: []mcp.Tool{add.Tool()}}
		for round := range 5 {
			answer, err := mcp.Sample(ctx, fmt.Sprint("round ", round), params)
			if err != nil {
				return "", err
			}
			if len(answer.ToolUses()) == 0 {
				return answer.Text(), nil
			}
			if params.Prompt != "" {
				params.Messages = []mcp.SampleMessage{{Role: mcp.RoleUser, Content: []mcp.Content{mcp.TextContent{Text: params.Prompt}}}}
				params.Prompt = ""
			}
			results := mcp.SampleMessage{Role: mcp.RoleUser}
			for _, use := range answer.ToolUses() {
				result, err := add.Call(ctx, use.Input)
				if err != nil {
					return "", err
				}
				results.Content = append(results.Content, mcp.ToolResultContent{ToolUseID: use.ID, Content: result.Blocks(), IsError: result.IsError})
			}
			params.Messages = append(params.Messages, mcp.SampleMessage{Role: answer.Role, Content: answer.Content}, results)
		}
		return "", &mcp.ToolError{Code: "NO_ANSWER", Message: "the model did not come to an end"}
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "calculator", Version: "1.0.0"}, nil)
	if err := srv.Replace("calculator", mcp.Features{Tools: []mcp.ServerTool{solve}}); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, exampleClient, &mcp.ClientOptions{
		SampleTools: true,
		Sample: func(_ context.Context, p mcp.SampleParams) (*mcp.SampleResult, error) {
			last := p.Messages[len(p.Messages)-1].Content[0]
			if result, ok := last.(mcp.ToolResultContent); ok {
				return &mcp.SampleResult{Content: result.Content}, nil
			}
			return &mcp.SampleResult{StopReason: "toolUse", Content: []mcp.Content{mcp.ToolUseContent{ID: "1", Name: "add", Input: json.RawMessage(`{"A":40,"B":2}`)}}}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](ctx, client, "solve", nil)
	fmt.Println(text, err)
	// Output: 42 <nil>
}

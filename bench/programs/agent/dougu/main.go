// Command dougu is an agent that works with the tools of its own process, written with this library: a model behind the Chat
// Completions API of OpenAI calls them until it answers.
//
//	OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=… dougu MODEL "Add 2 and 3."
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/modelapi"
)

type numbers struct {
	A int `json:"a"`
	B int `json:"b"`
}

type place struct {
	City string `json:"city" jsonschema:"enum=Kyoto,enum=Oslo"`
}

func add(_ context.Context, in numbers) (string, error) { return fmt.Sprint(in.A + in.B), nil }

func weather(_ context.Context, in place) (string, error) { return "sunny in " + in.City, nil }

// set has the tools of the agent.
type set struct{}

func (set) Features() mcp.Features {
	return mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "add", Description: "Adds two numbers."}, add),
		mcp.NewTool(mcp.Tool{Name: "weather", Description: "Returns the weather of a city."}, weather),
	}}
}

func (set) Close(context.Context) error { return nil }

func main() {
	answer, err := run(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

func run(ctx context.Context, model, task string) (string, error) {
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, set{})
	if err != nil {
		return "", err
	}
	defer box.Close(ctx)
	functions, err := modelapi.OpenAIChat(box.Tools())
	if err != nil {
		return "", err
	}
	messages := []message{{Role: "user", Content: task}}
	for range 20 {
		next, err := ask(ctx, map[string]any{"model": model, "messages": messages, "tools": functions})
		if err != nil || len(next.ToolCalls) == 0 {
			return next.Content, err
		}
		messages = append(messages, next)
		for _, call := range next.ToolCalls {
			result, err := box.Call(ctx, call.Function.Name, json.RawMessage(call.Function.Arguments))
			if err != nil {
				result = mcp.ErrorResult(err)
			}
			messages = append(messages, message{Role: "tool", ToolCallID: call.ID, Content: modelapi.Text(result)})
		}
	}
	return "", errors.New("the model does not come to an end")
}

// message is a message of the API.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// ask sends a request and returns the message of the model.
func ask(ctx context.Context, request map[string]any) (message, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	var answer struct{ Choices []struct{ Message message } }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return message{}, err
	}
	if resp.StatusCode != http.StatusOK || len(answer.Choices) == 0 {
		return message{}, fmt.Errorf("the API answers %s", resp.Status)
	}
	return answer.Choices[0].Message, nil
}

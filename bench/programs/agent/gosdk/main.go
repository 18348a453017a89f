// Command gosdk is an agent that works with the tools of its own process, written with github.com/modelcontextprotocol/go-sdk: a model
// behind the Chat Completions API of OpenAI calls them until it answers.
//
//	OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=… gosdk MODEL "Add 2 and 3."
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

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type numbers struct {
	A int `json:"a"`
	B int `json:"b"`
}

type place struct {
	City string `json:"city"`
}

func add(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, any, error) {
	return textResult(fmt.Sprint(in.A + in.B)), nil, nil
}

func weather(_ context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, any, error) {
	return textResult("sunny in " + in.City), nil, nil
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// newServer returns a server with the tools of the agent.
func newServer() (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds two numbers."}, add)
	schema, err := jsonschema.For[place](nil)
	if err != nil {
		return nil, err
	}
	schema.Properties["city"].Enum = []any{"Kyoto", "Oslo"}
	mcp.AddTool(server, &mcp.Tool{Name: "weather", Description: "Returns the weather of a city.", InputSchema: schema}, weather)
	return server, nil
}

func main() {
	answer, err := run(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

func run(ctx context.Context, model, task string) (string, error) {
	server, err := newServer()
	if err != nil {
		return "", err
	}
	clientSide, serverSide := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, serverSide, nil); err != nil {
		return "", err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil).Connect(ctx, clientSide, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	var functions []any
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return "", err
		}
		functions = append(functions, map[string]any{"type": "function", "function": map[string]any{
			"name": tool.Name, "description": tool.Description, "parameters": tool.InputSchema,
		}})
	}
	messages := []message{{Role: "user", Content: task}}
	for range 20 {
		next, err := ask(ctx, map[string]any{"model": model, "messages": messages, "tools": functions})
		if err != nil || len(next.ToolCalls) == 0 {
			return next.Content, err
		}
		messages = append(messages, next)
		for _, call := range next.ToolCalls {
			params := &mcp.CallToolParams{Name: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments)}
			result, err := session.CallTool(ctx, params)
			if err != nil {
				result = textResult(err.Error())
			}
			messages = append(messages, message{Role: "tool", ToolCallID: call.ID, Content: text(result)})
		}
	}
	return "", errors.New("the model does not come to an end")
}

// text returns the text of a result.
func text(result *mcp.CallToolResult) string {
	var all string
	for _, content := range result.Content {
		if block, ok := content.(*mcp.TextContent); ok {
			all += block.Text
		}
	}
	return all
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

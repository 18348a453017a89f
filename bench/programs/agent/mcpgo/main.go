// Command mcpgo is an agent that works with the tools of its own process, written with github.com/mark3labs/mcp-go: a model behind the
// Chat Completions API of OpenAI calls them until it answers.
//
//	OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=… mcpgo MODEL "Add 2 and 3."
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

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type numbers struct {
	A int `json:"a"`
	B int `json:"b"`
}

type place struct {
	City string `json:"city" jsonschema:"enum=Kyoto,enum=Oslo"`
}

func add(_ context.Context, _ mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(fmt.Sprint(in.A + in.B)), nil
}

func weather(_ context.Context, _ mcp.CallToolRequest, in place) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("sunny in " + in.City), nil
}

// newServer returns a server with the tools of the agent.
func newServer() *server.MCPServer {
	s := server.NewMCPServer("agent", "1.0.0", server.WithInputSchemaValidation())
	s.AddTool(mcp.NewTool("add", mcp.WithDescription("Adds two numbers."), mcp.WithInputSchema[numbers]()), mcp.NewTypedToolHandler(add))
	s.AddTool(mcp.NewTool("weather", mcp.WithDescription("Returns the weather of a city."), mcp.WithInputSchema[place]()),
		mcp.NewTypedToolHandler(weather))
	return s
}

func main() {
	answer, err := run(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

func run(ctx context.Context, model, task string) (string, error) {
	c, err := client.NewInProcessClient(newServer())
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	var initialize mcp.InitializeRequest
	initialize.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	initialize.Params.ClientInfo = mcp.Implementation{Name: "agent", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, initialize); err != nil {
		return "", err
	}
	var functions []any
	for tool, err := range c.IterTools(ctx, mcp.ListToolsRequest{}) {
		if err != nil {
			return "", err
		}
		var parameters any = tool.InputSchema
		if tool.RawInputSchema != nil {
			parameters = tool.RawInputSchema
		}
		functions = append(functions, map[string]any{"type": "function", "function": map[string]any{
			"name": tool.Name, "description": tool.Description, "parameters": parameters,
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
			params := mcp.CallToolParams{Name: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments)}
			result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: params})
			if err != nil {
				result = mcp.NewToolResultError(err.Error())
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
		if block, ok := mcp.AsTextContent(content); ok {
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

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/modelapi"
)

// Limits of a request.
const (
	maxWait   = 10 * time.Minute
	maxAnswer = 16 << 20 // bytes
	maxTokens = 8192     // of an answer
)

// api is an API of models.
type api struct {
	kind, url, model string
	header           http.Header
}

// open starts a conversation with the model of the API. The key comes from the variable that the company uses; servers on the own
// machine need none.
func (a api) open(getenv func(string) string, tools []mcp.Tool) (model, error) {
	a.header = http.Header{"Content-Type": {"application/json"}}
	switch a.kind {
	case "openai":
		if a.url == "" {
			a.url = "https://api.openai.com/v1"
		}
		if key := getenv("OPENAI_API_KEY"); key != "" {
			a.header.Set("Authorization", "Bearer "+key)
		}
		functions, err := modelapi.OpenAIChat(tools)
		return &openAI{api: a, tools: functions}, err
	case "anthropic":
		if a.url == "" {
			a.url = "https://api.anthropic.com/v1"
		}
		a.header.Set("anthropic-version", "2023-06-01")
		if key := getenv("ANTHROPIC_API_KEY"); key != "" {
			a.header.Set("x-api-key", key)
		}
		functions, err := modelapi.Anthropic(tools)
		return &anthropic{api: a, tools: functions}, err
	}
	return nil, fmt.Errorf("unknown API %q: give openai or anthropic", a.kind)
}

// post sends a request and decodes its answer.
func (a api) post(ctx context.Context, path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	url := strings.TrimSuffix(a.url, "/") + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = a.header.Clone()
	// A redirect would take the key and the conversation to another server, since only some headers are dropped.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the answer of %s: %w", url, err)
	case len(raw) > maxAnswer:
		return fmt.Errorf("the answer of %s is larger than %d bytes", url, maxAnswer)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s: %.500s", url, resp.Status, raw)
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("decode the answer of %s: %w", url, err)
	}
	return nil
}

// openAI is a conversation over POST /chat/completions.
type openAI struct {
	api
	tools    []json.RawMessage
	messages []any
}

func (o *openAI) ask(ctx context.Context, text string) (turn, error) {
	return o.send(ctx, map[string]any{"role": "user", "content": text})
}

func (o *openAI) answer(ctx context.Context, results []result) (turn, error) {
	var messages []any
	for _, r := range results {
		messages = append(messages, map[string]any{"role": "tool", "tool_call_id": r.id, "content": r.text})
	}
	return o.send(ctx, messages...)
}

func (o *openAI) send(ctx context.Context, messages ...any) (turn, error) {
	o.messages = append(o.messages, messages...)
	var answer struct {
		Choices []struct{ Message json.RawMessage }
	}
	request := map[string]any{"model": o.model, "messages": o.messages, "tools": o.tools}
	if err := o.post(ctx, "/chat/completions", request, &answer); err != nil {
		return turn{}, err
	}
	if len(answer.Choices) == 0 {
		return turn{}, errors.New("the model has sent no answer")
	}
	o.messages = append(o.messages, answer.Choices[0].Message)
	var message struct {
		Content string
		Calls   []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(answer.Choices[0].Message, &message); err != nil {
		return turn{}, fmt.Errorf("decode the message of the model: %w", err)
	}
	next := turn{text: message.Content}
	for _, c := range message.Calls {
		next.calls = append(next.calls, call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return next, nil
}

// anthropic is a conversation over POST /messages.
type anthropic struct {
	api
	tools    []json.RawMessage
	messages []any
}

func (a *anthropic) ask(ctx context.Context, text string) (turn, error) { return a.send(ctx, text) }

func (a *anthropic) answer(ctx context.Context, results []result) (turn, error) {
	var blocks []any
	for _, r := range results {
		blocks = append(blocks, map[string]any{"type": "tool_result", "tool_use_id": r.id, "content": r.text, "is_error": r.failed})
	}
	return a.send(ctx, blocks)
}

func (a *anthropic) send(ctx context.Context, content any) (turn, error) {
	a.messages = append(a.messages, map[string]any{"role": "user", "content": content})
	var answer struct{ Content json.RawMessage }
	request := map[string]any{"model": a.model, "max_tokens": maxTokens, "messages": a.messages, "tools": a.tools}
	if err := a.post(ctx, "/messages", request, &answer); err != nil {
		return turn{}, err
	}
	a.messages = append(a.messages, map[string]any{"role": "assistant", "content": answer.Content})
	var blocks []struct {
		Type, Text, ID, Name string
		Input                json.RawMessage
	}
	if err := json.Unmarshal(answer.Content, &blocks); err != nil {
		return turn{}, fmt.Errorf("decode the message of the model: %w", err)
	}
	var next turn
	for _, b := range blocks {
		switch b.Type {
		case "text":
			next.text += b.Text
		case "tool_use":
			next.calls = append(next.calls, call{b.ID, b.Name, string(b.Input)})
		}
	}
	return next, nil
}

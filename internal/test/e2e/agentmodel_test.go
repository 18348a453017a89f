package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// move is a step of the fake model: a text, a tool call, or both. A tool of the kind "patch" gets its input as text.
type move struct {
	says, calls string
	args        any
	patch       string
}

// agentModel serves a model that plays moves in order. The number of tool results in the conversation selects the move. It
// implements the APIs of OpenAI (responses) and Google (generateContent). Conversations without the task get "OK".
func agentModel(t *testing.T, moves []move) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		openai := strings.Contains(r.URL.Path, "/responses")
		next := move{says: "OK"}
		if strings.Contains(string(body), theTask) {
			next = moves[min(answersOf(body, openai), len(moves)-1)]
		}
		switch {
		case openai:
			answerAsOpenAI(w, next)
		case strings.Contains(r.URL.Path, ":streamGenerateContent"):
			answerAsGoogle(w, next)
		case strings.Contains(r.URL.Path, "/models"):
			fmt.Fprint(w, `{"models":[],"data":[]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// theTask is part of the prompt of the test's agents.
const theTask = "Write new.txt and change old.txt."

// answersOf counts the tool results in a conversation.
func answersOf(body []byte, openai bool) (n int) {
	var request struct {
		Input    []struct{ Type string }
		Contents []struct {
			Parts []map[string]json.RawMessage
		}
	}
	_ = json.Unmarshal(body, &request)
	if openai {
		for _, item := range request.Input {
			if strings.HasSuffix(item.Type, "_output") {
				n++
			}
		}
		return n
	}
	for _, c := range request.Contents {
		for _, part := range c.Parts {
			if _, ok := part["functionResponse"]; ok {
				n++
			}
		}
	}
	return n
}

func answerAsOpenAI(w http.ResponseWriter, m move) {
	w.Header().Set("Content-Type", "text/event-stream")
	var items []map[string]any
	if m.says != "" {
		items = append(items, map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": m.says}}})
	}
	switch server, tool, of := strings.Cut(m.calls, "/"); {
	case m.patch != "":
		items = append(items, map[string]any{"type": "custom_tool_call", "id": "ct_1", "call_id": "call_1", "name": m.calls, "input": m.patch})
	case of:
		items = append(items, map[string]any{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": tool, "namespace": "mcp__" + server, "arguments": text(m.args)})
	case m.calls != "":
		items = append(items, map[string]any{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": m.calls, "arguments": text(m.args)})
	}
	event := func(kind string, more map[string]any) {
		more["type"] = kind
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, text(more))
	}
	event("response.created", map[string]any{"response": map[string]any{"id": "resp_1"}})
	for i, item := range items {
		event("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	event("response.completed", map[string]any{"response": map[string]any{"id": "resp_1", "status": "completed", "output": items, "usage": map[string]any{
		"input_tokens": 100, "input_tokens_details": map[string]int{"cached_tokens": 40}, "output_tokens": 10, "output_tokens_details": map[string]int{"reasoning_tokens": 2}, "total_tokens": 110,
	}}})
}

func answerAsGoogle(w http.ResponseWriter, m move) {
	w.Header().Set("Content-Type", "text/event-stream")
	var parts []any
	if m.says != "" {
		parts = append(parts, map[string]any{"text": m.says})
	}
	if m.calls != "" {
		name := m.calls
		if server, tool, ok := strings.Cut(name, "/"); ok {
			name = "mcp_" + server + "_" + tool
		}
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": name, "args": m.args}})
	}
	fmt.Fprintf(w, "data: %s\r\n\r\n", text(map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts}}},
		"usageMetadata": map[string]int{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110, "cachedContentTokenCount": 40},
	}))
}

// text returns a value as JSON.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

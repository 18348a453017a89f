// Package agentmodel serves a scripted model to real agent programs, over the APIs that they speak: Anthropic messages, OpenAI
// responses and chat completions, and Google generateContent.
//
// [Start] starts a server on loopback. Its function returns a [Step] for each [Request]: a text, a tool call, or both. [Play] plays
// a fixed sequence of steps. A Request has the tools and tool results in one form for all APIs, so that a test can compare the
// programs' view of an MCP server.
package agentmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Step is a turn of the model: a text, a tool call, or both.
type Step struct {
	Text string
	// Server is the MCP server of Tool. It is empty for a tool of the program itself.
	Server string
	// Tool is the name of the called tool, without prefixes that the program adds. It is empty if the step has no call.
	Tool string
	// Args are the arguments of the call; they are encoded as JSON.
	Args any
	// Patch is the input of a tool that gets a text instead of arguments (OpenAI responses only).
	Patch string
}

// API is the interface of a model's provider.
type API string

// The supported APIs.
const (
	Anthropic API = "Anthropic messages"
	Responses API = "OpenAI responses"
	Chat      API = "OpenAI chat completions"
	Google    API = "Google generateContent"
)

// maxRequest is the limit of a request in bytes. Conversations with several long tool results stay below it.
const maxRequest = 64 << 20

// Start serves a model until the end of the test and returns its URL, without a path. next is called for each request of a
// conversation, concurrently if the program sends concurrent requests.
func Start(t testing.TB, next func(*Request) Step) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, r.URL.Path, body, next)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Play returns a function for [Start] that plays steps in order; the number of tool results in the conversation selects the step.
// Requests without the task in their text, such as health checks and titles, get the text "OK".
func Play(task string, steps []Step) func(*Request) Step {
	return func(r *Request) Step {
		if !strings.Contains(string(r.Body), task) {
			return Step{Text: "OK"}
		}
		return steps[min(r.Results, len(steps)-1)]
	}
}

func answer(w http.ResponseWriter, path string, body []byte, next func(*Request) Step) {
	api := API("")
	switch {
	case strings.HasSuffix(path, "/messages"):
		api = Anthropic
	case strings.HasSuffix(path, "/responses"):
		api = Responses
	case strings.HasSuffix(path, "/chat/completions"):
		api = Chat
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		api = Google
	case strings.HasSuffix(path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":100}`)
		return
	case strings.HasSuffix(path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":100}`)
		return
	case strings.Contains(path, "/models"):
		fmt.Fprint(w, `{"models":[],"data":[]}`)
		return
	default:
		http.Error(w, "the stand-in model lacks "+path, http.StatusNotFound)
		return
	}
	request, err := parse(api, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step := next(request)
	call := request.call(step)
	switch api {
	case Anthropic:
		answerAnthropic(w, request, step, call)
	case Responses:
		answerResponses(w, request, step, call)
	case Chat:
		answerChat(w, request, step, call)
	case Google:
		answerGoogle(w, step, call, strings.HasSuffix(path, ":streamGenerateContent"))
	}
}

// call is the tool call of a step in the names of the program.
type call struct {
	id, name, namespace string
	arguments           json.RawMessage
}

// call returns the call of a step, or nil. A tool that the program does not list, because models have to search for it, gets the
// usual prefix of programs with the API.
func (r *Request) call(s Step) *call {
	if s.Tool == "" {
		return nil
	}
	c := &call{id: fmt.Sprintf("call_%d", r.Results+1), name: s.Tool, arguments: encode(s.Args)}
	if s.Args == nil {
		c.arguments = json.RawMessage("{}")
	}
	switch tool := r.Find(s.Server, s.Tool); {
	case tool != nil:
		c.name, c.namespace = tool.Name, tool.Namespace
	case s.Server == "":
	case r.API == Responses:
		c.namespace = "mcp__" + s.Server
	case r.API == Google:
		c.name = "mcp_" + s.Server + "_" + s.Tool
	default:
		c.name = "mcp__" + s.Server + "__" + s.Tool
	}
	return c
}

// encode returns a value as JSON.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// event writes a server-sent event. kind is empty for APIs without event names.
func event(w http.ResponseWriter, kind string, data any) {
	if kind != "" {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	fmt.Fprintf(w, "data: %s\n\n", encode(data))
}

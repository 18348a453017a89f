// Package programs_test compares programs that are written with this library and with two others: each does the same in all of them,
// and its version for this library has the fewest lines of code.
package programs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// libraries are the directories of the versions of a program; the first is of this library.
var libraries = []string{"dougu", "gosdk", "mcpgo"}

// fixtureVar is the environment variable that makes the test a server, for the client programs.
const fixtureVar = "PROGRAMS_TEST_FIXTURE"

func TestMain(m *testing.M) {
	if os.Getenv(fixtureVar) == "" {
		os.Exit(m.Run())
	}
	if err := serveFixture(); err != nil {
		log.Fatal(err)
	}
}

// eachLibrary builds the version of a program for each library and runs f with its path.
func eachLibrary(t *testing.T, program string, f func(t *testing.T, path string)) {
	t.Helper()
	dir := t.TempDir()
	for _, library := range libraries {
		t.Run(library, func(t *testing.T) {
			path := filepath.Join(dir, library+".exe")
			out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./"+program+"/"+library).CombinedOutput()
			if err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			f(t, path)
		})
	}
}

// run runs a program and returns its standard output.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, 5*time.Second
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	return stdout.String()
}

// TestServer calls the tool of the servers with all types, with wrong arguments, and with arguments that it refuses.
func TestServer(t *testing.T) {
	eachLibrary(t, "server", func(t *testing.T, path string) {
		t.Run("shutdown", func(t *testing.T) { checkShutdown(t, path) })
		client, err := mcp.Connect(t.Context(), transport.Command{Path: path}, mcp.Implementation{Name: "test", Version: "1.0.0"},
			&mcp.ClientOptions{CheckResults: true})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		schema := listedSchema(t, client)
		checkSchema(t, schema)
		arguments := scheduleArguments(schema)
		t.Run("call", func(t *testing.T) {
			got, err := mcp.Call[map[string]any](t.Context(), client, "schedule", arguments)
			if err != nil {
				t.Fatal(err)
			}
			job, _ := got["job"].(map[string]any)
			want := scheduleArguments(schema)
			want["every"] = 90e9 // nanoseconds
			if a, b := encode(t, job), encode(t, want); a != b {
				t.Errorf("job %s, want %s", a, b)
			}
			if got["last"] != "2026-11-29T10:04:30Z" {
				t.Errorf("last %v", got["last"])
			}
		})
		for name, change := range map[string]func(map[string]any){
			"missing":       func(a map[string]any) { delete(a, "name") },
			"unknown":       func(a map[string]any) { a["nmae"] = "x" },
			"empty":         func(a map[string]any) { a["name"] = "" },
			"below minimum": func(a map[string]any) { a["attempts"] = 0 },
			"above maximum": func(a map[string]any) { a["attempts"] = 11 },
			"not in enum":   func(a map[string]any) { a["priority"] = "urgent" },
			"no time":       func(a map[string]any) { a["start"] = "tomorrow" },
			"no address":    func(a map[string]any) { a["host"] = "999.0.0.1" },
			"no base64":     func(a map[string]any) { a["payload"] = "§" },
			"nested":        func(a map[string]any) { a["owner"] = map[string]any{"mail": "ada@example.com"} },
			"wrong item":    func(a map[string]any) { a["tags"] = []any{1} },
			"refused":       func(a map[string]any) { a["name"] = "nothing" },
		} {
			t.Run(name, func(t *testing.T) {
				wrong := scheduleArguments(schema)
				change(wrong)
				_, err := mcp.Call[mcp.None](t.Context(), client, "schedule", wrong)
				var failure *mcp.ToolFailure
				if !errors.As(err, &failure) {
					t.Errorf("%v, and not a result with an error, which the model reads", err)
				}
			})
		}
	})
}

// checkShutdown closes the input of a server after a handshake. It must end by itself, without an error.
func checkShutdown(t *testing.T, path string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"test","version":"1.0.0"}}}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if answer, err := lines.ReadString('\n'); err != nil || !strings.Contains(answer, `"scheduler"`) {
		t.Errorf("the answer is %q, %v", answer, err)
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("the rest of the output is %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// listedSchema returns the schema of the arguments of the tool schedule.
func listedSchema(t *testing.T, client *mcp.Client) map[string]any {
	t.Helper()
	var schema map[string]any
	for tool, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil || tool.Name != "schedule" {
			t.Fatalf("tool %q: %v", tool.Name, err)
		}
	}
	return schema
}

// checkSchema checks the types, the bounds and the required arguments. A schema may allow null where Go has a nil.
func checkSchema(t *testing.T, schema map[string]any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	for name, types := range map[string]string{
		"host": "string", "name": "string", "attempts": "integer", "ratio": "number", "urgent": "boolean", "priority": "string",
		"start": "string", "every": "string integer", "payload": "string", "tags": "array", "labels": "object", "owner": "object",
		"limit": "integer", "extra": "any",
	} {
		p, _ := properties[name].(map[string]any)
		found := p["type"]
		if list, ok := found.([]any); ok {
			list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == "null" })
			found = list[0]
		}
		if text, ok := found.(string); !ok && types != "any" || ok && !strings.Contains(types, text) {
			t.Errorf("the type of %s is %v, want %s", name, p["type"], types)
		}
	}
	for _, said := range []string{
		`"description":"Name of the job"`, `"minLength":1`, `"minimum":1`, `"maximum":10`, `"enum":["low","normal","high"]`,
		`"additionalProperties":false`, `"required":["host","name","attempts","priority","start","every","owner"]`,
	} {
		if text := encode(t, schema); !strings.Contains(text, said) {
			t.Errorf("%s is not in the schema %s", said, text)
		}
	}
}

// scheduleArguments returns arguments with a duration in the form of the schema.
func scheduleArguments(schema map[string]any) map[string]any {
	arguments := map[string]any{
		"host": "192.0.2.1", "name": "backup", "attempts": 3.0, "ratio": 0.5, "urgent": true, "priority": "high",
		"start": "2026-11-29T10:00:00Z", "every": 90e9, "payload": "AQID", "tags": []any{"a", "b"},
		"labels": map[string]any{"env": "test"}, "owner": map[string]any{"name": "Ada"}, "limit": 7.0, "extra": map[string]any{"x": []any{1.0, nil}},
	}
	if strings.Contains(fmt.Sprint(schema["properties"].(map[string]any)["every"]), "string") {
		arguments["every"] = "1m30s"
	}
	return arguments
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestClient lets the clients use the fixture. They print everything that they see.
func TestClient(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const want = `tool: add
tool: count
tool: greet
tool: note
resource: note:///today
template: note:///{day}
prompt: plan
sum: 5
progress: 1 of 2
progress: 2 of 2
question: What is your name?
greeting: Hello, Ada
updated: note:///today: Buy milk.
refused
`
	eachLibrary(t, "client", func(t *testing.T, path string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, exe)
		cmd.Env = append(os.Environ(), fixtureVar+"=1")
		if got := run(t, cmd); got != want {
			t.Errorf("printed\n%s\nwant\n%s", got, want)
		}
	})
}

// serveFixture is the server that the clients use.
func serveFixture() error {
	type addArgs struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type added struct {
		Sum int `json:"sum"`
	}
	type noteArgs struct {
		Text string `json:"text"`
	}
	type dayArgs struct {
		Day string `json:"day"`
	}
	type name struct {
		Name string `json:"name"`
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "fixture", Version: "1.0.0"}, nil)
	var today atomic.Value
	today.Store("Nothing.")
	read := func(context.Context, string) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{{Text: today.Load().(string), MIMEType: "text/plain"}}, nil
	}
	err := errors.Join(
		mcp.AddTool(srv, mcp.Tool{Name: "add", Annotations: mcp.ReadOnly()}, func(_ context.Context, in addArgs) (added, error) {
			return added{in.A + in.B}, nil
		}),
		mcp.AddTool(srv, mcp.Tool{Name: "count"}, func(ctx context.Context, _ mcp.None) (string, error) {
			mcp.Progress(ctx, 1, 2, "")
			mcp.Progress(ctx, 2, 2, "")
			return "counted", nil
		}),
		mcp.AddTool(srv, mcp.Tool{Name: "greet"}, func(ctx context.Context, _ mcp.None) (string, error) {
			answer, err := mcp.Elicit[name](ctx, "name", "What is your name?")
			return "Hello, " + answer.Value.Name, err
		}),
		mcp.AddTool(srv, mcp.Tool{Name: "note"}, func(_ context.Context, in noteArgs) (mcp.None, error) {
			today.Store(in.Text)
			srv.ResourceUpdated("note:///today")
			return mcp.None{}, nil
		}),
		mcp.AddResource(srv, mcp.Resource{URI: "note:///today", Name: "today"}, read),
		mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "note:///{day}", Name: "day"},
			func(ctx context.Context, uri string, _ dayArgs) ([]mcp.ResourceContents, error) {
				return read(ctx, uri)
			}),
		mcp.AddPrompt(srv, mcp.Prompt{Name: "plan"}, func(context.Context, mcp.None) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Plan my day.")}}, nil
		}),
	)
	if err != nil {
		return err
	}
	return transport.ServeStdio(context.Background(), srv, nil)
}

// TestAgent lets the agents work with a stand-in of a model, which makes a mistake, corrects it and answers with the results.
func TestAgent(t *testing.T) {
	eachLibrary(t, "agent", func(t *testing.T, path string) {
		var requests []chatRequest
		model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var request chatRequest
			if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/v1/chat/completions" ||
				r.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("request of %s: %v", r.URL, err)
			}
			requests = append(requests, request)
			answers := []string{
				`"tool_calls":[{"id":"1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Atlantis\"}"}}]`,
				`"tool_calls":[{"id":"2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}},` +
					`{"id":"3","type":"function","function":{"name":"add","arguments":"{\"a\":2,\"b\":3}"}},` +
					`{"id":"4","type":"function","function":{"name":"subtract","arguments":"{}"}}]`,
				`"content":"5, and it is sunny."`,
			}
			fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant",%s}}]}`, answers[min(len(requests), len(answers))-1])
		}))
		defer model.Close()
		cmd := exec.CommandContext(t.Context(), path, "test", "What is 2 + 3, and the weather in Oslo?")
		cmd.Env = append(os.Environ(), "OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=secret")
		if got := run(t, cmd); got != "5, and it is sunny.\n" {
			t.Errorf("printed %q", got)
		}
		if len(requests) != 3 {
			t.Fatalf("%d requests", len(requests))
		}
		functions := encode(t, requests[0].Tools)
		for _, said := range []string{
			`"name":"add"`, `"name":"weather"`, `"description":"Adds two numbers."`, `"type":"function"`, `"enum":["Kyoto","Oslo"]`,
		} {
			if !strings.Contains(functions, said) {
				t.Errorf("%s is not in the tools %s", said, functions)
			}
		}
		results := map[string]string{}
		for _, m := range requests[2].Messages {
			results[m.ToolCallID] = m.Content
		}
		if results["2"] != "sunny in Oslo" || results["3"] != "5" || strings.Contains(results["1"], "sunny") || results["1"] == "" || results["4"] == "" {
			t.Errorf("the results are %q", results)
		}
	})
}

// chatRequest is a request of the agents.
type chatRequest struct {
	Messages []struct {
		Content    string
		ToolCallID string `json:"tool_call_id"`
	}
	Tools []any
}

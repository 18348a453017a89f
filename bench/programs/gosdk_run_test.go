//lint:file-ignore SA1019 sampling and roots are deprecated, and compared all the same

package programs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// pair has the path of an example of go-sdk and that of its counterpart.
type pair struct{ theirs, ours string }

// buildPair builds an example and its counterpart.
func buildPair(t *testing.T, name string) pair {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the examples of go-sdk")
	}
	dir := t.TempDir()
	p := pair{filepath.Join(dir, "theirs.exe"), filepath.Join(dir, "ours.exe")}
	theirs := exec.CommandContext(t.Context(), "go", "build", "-o", p.theirs, gosdkModule+"/examples/"+name)
	ours := exec.CommandContext(t.Context(), "go", "build", "-o", p.ours, ".")
	ours.Dir = filepath.Join(ourExamples, name)
	for _, cmd := range []*exec.Cmd{theirs, ours} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
	return p
}

// TestGoSDK_Output runs the examples that print a result, which must be the same.
func TestGoSDK_Output(t *testing.T) {
	for _, name := range []string{"server/basic", "server/custom-method", "client/middleware", "server/completion"} {
		t.Run(name, func(t *testing.T) {
			p := buildPair(t, name)
			want := run(t, exec.CommandContext(t.Context(), p.theirs))
			if got := run(t, exec.CommandContext(t.Context(), p.ours)); got != want {
				t.Errorf("printed\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestGoSDK_Elicitation runs the counterpart alone: the original of v1.8.0 ends with an error, since it asks outside of a call in
// revision 2026-07-28. The output is the one that the original states.
func TestGoSDK_Elicitation(t *testing.T) {
	const want = `Server requests: Please provide your configuration settings
Configuration received: Endpoint: https://api.example.com, Max Retries: 3, Logs: true
`
	p := buildPair(t, "server/elicitation")
	if got := run(t, exec.CommandContext(t.Context(), p.ours)); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// TestGoSDK_Proxy checks that a header of the client reaches the server behind the proxy.
func TestGoSDK_Proxy(t *testing.T) {
	p := buildPair(t, "server/proxy")
	out, err := exec.CommandContext(t.Context(), p.ours).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "X-Request-Source:[client]") {
		t.Errorf("printed\n%s, %v", out, err)
	}
}

// TestGoSDK_Middleware checks that both log the call of the tool with its arguments, and print its result.
func TestGoSDK_Middleware(t *testing.T) {
	p := buildPair(t, "server/middleware")
	for _, path := range []string{p.theirs, p.ours} {
		out := run(t, exec.CommandContext(t.Context(), path))
		for _, line := range []string{`msg="MCP method started" method=tools/call`, `msg="Calling tool"`, `{\"name\":\"World\"}`, `msg="MCP method completed" method=tools/call`, "Tool result: Hello, World!"} {
			if !strings.Contains(out, line) {
				t.Errorf("%s: %s is not in\n%s", filepath.Base(path), line, out)
			}
		}
	}
}

// TestGoSDK_ListFeatures lists the features of the fixture with both.
func TestGoSDK_ListFeatures(t *testing.T) {
	p := buildPair(t, "client/listfeatures")
	server := filepath.Join(t.TempDir(), "server.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", server, "./server/dougu").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	want := run(t, exec.CommandContext(t.Context(), p.theirs, server))
	if got := run(t, exec.CommandContext(t.Context(), p.ours, server)); got != want || !strings.Contains(got, "schedule") {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// toolCall is a call of a tool with arguments as JSON.
type toolCall struct{ tool, args string }

// TestGoSDK_Stdio calls the tools of the servers on standard input and output. The results must be the same.
func TestGoSDK_Stdio(t *testing.T) {
	for name, calls := range map[string][]toolCall{
		"server/hello":            {{"greet", `{"name":"Ada"}`}, {"greet", `{}`}, {"greet", `{"name":1}`}},
		"server/custom-transport": {{"greet", `{"name":"Ada"}`}, {"greet", `{"nmae":"Ada"}`}},
		"server/toolschemas": {
			{"simple greeting", `{"name":"Ada"}`}, {"manual greeting", `{"name":"Ada"}`}, {"manual greeting", `{"name":"Ada Lovelace"}`},
			{"customized greeting 1", `{"name":"Ada"}`}, {"customized greeting 1", `{"name":"Ada Lovelace"}`},
			{"customized greeting 2", `{"name":"Ada"}`}, {"customized greeting 2", `{"name":"Ada Lovelace"}`},
		},
		"server/memory": {
			{"create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote notes"]},{"name":"Engine","entityType":"machine","observations":[]}]}`},
			{"create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":[]}]}`},
			{"create_relations", `{"relations":[{"from":"Ada","to":"Engine","relationType":"describes"}]}`},
			{"add_observations", `{"observations":[{"entityName":"Ada","contents":["wrote notes","knew Babbage"]}]}`},
			{"add_observations", `{"observations":[{"entityName":"Eve","contents":["x"]}]}`},
			{"read_graph", `{}`}, {"search_nodes", `{"query":"BABBAGE"}`}, {"open_nodes", `{"names":["Ada","Engine"]}`},
			{"delete_relations", `{"relations":[{"from":"Ada","to":"Engine","relationType":"describes"}]}`}, {"read_graph", `{}`},
			{"delete_entities", `{"entityNames":["Engine"]}`}, {"read_graph", `{}`},
		},
		"server/sequentialthinking": {
			{"start_thinking", `{"problem":"2 + 2","sessionId":"s","estimatedSteps":2}`}, {"continue_thinking", `{"sessionId":"s","thought":"count"}`},
			{"continue_thinking", `{"sessionId":"s","thought":"count fingers","reviseStep":1}`}, {"continue_thinking", `{"sessionId":"s","thought":"x","reviseStep":9}`},
			{"continue_thinking", `{"sessionId":"s","thought":"guess","createBranch":true}`}, {"continue_thinking", `{"sessionId":"s","thought":"4","nextNeeded":false}`},
			{"review_thinking", `{"sessionId":"s"}`}, {"review_thinking", `{"sessionId":"s_branch_1"}`}, {"review_thinking", `{"sessionId":"none"}`},
		},
		"server/everything": {
			{"greet", `{"name":"Ada"}`}, {"greet (structured)", `{"name":"Ada"}`}, {"log", `{}`}, {"elicit (form)", `{}`}, {"roots", `{}`}, {"sample", `{}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := buildPair(t, name)
			if diff := cmp.Diff(outcomes(t, p.theirs, calls, false), outcomes(t, p.ours, calls, true)); diff != "" {
				t.Errorf("the results differ (-go-sdk +ours):\n%s", diff)
			}
		})
	}
}

// outcomes returns the results of calls as texts. Names of tools in this library have no spaces and brackets.
func outcomes(t *testing.T, path string, calls []toolCall, rename bool) []string {
	t.Helper()
	client, err := mcp.Connect(t.Context(), transport.Command{Path: path}, mcp.Implementation{Name: "test", Version: "1.0.0"}, &mcp.ClientOptions{
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"random":"4"}`)}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "file:///project", Name: "project"}}, nil
		},
		Sample: func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{Model: "none", Content: []mcp.Content{mcp.TextContent{Text: "the words of the model"}}}, nil
		},
		Revision: protocol.Rev20251125, // go-sdk asks only in sessions
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var all []string
	for _, c := range calls {
		tool := c.tool
		if rename {
			tool = strings.NewReplacer(" (", "_", " ", "_", ")", "").Replace(tool)
		}
		result, err := client.CallTool(t.Context(), tool, json.RawMessage(c.args), nil)
		var answered *protocol.Error
		switch {
		case err != nil && !errors.As(err, &answered):
			t.Errorf("%s: %v", tool, err)
		case err != nil || result.IsError:
			all = append(all, c.tool+": refused")
		default:
			all = append(all, c.tool+": "+resultText(t, result))
		}
	}
	return all
}

// resultText returns the text and the structured content of a result, without nulls and empty lists: go-sdk writes null for nil.
func resultText(t *testing.T, result *mcp.ToolResult) string {
	t.Helper()
	var text strings.Builder
	for _, block := range result.Blocks() {
		if block, ok := block.(mcp.TextContent); ok && !json.Valid([]byte(block.Text)) {
			text.WriteString(block.Text)
		}
	}
	if len(result.Structured) > 0 {
		var v any
		if err := json.Unmarshal(result.Structured, &v); err != nil {
			t.Fatal(err)
		}
		if kept := encode(t, withoutEmpty(v)); kept != "{}" {
			text.WriteString(kept)
		}
	}
	return text.String()
}

// withoutEmpty removes nulls and empty lists from objects.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if list, ok := value.([]any); value == nil || ok && len(list) == 0 {
				delete(v, name)
			} else {
				v[name] = withoutEmpty(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return v
}

// TestGoSDK_HTTP connects to the servers over HTTP.
func TestGoSDK_HTTP(t *testing.T) {
	for _, test := range []struct {
		name string
		args func(port string) []string
		path string
		sse  bool
		tool string
		call string
	}{
		{name: "http", args: func(port string) []string { return []string{"-port", port, "server"} }, tool: "cityTime", call: `{"city":"sf"}`},
		{name: "server/sse", args: func(port string) []string { return []string{"-port", port} }, path: "/greeter2", sse: true, tool: "greet2", call: `{"name":"Ada"}`},
		{name: "server/distributed", args: func(port string) []string {
			return []string{"-http", "127.0.0.1:" + port, "-child_ports", freePort(t) + "," + freePort(t)}
		}, tool: "inc", call: `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := buildPair(t, test.name)
			for _, path := range []string{p.theirs, p.ours} {
				port := freePort(t)
				ctx, stop := context.WithCancel(t.Context())
				cmd := exec.CommandContext(ctx, path, test.args(port)...)
				var stderr bytes.Buffer
				cmd.Stderr, cmd.WaitDelay = &stderr, 5*time.Second
				cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				client := connectSoon(t, &httpclient.Client{URL: "http://127.0.0.1:" + port + test.path, SSE: test.sse})
				result, err := client.CallTool(t.Context(), test.tool, json.RawMessage(test.call), nil)
				if err != nil || result.IsError || len(result.Content)+len(result.Structured) == 0 {
					t.Errorf("%s: %+v, %v\n%s", filepath.Base(path), result, err, stderr.String())
				}
				if err := client.Close(); err != nil {
					t.Error(err)
				}
				stop()
				_ = cmd.Wait() // the end is that of the signal
			}
		})
	}
}

// connectSoon connects to a server that is just starting.
func connectSoon(t *testing.T, server protocol.Transport) *mcp.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		client, err := mcp.Connect(ctx, server, mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
		if err == nil {
			return client
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}

// freePort returns a port of this machine that no program uses.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

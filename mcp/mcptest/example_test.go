package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// exampleTest is the test that runs the code of the examples.
var exampleTest *testing.T

// inTest has the code of a test. In your package the code is the body of a test function, for example of TestGreet.
func inTest(f func(t *testing.T)) {
	if exampleTest != nil {
		f(exampleTest)
	}
}

// TestExamples runs the code of the examples, which need a test.
func TestExamples(t *testing.T) {
	for name, example := range map[string]func(){
		"Transcripts":           ExampleTranscripts,
		"Connect":               ExampleConnect,
		"Bubble":                ExampleBubble,
		"CheckReplay":           ExampleCheckReplay,
		"Server":                ExampleServer,
		"CheckReplayOf":         ExampleCheckReplayOf,
		"Connect_failingServer": ExampleConnect_failingServer,
	} {
		t.Run(name, func(t *testing.T) {
			exampleTest = t
			defer func() { exampleTest = nil }()
			example()
		})
	}
}

// A test of a server: the files contain the sent and the expected messages.
func ExampleTranscripts() {
	newServer := func() protocol.Dispatcher { return mcp.NewServer(mcp.Implementation{Name: "mine", Version: "1"}, nil) }
	inTest(func(t *testing.T) {
		mcptest.Transcripts(t, "testdata/ping.txt", newServer)
	})
	// Output:
}

// A test that calls a tool as a client would.
func ExampleConnect() {
	greet := mcp.NewTool(mcp.Tool{Name: "greet"}, func(context.Context, struct{}) (string, error) { return "Hello", nil })
	inTest(func(t *testing.T) {
		client := mcptest.Connect(t, mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{greet}}), nil)
		if text, err := mcp.Call[string](t.Context(), client, "greet", nil); err != nil || text != "Hello" {
			t.Errorf("greet: %q, %v", text, err)
		}
	})
	// Output:
}

// A test of something that takes an hour takes no time.
func ExampleBubble() {
	inTest(func(t *testing.T) {
		mcptest.Bubble(t, func(t *testing.T) {
			began := time.Now()
			time.Sleep(time.Hour)
			fmt.Println(time.Since(began)) // 1h0m0s
		})
	})
	// Output:
}

// A test of a tool that asks its user twice. It fails if the tool asks something
// else when it is run again with the first answer.
func ExampleCheckReplay() {
	type size struct {
		Size int `json:"size"`
	}
	order := mcp.NewTool(mcp.Tool{Name: "order"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Elicit[size](ctx, "size", "Which size?")
		if err != nil || answer.Action != mcp.Accept {
			return "Nothing is ordered.", err
		}
		if err := mcp.Confirm(ctx, "sure", fmt.Sprintf("Order size %d?", answer.Value.Size)); err != nil {
			return "", err
		}
		return "Ordered.", nil
	})
	inTest(func(t *testing.T) {
		srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{order}})
		result := mcptest.CheckReplay(t, srv, "order", nil, mcptest.Answers{"size": size{42}, "sure": mcp.Accept})
		if result.IsError {
			t.Errorf("the order failed: %v", result.Content)
		}
	})
	// Output:
}

// A Server with two tools, for tests of a client.
func ExampleServer() {
	greet := mcp.NewTool(mcp.Tool{Name: "greet"}, func(context.Context, struct{}) (string, error) { return "Hello", nil })
	fail := mcp.NewTool(mcp.Tool{Name: "fail"}, func(context.Context, struct{}) (string, error) { return "", errors.New("out of order") })
	inTest(func(t *testing.T) {
		client := mcptest.Connect(t, mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{greet, fail}}), nil)
		if _, err := mcp.Call[string](t.Context(), client, "fail", nil); err == nil || err.Error() != "fail: out of order" {
			t.Errorf("fail: %v", err)
		}
	})
	// Output:
}

// A prompt that asks its user; resources are tested in the same way.
func ExampleCheckReplayOf() {
	type language struct {
		Language string `json:"language"`
	}
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "review"}, func(ctx context.Context, _ struct{}) (*mcp.PromptResult, error) {
		answer, err := mcp.Elicit[language](ctx, "language", "Which language?")
		return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Review the " + answer.Value.Language + ".")}}, err
	})
	inTest(func(t *testing.T) {
		srv := mcptest.Server(t, mcp.Features{Prompts: []mcp.ServerPrompt{prompt}})
		result := mcptest.CheckReplayOf(t, srv, "prompts/get", map[string]any{"name": "review"}, mcptest.Answers{"language": language{"Go"}})
		if !strings.Contains(string(result), "Review the Go.") {
			t.Errorf("the prompt is %s", result)
		}
	})
	// Output:
}

// A test of a program against a server that fails: middleware answers in place of the tools.
func ExampleConnect_failingServer() {
	greet := mcp.NewTool(mcp.Tool{Name: "greet"}, func(context.Context, struct{}) (string, error) { return "Hello", nil })
	inTest(func(t *testing.T) {
		srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{greet}})
		srv.Use(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
				if req.Method == "tools/call" {
					return nil, protocol.Errorf(protocol.CodeInternal, "out of memory")
				}
				return next(ctx, req)
			}
		})
		client := mcptest.Connect(t, srv, nil)
		_, err := mcp.Call[string](t.Context(), client, "greet", nil)
		if failure, ok := errors.AsType[*protocol.Error](err); !ok || failure.Code != protocol.CodeInternal {
			t.Errorf("greet: %v", err)
		}
	})
	// Output:
}

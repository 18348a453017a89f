package httpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

var noLog = slog.New(slog.DiscardHandler)

type greetArgs struct {
	Name string `json:"name" jsonschema:"minLength=1"`
}

// fixture is a server with a tool for everything that HTTP can show.
type fixture struct {
	*mcp.Server
	mu      sync.Mutex
	begun   chan string // the names of tools that wait, as they begin
	ended   []string    // how they ended
	release chan struct{}
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{begun: make(chan string, 1000), release: make(chan struct{})}
	f.Server = mcp.NewServer(mcp.Implementation{Name: "fixture", Version: "1"}, &mcp.ServerOptions{
		Log: noLog, StateKeys: [][]byte{[]byte("one key for all that are the same")[:32]},
	})
	offer := mcp.Features{
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "test://a", Name: "a"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: "test://a", Text: "content"}}, nil
		})},
		Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("hello")}}, nil
		})},
		Tools: []mcp.ServerTool{
			mcp.NewTool(mcp.Tool{Name: "greet"}, func(_ context.Context, in greetArgs) (string, error) { return "Hello, " + in.Name, nil }),
			mcp.NewTool(mcp.Tool{Name: "work"}, f.work),
			mcp.NewTool(mcp.Tool{Name: "sleep"}, f.sleep),
			mcp.NewTool(mcp.Tool{Name: "wait"}, f.wait),
			mcp.NewTool(mcp.Tool{Name: "ask"}, f.ask),
			mcp.NewTool(mcp.Tool{Name: "poll"}, f.poll),
			mcp.NewTool(mcp.Tool{Name: "sample"}, f.sample),
			mcp.NewTool(mcp.Tool{Name: "late"}, f.late),
			mcp.NewTool(mcp.Tool{Name: "grow"}, f.grow),
			mcp.NewTool(mcp.Tool{Name: "shrink"}, func(context.Context, none) (string, error) { return "shrunk", f.Remove("grown") }),
			mcp.NewTool(mcp.Tool{Name: "touch"}, f.touch),
			mcp.NewTool(mcp.Tool{Name: "who"}, f.who),
			mcp.NewTool(mcp.Tool{Name: "refuse"}, func(context.Context, struct{}) (string, error) {
				return "", protocol.Errorf(protocol.CodeInvalidParams, "not like this")
			}),
			mcp.NewRawTool(mcp.Tool{Name: "route", InputSchema: json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}`)},
				func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
					return mcp.Text(string(args)), nil
				}),
		},
	}
	if err := f.Replace("fixture", offer); err != nil {
		t.Fatal(err)
	}
	return f
}

type none = struct{}

// work reports what it does.
func (f *fixture) work(ctx context.Context, _ none) (string, error) {
	//lint:ignore SA1019 every revision must go on working
	mcp.Log(ctx, protocol.LevelWarning, "work", "working")
	for i := range 3 {
		mcp.Progress(ctx, float64(i+1), 3, "")
	}
	return "done", nil
}

type sleepArgs struct {
	Seconds float64 `json:"seconds"`
	Report  bool    `json:"report,omitempty"`
}

// sleep takes its time, and ends with its context.
func (f *fixture) sleep(ctx context.Context, in sleepArgs) (string, error) {
	if in.Report {
		mcp.Progress(ctx, 1, 2, "asleep")
	}
	timer := time.NewTimer(time.Duration(in.Seconds * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		f.note("slept")
		return "slept", nil
	case <-ctx.Done():
		f.note(fmt.Sprintf("woken: %v", context.Cause(ctx)))
		return "", context.Cause(ctx)
	}
}

// wait goes on until the test releases it, or its context ends.
func (f *fixture) wait(ctx context.Context, _ none) (string, error) {
	f.begun <- "wait"
	select {
	case <-f.release:
		f.note("released")
		return "released", nil
	case <-ctx.Done():
		f.note(fmt.Sprintf("ended: %v", context.Cause(ctx)))
		return "", context.Cause(ctx)
	}
}

func (f *fixture) note(how string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = append(f.ended, how)
}

// notes returns how tools have ended so far.
func (f *fixture) notes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.ended...)
}

func (f *fixture) ask(ctx context.Context, _ none) (string, error) {
	answer, err := mcp.Elicit[greetArgs](ctx, "who", "Who are you?")
	if err != nil {
		f.note(fmt.Sprintf("not answered: %v", err))
		return "", err
	}
	return string(answer.Action) + " " + answer.Value.Name, nil
}

type pollArgs struct {
	Seconds float64 `json:"seconds"`
}

// poll lets go of its response and goes on.
func (f *fixture) poll(ctx context.Context, in pollArgs) (string, error) {
	polled := httpserver.Poll(ctx, 500*time.Millisecond)
	time.Sleep(time.Duration(in.Seconds * float64(time.Second)))
	return fmt.Sprintf("polled: %v", polled), nil
}

func (f *fixture) sample(ctx context.Context, _ none) (string, error) {
	//lint:ignore SA1019 every revision must go on working
	_, err := mcp.Sample(ctx, "s", mcp.SampleParams{Prompt: "?", MaxTokens: 1})
	return "", err
}

// late finds out late what its client cannot do.
func (f *fixture) late(ctx context.Context, _ none) (string, error) {
	time.Sleep(12 * time.Second)
	return f.sample(ctx, none{})
}

// grow adds a tool.
func (f *fixture) grow(context.Context, none) (string, error) {
	return "grown", f.Replace("grown", mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "grown"}, func(context.Context, none) (string, error) { return "", nil }),
	}})
}

// touch changes a resource.
func (f *fixture) touch(context.Context, none) (string, error) {
	f.ResourceUpdated("test://a")
	return "touched", nil
}

// who tells what a tool learns of who called it.
func (f *fixture) who(ctx context.Context, _ none) (string, error) {
	p := mcp.CallFrom(ctx).Request.Peer
	return fmt.Sprintf("%q over %s with X-Test %q", p.Principal, p.Transport, p.Headers.Get("X-Test")), nil
}

package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
)

// workshop is a set with a tool for each guarantee of a Box.
type workshop struct{ closed atomic.Bool }

func (w *workshop) Features() mcp.Features {
	type args struct {
		Path string `json:"filePath,omitempty"`
	}
	tool := func(name string, do func(ctx context.Context, in args) (string, error)) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name, Description: "Does it; see read_part."}, do)
	}
	return mcp.Features{Tools: []mcp.ServerTool{
		tool("read_part", func(_ context.Context, in args) (string, error) { return "part of " + in.Path, nil }),
		tool("boom", func(context.Context, args) (string, error) { panic("boom") }),
		tool("hang", func(ctx context.Context, _ args) (string, error) { <-ctx.Done(); return "", ctx.Err() }).With(mcp.ToolOptions{Timeout: time.Second}),
		tool("ask", func(ctx context.Context, _ args) (string, error) {
			answer, err := mcp.Elicit[struct {
				Sure bool `json:"sure"`
			}](ctx, "sure", "Sure?")
			if err != nil {
				return "", err
			}
			mcp.Progress(ctx, 1, 1, "asked")
			return string(answer.Action), nil
		}),
		tool("lost", func(context.Context, args) (string, error) {
			return "", &mcp.ToolError{Code: "LOST", Message: "it is lost", Next: "call read_part"}
		}),
	}}
}

func (w *workshop) Close(context.Context) error { w.closed.Store(true); return nil }

// text returns the text of a call, or its error.
func boxText(t *testing.T, b *tools.Box, tool, args string) string {
	t.Helper()
	result, err := b.Call(t.Context(), tool, json.RawMessage(args))
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Blocks()[0].(mcp.TextContent).Text
}

func TestBox_Guarantees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		set := &workshop{}
		box, err := tools.NewBox(t.Context(), tools.BoxOptions{
			Profile: tools.Profile{Names: map[string]string{"read_part": "read"}, ArgumentNames: map[string]string{"filePath": "path"}, Deny: []string{}},
			Server: &mcp.ServerOptions{
				Log: slog.New(slog.NewTextHandler(&log, nil)),
				Authorize: func(ctx context.Context, req *protocol.Request, tool mcp.ServerTool) error {
					if tool.Tool().Name == "lost" && req.Peer.Principal == "eve" {
						return &mcp.ToolError{Code: "FORBIDDEN", Message: "not for eve"}
					}
					return nil
				},
			},
			Client: &mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"sure":true}`)}, nil
			}},
		}, set)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range box.Tools() {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != "read boom hang ask lost" || !strings.Contains(box.Tools()[1].Description, "see read.") {
			t.Errorf("listed %s; %q", got, box.Tools()[1].Description)
		}
		for _, tc := range []struct{ tool, args, want string }{
			{"read", `{"path":"a"}`, "part of a"},
			{"read_part", `{"filePath":"a"}`, "part of a"},
			{"read", `{"pth":"a"}`, `unknown argument "pth" (did you mean "path"?)`},
			{"read", ``, "part of "},
			{"boom", `{}`, "INTERNAL_ERROR"},
			{"hang", `{}`, "TIMEOUT"},
			{"ask", `{}`, "accept"},
			{"lost", `{}`, "Next step: call read"},
			{"none", `{}`, "error: calling none: "},
		} {
			if got := boxText(t, box, tc.tool, tc.args); !strings.Contains(got, tc.want) {
				t.Errorf("%s %s: %q, want %q", tc.tool, tc.args, got, tc.want)
			}
		}
		if !strings.Contains(log.String(), "panic in a tool") {
			t.Errorf("the panic is not logged: %q", log.String())
		}
		result, err := box.Call(protocol.WithPrincipal(t.Context(), "eve"), "lost", nil)
		if err != nil || result.ErrorCode() != "FORBIDDEN" {
			t.Errorf("a refused principal: %+v %v", result, err)
		}
		var progress []string
		if _, err := box.CallWith(t.Context(), "ask", nil, &mcp.CallOptions{OnProgress: func(n protocol.ProgressNotification) { progress = append(progress, n.Message) }}); err != nil || len(progress) != 1 {
			t.Errorf("progress %q, %v", progress, err)
		}
		if err := box.Close(t.Context()); err != nil || !set.closed.Load() {
			t.Errorf("Close: %v, set closed %v", err, set.closed.Load())
		}
		if _, err := box.Call(t.Context(), "read", nil); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("a call after Close: %v", err)
		}
	})
}

func TestNewBox_Refusals(t *testing.T) {
	set := &workshop{}
	for _, profile := range []tools.Profile{
		{Allow: []string{"none"}},
		{Names: map[string]string{"none": "read"}},
		{Names: map[string]string{"read_part": "boom"}},
		{Names: map[string]string{"read_part": "same", "boom": "same"}},
		{Names: map[string]string{"read_part": "not a name"}},
	} {
		if box, err := tools.NewBox(t.Context(), tools.BoxOptions{Profile: profile}, set); err == nil {
			box.Close(t.Context())
			t.Errorf("%+v was accepted", profile)
		}
	}
	if set.closed.Load() {
		t.Error("a refused box closed its sets")
	}
}

// stubborn is a set with a tool that ignores its context until release is closed.
type stubborn struct {
	release, running chan struct{}
	closed           atomic.Bool
}

func (s *stubborn) Features() mcp.Features {
	return mcp.Features{Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "wait"}, func(context.Context, struct{}) (string, error) {
		close(s.running)
		<-s.release
		return "", nil
	})}}
}

func (s *stubborn) Close(context.Context) error { s.closed.Store(true); return nil }

func TestBox_CloseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := &stubborn{release: make(chan struct{}), running: make(chan struct{})}
		box, err := tools.NewBox(t.Context(), tools.BoxOptions{}, set)
		if err != nil {
			t.Fatal(err)
		}
		called := make(chan error, 1)
		go func() {
			_, err := box.Call(t.Context(), "wait", nil)
			called <- err
		}()
		<-set.running
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := box.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close beside a running handler: %v", err)
		}
		if err := <-called; !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("the call: %v", err)
		}
		if set.closed.Load() {
			t.Error("the set was closed beside a running handler")
		}
		close(set.release)
		synctest.Wait()
		if !set.closed.Load() {
			t.Error("the set was not closed after the handler")
		}
	})
}

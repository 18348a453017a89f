package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// inProcess connects a client to a server with the given tools.
func inProcess(t *testing.T, o *mcp.ServerOptions, client *mcp.ClientOptions, tools ...mcp.ServerTool) *mcp.Client {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, o)
	if err := srv.Replace("tools", mcp.Features{Tools: tools}); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.Connect(t.Context(), transport.InProcess{Server: srv}, mcp.Implementation{Name: "agent", Version: "1"}, client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestInProcess_CallHasTheContextOfTheCaller(t *testing.T) {
	type key struct{}
	tool := mcp.NewTool(mcp.Tool{Name: "who"}, func(ctx context.Context, _ struct{}) (string, error) {
		call := mcp.CallFrom(ctx)
		return strings.Join([]string{ctx.Value(key{}).(string), protocol.PrincipalFrom(ctx), call.Request.Peer.Principal, call.Request.Meta.Client().Name}, " "), nil
	})
	c := inProcess(t, nil, nil, tool)
	got, err := mcp.Call[string](protocol.WithPrincipal(context.WithValue(t.Context(), key{}, "value"), "ada"), c, "who", nil)
	if want := "value ada ada agent"; err != nil || got != want {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
}

func TestInProcess_QuestionsAndProgress(t *testing.T) {
	type form struct {
		Name string `json:"name"`
	}
	tool := mcp.NewTool(mcp.Tool{Name: "greet"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Elicit[form](ctx, "name", "Who?")
		if err != nil {
			return "", err
		}
		mcp.Progress(ctx, 1, 2, "greeting")
		return "Hello " + answer.Value.Name, nil
	})
	c := inProcess(t, nil, &mcp.ClientOptions{Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
	}}, tool)
	var progress []string
	result, err := c.CallTool(t.Context(), "greet", nil, &mcp.CallOptions{OnProgress: func(n protocol.ProgressNotification) { progress = append(progress, n.Message) }})
	if err != nil || result.Blocks()[0].(mcp.TextContent).Text != "Hello Ada" || strings.Join(progress, ",") != "greeting" {
		t.Errorf("got %+v %v, progress %q", result, err, progress)
	}
}

func TestInProcess_ServerRefuses(t *testing.T) {
	tool := mcp.NewTool(mcp.Tool{Name: "act"}, func(context.Context, struct{}) (string, error) { return "done", nil })
	c := inProcess(t, &mcp.ServerOptions{Authorize: func(_ context.Context, req *protocol.Request, tool mcp.ServerTool) error {
		if req.Peer.Principal != "ada" {
			return &mcp.ToolError{Code: "FORBIDDEN", Message: "only Ada may"}
		}
		return nil
	}}, nil, tool)
	for principal, want := range map[string]bool{"ada": false, "eve": true, "": true} {
		result, err := c.CallTool(protocol.WithPrincipal(t.Context(), principal), "act", nil, nil)
		if err != nil || result.IsError != want {
			t.Errorf("%q: %+v %v", principal, result, err)
		}
	}
}

func TestInProcess_CallerGivesUpBeforeTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 1)
		tool := mcp.NewTool(mcp.Tool{Name: "hang"}, func(ctx context.Context, _ struct{}) (string, error) {
			notify := mcp.CallFrom(ctx).Request.Notify
			<-ctx.Done()
			time.Sleep(time.Minute) // a handler that does not stop at once
			late <- notify(ctx, &protocol.ProgressNotification{Token: json.RawMessage(`1`), Progress: 1})
			return "", nil
		})
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
		if err := srv.Replace("tools", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
			t.Fatal(err)
		}
		c, err := mcp.Connect(t.Context(), transport.InProcess{Server: srv}, mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{Timeout: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = c.CallTool(t.Context(), "hang", nil, &mcp.CallOptions{OnProgress: func(protocol.ProgressNotification) { t.Error("progress after the end") }})
		var timeout *mcp.TimeoutError
		if took := time.Since(start); !errors.As(err, &timeout) || took > 3*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-late; err == nil {
			t.Error("a notification after the end of the call was accepted")
		}
		if _, err := c.CallTool(t.Context(), "hang", nil, nil); !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("a call after Close: %v", err)
		}
	})
}

func TestInProcess_HandlerEndsItsGoroutine(t *testing.T) {
	tool := mcp.NewTool(mcp.Tool{Name: "exit"}, func(context.Context, struct{}) (string, error) {
		runtime.Goexit()
		return "", nil
	})
	c := inProcess(t, nil, nil, tool)
	if _, err := c.CallTool(t.Context(), "exit", nil, nil); err == nil || !strings.Contains(err.Error(), "without a result") {
		t.Errorf("got %v", err)
	}
}

func TestInProcess_Refusals(t *testing.T) {
	info := mcp.Implementation{Name: "agent", Version: "1"}
	if _, err := mcp.Connect(t.Context(), transport.InProcess{}, info, nil); err == nil || !strings.Contains(err.Error(), "there is no server") {
		t.Errorf("without a server: %v", err)
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if _, err := mcp.Connect(t.Context(), transport.InProcess{Server: srv}, info, &mcp.ClientOptions{Revision: protocol.Rev20250618}); err == nil {
		t.Error("an older revision was accepted")
	}
}

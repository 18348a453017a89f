package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/otel"
)

func TestTool_Span(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, err := range map[string]error{
		"good": nil, "bad": &mcp.ToolError{Code: "NO_LUCK"}, "protocol": protocol.Errorf(-7, "no"), "asks": mcp.ErrInputRequired, "gone": context.Canceled,
	} {
		tool := mcp.NewTool(mcp.Tool{Name: name, Description: name}, func(context.Context, struct{}) (string, error) { return "", err })
		if err := srv.Replace(name, mcp.Features{Tools: []mcp.ServerTool{tool.Wrap(w.Tool)}}); err != nil {
			t.Fatal(err)
		}
	}
	srv.Use(w.Server)
	for name, want := range map[string]string{"good": "", "bad": "tool_error", "protocol": "-7", "asks": "", "gone": "cancelled"} {
		_, _ = srv.Dispatch(t.Context(), request("tools/call", `{"name":"`+name+`"}`, ""))
		span := w.one(t, "execute_tool "+name)
		descends(t, w.one(t, "tools/call "+name), span)
		if got := said(span, "error.type"); got != want {
			t.Errorf("%s: error.type is %q, want %q", name, got, want)
		}
	}
}

func TestTool_PanicSpan(t *testing.T) {
	w := observe(t, otel.Options{})
	handler := w.Tool(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { panic("boom") })
	func() {
		defer func() { _ = recover() }()
		_, _ = handler(t.Context(), nil)
	}()
	if got := said(w.one(t, "execute_tool"), "error.type"); got != "panic" {
		t.Errorf("error.type is %q", got)
	}
}

func TestTool_TaskOutlivesRequest(t *testing.T) {
	w := observe(t, otel.Options{})
	runner := tasks.New(nil)
	defer runner.Close()
	srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	release := make(chan struct{})
	tool := mcp.NewTool(mcp.Tool{Name: "work", Description: "work"}, func(ctx context.Context, _ struct{}) (string, error) {
		<-release
		return mcp.TraceFrom(ctx).Parent, nil
	}).Wrap(w.Tool).With(mcp.ToolOptions{Task: mcp.TaskRequired})
	if err := srv.Replace("work", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
		t.Fatal(err)
	}
	srv.Use(w.Server)
	opts := new(mcp.ClientOptions)
	tasks.Declare(opts)
	client := w.connect(t, overHTTP(t, srv), opts)
	answered := make(chan struct{})
	srv.Use(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			if req.Method == "tasks/get" || req.Method == "subscriptions/listen" && bytes.Contains(req.Params, []byte("taskIds")) { // the request has an answer
				select {
				case <-answered:
				default:
					close(answered)
					close(release)
				}
			}
			return next(ctx, req)
		}
	})
	if _, err := mcp.Call[string](t.Context(), client, "work", nil); err != nil {
		t.Fatal(err)
	}
	work, calls := w.one(t, "execute_tool work"), w.all("tools/call work")
	if len(calls) != 2 || said(calls[0], "dougu.result.type") != "task" || said(calls[1], "dougu.result.type") != "task" {
		t.Fatalf("the call is %v", calls)
	}
	descends(t, calls[1], calls[0], work)
	if !work.EndTime().After(calls[0].EndTime()) {
		t.Error("the work has ended with its request")
	}
}

package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Requests of a client belong to the trace of their context; a handler continues it.
func ExampleWithTrace() {
	trace := mcp.NewTool(mcp.Tool{Name: "trace"}, func(ctx context.Context, _ struct{}) (string, error) { return mcp.TraceFrom(ctx).Parent, nil })
	client := exampleConnect(exampleServer(nil, trace), nil)
	defer client.Close()
	ctx := mcp.WithTrace(context.Background(), mcp.TraceContext{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	fmt.Println(mcp.Call[string](ctx, client, "trace", nil))
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 <nil>
}

// A build may take ten minutes while a request waits for it, and any time as a task.
func ExampleWorkTimeout() {
	build := mcp.NewTool(mcp.Tool{Name: "build"}, func(ctx context.Context, _ struct{}) (string, error) {
		return "limit " + mcp.WorkTimeout(ctx, 10*time.Minute).String(), nil
	})
	client := exampleConnect(exampleServer(nil, build), nil)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "build", nil))
	// Output: limit 10m0s <nil>
}

// The server learns, for example from a callback, that the user has finished on the page, and lets the client continue. Only
// revision 2025-11-25 has that message; the function does nothing in others.
func ExampleElicitationDone() {
	pay := mcp.NewTool(mcp.Tool{Name: "pay"}, func(ctx context.Context, _ struct{}) (string, error) {
		action, err := mcp.ElicitURL(ctx, "pay", "Pay on this page.", "https://example.com/pay")
		if err != nil || action != mcp.Accept {
			return "Not paid.", err
		}
		return "Paid.", mcp.ElicitationDone(ctx, "pay")
	})
	client := exampleConnect(exampleServer(nil, pay), &mcp.ClientOptions{
		Revision:  protocol.Rev20251125,
		ElicitURL: func(context.Context, string, string) (mcp.Action, error) { return mcp.Accept, nil },
	})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "pay", nil))
	// Output: Paid. <nil>
}

// temperature has a text for the model beside its JSON for programs.
type temperature struct {
	Celsius float64 `json:"celsius"`
}

func (t temperature) TextContent() string { return fmt.Sprintf("%.0f degrees", t.Celsius) }

// Middleware that reads the structured content asks for it, since handlers do not encode it for clients that receive text alone.
func ExampleKeepStructured() {
	tool := mcp.NewTool(mcp.Tool{Name: "temperature"}, func(context.Context, struct{}) (temperature, error) { return temperature{21}, nil })
	srv := exampleServer(&mcp.ServerOptions{Structured: mcp.StructuredNever}, tool)
	srv.UseTools(func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			result, err := next(mcp.KeepStructured(ctx), args)
			if err == nil {
				fmt.Println("measured", string(result.Structured))
			}
			return result, err
		}
	})
	client := exampleConnect(srv, nil)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "temperature", nil))
	// Output:
	// measured {"celsius":21}
	// 21 degrees <nil>
}

// With makes a copy with limits. A tool that takes too long fails with TIMEOUT.
func ExampleServerTool_With() {
	slow := mcp.NewTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ struct{}) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}).With(mcp.ToolOptions{Timeout: 10 * time.Millisecond, MaxResult: 64 << 10})
	result, err := slow.Call(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.ErrorCode())
	// Output: TIMEOUT
}

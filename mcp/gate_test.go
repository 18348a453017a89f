package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// doorAsker answers questions when its door is opened.
type doorAsker struct{ asked, door chan struct{} }

func (a doorAsker) Ask(ctx context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	a.asked <- struct{}{}
	select {
	case <-a.door:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answers := make(map[string]json.RawMessage)
	for key := range questions {
		answers[key] = json.RawMessage(`{"action":"accept","content":{"confirmed":true}}`)
	}
	return answers, nil
}

func gated(t *testing.T, gate *mcp.Gate, tools ...mcp.ServerTool) *mcp.Server {
	t.Helper()
	for i := range tools {
		tools[i] = tools[i].With(mcp.ToolOptions{Gate: gate})
	}
	return newServer(t, nil, tools...)
}

func callIn(ctx context.Context, srv *mcp.Server, name string, by protocol.Asker) string {
	meta := protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(&protocol.SessionMeta{Capabilities: protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapability{}}})
	result, err := srv.Dispatch(ctx, &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"` + name + `"}`), Meta: meta, Asker: by})
	if err != nil {
		return "error: " + err.Error()
	}
	return result.(*mcp.ToolResult).Blocks()[0].(mcp.TextContent).Text
}

// Tools that have the same gate share its places. Who waits for its client
// lets others through, and takes a place again before it goes on.
func TestGate_LeftDuringQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		working, finish := make(chan struct{}), make(chan struct{})
		srv := gated(t, mcp.NewGate(1),
			mcp.NewTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
				return "agreed", mcp.Confirm(ctx, "sure", "Sure?")
			}),
			mcp.NewTool(mcp.Tool{Name: "work"}, func(context.Context, struct{}) (string, error) {
				working <- struct{}{}
				<-finish
				return "worked", nil
			}))
		by := doorAsker{make(chan struct{}), make(chan struct{})}
		var all group.Group
		answers := make(chan string, 2)
		all.Go(func() { answers <- callIn(t.Context(), srv, "ask", by) })
		<-by.asked
		all.Go(func() { answers <- callIn(t.Context(), srv, "work", nil) })
		<-working // although ask has not ended
		close(by.door)
		synctest.Wait()
		select {
		case got := <-answers:
			t.Fatalf("%q ended while another call had the only place", got)
		default:
		}
		close(finish)
		if first, second := <-answers, <-answers; first != "worked" || second != "agreed" {
			t.Errorf("%q, then %q", first, second)
		}
		all.Wait()
	})
}

// Who is not waited for any more gives its turn up, before and after a question,
// and no place is lost.
func TestGate_ReleasedAtEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := make(chan error, 1)
		srv := gated(t, mcp.NewGate(1),
			mcp.NewTool(mcp.Tool{Name: "leave"}, func(ctx context.Context, _ struct{}) (string, error) {
				var asking group.Group
				asking.Go(func() { left <- mcp.Confirm(ctx, "sure", "Sure?") })
				return "left", nil // while its goroutine asks
			}),
			mcp.NewTool(mcp.Tool{Name: "panic"}, func(context.Context, struct{}) (string, error) { panic("oh") }),
			mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}),
			mcp.NewTool(mcp.Tool{Name: "work"}, func(context.Context, struct{}) (string, error) { return "worked", nil }))
		by := doorAsker{make(chan struct{}), make(chan struct{})}

		if got := callIn(t.Context(), srv, "leave", by); got != "left" {
			t.Error(got)
		}
		<-by.asked
		close(by.door)
		if err := <-left; err != nil {
			t.Error(err)
		}
		if got := callIn(t.Context(), srv, "panic", nil); !strings.Contains(got, "INTERNAL_ERROR") {
			t.Error(got)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		var all group.Group
		for range 3 {
			all.Go(func() {
				if got := callIn(ctx, srv, "wait", nil); !strings.Contains(got, "gone") && !strings.Contains(got, "canceled") {
					t.Error(got)
				}
			})
		}
		synctest.Wait()
		cancel(errors.New("gone"))
		all.Wait()
		if got := callIn(t.Context(), srv, "work", nil); got != "worked" {
			t.Error(got)
		}
	})
}

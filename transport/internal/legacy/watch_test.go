package legacy_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

// Watch sends the same notifications as Follow and has no goroutine between
// changes.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		note := mcp.NewResource(mcp.Resource{URI: "note:///a", Name: "a"}, func(context.Context, string) ([]mcp.ResourceContents, error) { return nil, nil })
		if err := srv.Replace("notes", mcp.Features{Resources: []mcp.ServerResource{note}, ReserveTools: true}); err != nil {
			t.Fatal(err)
		}
		session, err := legacy.Open(json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		var runs group.Group
		stop, ok := session.Watch(srv, &runs, func(method string, params []byte) error {
			told = append(told, strings.TrimPrefix(method, "notifications/")+" "+string(params))
			return nil
		})
		if !ok {
			t.Fatal("a server without middleware cannot be watched")
		}
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			runs.Wait() // or the bubble would be deadlocked: nothing may stay
			if !slices.Equal(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
			told = nil
		}
		answer := func(method string) {
			t.Helper()
			req := &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(`{"uri":"note:///a"}`)}
			if _, err, own := session.Answer(t.Context(), srv, req); err != nil || !own {
				t.Fatalf("%s: %v, %v", method, err, own)
			}
		}

		srv.ResourceUpdated("note:///a")
		expect()
		answer("resources/subscribe")
		srv.ResourceUpdated("note:///a")
		srv.ResourceUpdated("note:///b")
		expect(`resources/updated {"uri":"note:///a"}`)
		srv.ResourceUpdated("note:///a")
		answer("resources/unsubscribe")
		expect(`resources/updated {"uri":"note:///a"}`)
		srv.ResourceUpdated("note:///a")
		expect()
		tool := mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil })
		if err := srv.Replace("tools", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
			t.Fatal(err)
		}
		expect("tools/list_changed {}")
		answer("resources/subscribe")
		stop()
		stop()
		srv.ResourceUpdated("note:///a")
		expect()
	})
}

// Watch does not bypass middleware, which must see each request.
func TestWatch_Middleware(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	srv.Use(func(next mcp.Handler) mcp.Handler { return next })
	session, err := legacy.Open(json.RawMessage(`{"protocolVersion":"2025-06-18"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := session.Watch(srv, new(group.Group), nil); ok {
		t.Error("a server with middleware was watched without it")
	}
	if _, ok := session.Watch(struct{ protocol.Dispatcher }{srv}, new(group.Group), nil); ok {
		t.Error("something in front of a server was gone round")
	}
}

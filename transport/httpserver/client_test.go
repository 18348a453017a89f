package httpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// serve serves h on a network in memory until the test ends, and returns a client for it.
func serve(t *testing.T, h http.Handler) *httpclient.Client {
	t.Helper()
	network := serveOnPipes(h)
	client := network.newClient()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		network.close()
	})
	return &httpclient.Client{URL: "http://localhost/mcp", HTTPClient: client, Options: &transport.Options{Log: noLog}}
}

// bubble runs a sub-test in a bubble of its own.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, f)
	})
}

// served is a client of a handler that is shut down at the end of the test.
func served(t *testing.T, h transport.Handler) *httpclient.Client {
	t.Helper()
	client := serve(t, h)
	t.Cleanup(func() {
		if err := h.Shutdown(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("shutting down: %v", err)
		}
	})
	return client
}

// open connects a client to a server.
func open(t *testing.T, c protocol.Transport, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	opts.Log = noLog
	client, err := mcp.Connect(t.Context(), c, mcp.Implementation{Name: "test", Version: "0"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return client
}

// The methods of a client have the same results in all revisions.
func TestHandler_ClientOfEveryRevision(t *testing.T) {
	for _, sse := range []bool{false, true} {
		for _, rev := range protocol.Revisions() {
			bubble(t, fmt.Sprintf("%s/sse=%v", rev, sse), func(t *testing.T) {
				f := newFixture(t)
				var h transport.Handler = httpserver.NewHandler(f, &httpserver.Options{Log: noLog})
				if sse {
					h = httpserver.NewSSEHandler(f, &httpserver.SSEOptions{Connection: &transport.Options{Log: noLog}})
				}
				carrier := served(t, h)
				carrier.SSE = sse
				exercise(t, f, carrier, rev)
			})
		}
	}
}

func exercise(t *testing.T, f *fixture, carrier protocol.Transport, rev protocol.Revision) {
	ctx := t.Context()
	changed, logged := make(chan string, 10), make(chan protocol.LogNotification, 10)
	client := open(t, carrier, &mcp.ClientOptions{
		Revision: rev, LogLevel: protocol.LevelWarning,
		OnLog:         func(n protocol.LogNotification) { logged <- n },
		OnListChanged: func(list string) { changed <- list },
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
		},
	})
	if client.Revision() != rev || client.Server().Server.Name != "fixture" {
		t.Errorf("connected at %s to %+v", client.Revision(), client.Server())
	}
	if text, err := mcp.Call[string](ctx, client, "greet", greetArgs{Name: "World"}); err != nil || text != "Hello, World" {
		t.Errorf("greet: %q, %v", text, err)
	}
	for range 2 { // before its schema was seen, and after
		if text, err := mcp.Call[string](ctx, client, "route", map[string]any{"region": "é", "n": 7}); err != nil || text != `{"n":7,"region":"é"}` {
			t.Errorf("route: %q, %v", text, err)
		}
	}
	var refused *protocol.Error
	if _, err := mcp.Call[mcp.None](ctx, client, "refuse", nil); !errors.As(err, &refused) || refused.Message != "not like this" {
		t.Errorf("refuse: %v", err)
	}
	var steps []float64
	if _, err := client.CallTool(ctx, "work", nil, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { steps = append(steps, p.Progress) }}); err != nil || !slices.Equal(steps, []float64{1, 2, 3}) {
		t.Errorf("progress %v, %v", steps, err)
	}
	if n := <-logged; n.Level != protocol.LevelWarning || n.Logger != "work" {
		t.Errorf("logged %+v", n)
	}
	if read, err := client.ReadResource(ctx, "test://a", nil); err != nil || len(read.Contents) != 1 {
		t.Errorf("read %+v, %v", read, err)
	}
	if prompt, err := client.GetPrompt(ctx, "p", nil, nil); err != nil || len(prompt.Messages) != 1 {
		t.Errorf("prompt %+v, %v", prompt, err)
	}
	if _, err := mcp.Call[string](ctx, client, "grow", nil); err != nil {
		t.Error(err)
	}
	if list := <-changed; list != "tools" {
		t.Errorf("the list %q changed", list)
	}
	if rev >= protocol.Rev20250618 {
		if text, err := mcp.Call[string](ctx, client, "ask", nil); err != nil || text != "accept Ada" {
			t.Errorf("ask: %q, %v", text, err)
		}
	}
	if text, err := mcp.Call[string](ctx, client, "sleep", map[string]any{"seconds": 50}); err != nil || text != "slept" {
		t.Errorf("sleep: %q, %v", text, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	go func() {
		<-f.begun
		cancel()
	}()
	if _, err := client.CallTool(cancelled, "wait", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	synctest.Wait()
	if notes := f.notes(); !strings.HasPrefix(notes[len(notes)-1], "ended: ") {
		t.Errorf("the tool was not cancelled: %v", notes)
	}
}

// slowListening is a dispatcher that takes a while to open subscriptions.
type slowListening struct{ protocol.Dispatcher }

func (d slowListening) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Method == "subscriptions/listen" {
		time.Sleep(500 * time.Millisecond)
	}
	return d.Dispatcher.Dispatch(ctx, req)
}

// A client receives each change after its connection, even if the server starts
// to follow changes late.
func TestHandler_FirstChangeReachesClient(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		bubble(t, string(rev), func(t *testing.T) {
			h := httpserver.NewHandler(slowListening{newFixture(t)}, &httpserver.Options{Log: noLog})
			changed := make(chan string, 10)
			client := open(t, served(t, h), &mcp.ClientOptions{Revision: rev, OnListChanged: func(list string) { changed <- list }})
			if _, err := mcp.Call[string](t.Context(), client, "grow", nil); err != nil {
				t.Error(err)
			}
			select {
			case list := <-changed:
				if list != "tools" {
					t.Errorf("the list %q changed", list)
				}
			case <-time.After(time.Minute):
				t.Error("the client has not heard that the tools have changed")
			}
		})
	}
}

// The end of its context ends the stream of a call, too. Whichever is noticed
// first, the server learns of it.
func TestHandler_ClientCancelsCalls(t *testing.T) {
	const calls = 300
	bubble(t, "calls", func(t *testing.T) {
		f := newFixture(t)
		client := open(t, served(t, httpserver.NewHandler(f, &httpserver.Options{Log: noLog})), &mcp.ClientOptions{Revision: protocol.Rev20251125})
		for range calls {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-f.begun
				cancel()
			}()
			if _, err := client.CallTool(ctx, "wait", nil, nil); !errors.Is(err, context.Canceled) {
				t.Fatalf("wait: %v", err)
			}
			synctest.Wait()
		}
		ended := 0
		for _, note := range f.notes() {
			if strings.HasPrefix(note, "ended: ") {
				ended++
			}
		}
		if ended != calls {
			t.Errorf("%d of %d calls were cancelled", ended, calls)
		}
	})
}

// Both sides of a stream that is let go of and asked for again.
func TestHandler_ClientPolls(t *testing.T) {
	bubble(t, "poll", func(t *testing.T) {
		client := open(t, served(t, httpserver.NewHandler(newFixture(t), &httpserver.Options{Log: noLog})), &mcp.ClientOptions{Revision: protocol.Rev20251125})
		began := time.Now()
		text, err := mcp.Call[string](t.Context(), client, "poll", pollArgs{Seconds: 20})
		if err != nil || text != "polled: true" {
			t.Errorf("got %q, %v", text, err)
		}
		if took := time.Since(began); took < 20*time.Second || took > 30*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A server that was started anew goes on with the clients of the old one.
func TestHandler_ClientSurvivesRestart(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
		bubble(t, string(rev), func(t *testing.T) {
			f := newFixture(t)
			var now atomic.Pointer[httpserver.Handler]
			start := func() *httpserver.Handler {
				h := httpserver.NewHandler(f, &httpserver.Options{Log: noLog})
				now.Store(h)
				return h
			}
			first := start()
			carrier := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
			changed := make(chan string, 10)
			client := open(t, carrier, &mcp.ClientOptions{Revision: rev, OnListChanged: func(list string) { changed <- list }})
			if _, err := mcp.Call[string](t.Context(), client, "greet", greetArgs{Name: "World"}); err != nil {
				t.Fatal(err)
			}
			second := start()
			if err := first.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if text, err := mcp.Call[string](t.Context(), client, "greet", greetArgs{Name: "World"}); err != nil || text != "Hello, World" {
				t.Errorf("greet: %q, %v", text, err)
			}
			<-changed // perhaps, while nobody could tell
			time.Sleep(time.Minute)
			for len(changed) > 0 {
				<-changed
			}
			if _, err := mcp.Call[string](t.Context(), client, "grow", nil); err != nil {
				t.Error(err)
			}
			if list := <-changed; list != "tools" {
				t.Errorf("the list %q changed", list)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if err := second.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

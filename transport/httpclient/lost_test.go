package httpclient_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// amnesiac is a server that answers 400 to a session that it has forgotten, as
// server-everything and older SDKs do.
type amnesiac struct {
	*fake
	lost  atomic.Int32 // sessions up to this one
	calls atomic.Int32
}

const noValidSession = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`

func newAmnesiac(more handlers) *amnesiac {
	f := new(amnesiac)
	gate := func(next func(*reply, *request)) func(*reply, *request) {
		return func(w *reply, r *request) {
			var n int32
			if _, err := fmt.Sscanf(r.Header.Get("Mcp-Session-Id"), "s%d", &n); err != nil || n <= f.lost.Load() {
				w.json(400, noValidSession)
				return
			}
			next(w, r)
		}
	}
	on := handlers{
		"ping":                      func(w *reply, _ *request) { w.result(`{}`) },
		"notifications/initialized": func(w *reply, _ *request) { w.WriteHeader(202) },
		"notifications/x":           func(w *reply, _ *request) { w.WriteHeader(202) },
		"GET":                       func(w *reply, r *request) { w.event(":"); <-r.gone },
		"tools/call":                func(w *reply, _ *request) { f.calls.Add(1); w.result(done) },
	}
	for kind, h := range more {
		on[kind] = h
	}
	for kind, h := range on {
		on[kind] = gate(h)
	}
	f.fake = session(protocol.Rev20251125, on)
	return f
}

func (f *amnesiac) lose() { f.lost.Store(int32(len(f.requests("initialize")))) }

// TestClient_LostSessionWith400 opens a session again that a server has
// forgotten which answers 400.
func TestClient_LostSessionWith400(t *testing.T) {
	bubble(t, "for many at once", func(t *testing.T) {
		f := newAmnesiac(nil)
		conn := connect(t, serve(t, f), &newHost("").Host)
		f.lose()
		failed := make(chan error)
		for range 100 {
			go func() {
				got, err := call(t.Context(), conn, "tools/call", `{"name":"x"}`)
				if err == nil && got != done {
					err = errors.New(got)
				}
				failed <- err
			}()
		}
		for range 100 {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if n := len(f.requests("initialize")); n != 2 || f.calls.Load() != 100 {
			t.Errorf("the server was initialized %d times and called %d times", n, f.calls.Load())
		}
	})
	bubble(t, "for a notification", func(t *testing.T) {
		f := newAmnesiac(nil)
		conn := connect(t, serve(t, f), &newHost("").Host)
		f.lose()
		if err := conn.(protocol.Notifier).Notify(t.Context(), &protocol.RawNotification{Name: "notifications/x"}); err != nil || len(f.requests("initialize")) != 2 {
			t.Errorf("notifying: %v; %s", err, f.log())
		}
	})
	bubble(t, "again and again", func(t *testing.T) {
		f := newAmnesiac(nil)
		conn := connect(t, serve(t, f), &newHost("").Host)
		for range 5 {
			f.lose()
			if got, err := call(t.Context(), conn, "tools/call", `{"name":"x"}`); got != done || err != nil {
				t.Fatalf("got %s, %v", got, err)
			}
		}
	})
	bubble(t, "not for a request that is wrong", func(t *testing.T) {
		f := newAmnesiac(handlers{"x": text(400, "Session not found in the table of your request")})
		conn := connect(t, serve(t, f), &newHost("").Host)
		var status *httpclient.StatusError
		if _, err := call(t.Context(), conn, "x", ""); !errors.As(err, &status) || status.Code != 400 || !errors.Is(err, rpc.ErrUnsent) {
			t.Errorf("got %v", err)
		}
		if len(f.requests("initialize")) != 1 || len(f.requests("x")) != 1 || len(f.requests("ping")) != 1 {
			t.Errorf("the server got %s", f.log())
		}
	})
	bubble(t, "not where a ping is answered as a method that does not exist", func(t *testing.T) {
		f := newAmnesiac(handlers{"x": text(400, ""), "ping": fails(404, `{"code":-32601,"message":"no"}`)})
		conn := connect(t, serve(t, f), &newHost("").Host)
		if _, err := call(t.Context(), conn, "x", ""); err == nil || len(f.requests("initialize")) != 1 {
			t.Errorf("got %v; %s", err, f.log())
		}
	})
}

// TestClient_StreamBreaks ends a call whose stream broke in bounded time and
// never sends it again.
func TestClient_StreamBreaks(t *testing.T) {
	const limit = 3 * time.Second
	for name, tc := range map[string]struct {
		began func(f *amnesiac, w *reply) // the answer to the call
		rest  func(w *reply, r *request)  // the answer to the request for the rest
		again int                         // sessions after the break
	}{
		"after a restart": {
			began: func(f *amnesiac, w *reply) { w.event("id: a", "data:"); f.lose(); hangUp(w) },
			again: 2,
		},
		"without ids": {
			began: func(_ *amnesiac, w *reply) { w.event(":"); hangUp(w) }, again: 1,
		},
		"after the headers": {
			began: func(_ *amnesiac, w *reply) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "100")
				w.WriteHeader(200)
				hangUp(w)
			},
			again: 1,
		},
		"and the server stays away": {
			began: func(_ *amnesiac, w *reply) { w.event("id: a", "data:"); hangUp(w) },
			rest:  func(w *reply, _ *request) { hangUp(w) }, again: 1,
		},
		"and a proxy has no server": {
			began: func(_ *amnesiac, w *reply) { w.event("id: a", "data:"); hangUp(w) },
			rest:  func(w *reply, _ *request) { w.body(502, "text/html", "<h1>Bad gateway</h1>") }, again: 1,
		},
		"and the ids are unknown in a session that lives": {
			began: func(_ *amnesiac, w *reply) { w.event("id: a", "data:"); hangUp(w) },
			rest:  func(w *reply, _ *request) { w.body(400, "text/plain", "unknown event id") }, again: 1,
		},
	} {
		bubble(t, name, func(t *testing.T) {
			var f *amnesiac
			f = newAmnesiac(handlers{
				"tools/call": func(w *reply, _ *request) { f.calls.Add(1); tc.began(f, w) },
				"GET": func(w *reply, r *request) {
					if r.Header.Get("Last-Event-Id") != "" && tc.rest != nil {
						tc.rest(w, r)
						return
					}
					w.WriteHeader(405)
				},
			})
			conn := connect(t, serve(t, f), &newHost("").Host)
			began := time.Now()
			_, err := call(t.Context(), conn, "tools/call", `{"name":"x"}`)
			if took := time.Since(began); !errors.Is(err, httpclient.ErrRequestLost) || took > limit {
				t.Errorf("after %v the call ends with %v", took, err)
			}
			if n := len(f.requests("initialize")); n != tc.again || f.calls.Load() != 1 {
				t.Errorf("the server was initialized %d times and called %d times: %s", n, f.calls.Load(), f.log())
			}
		})
	}
}

// TestClient_Unsent checks that an unsent request and a lost request have
// different errors.
func TestClient_Unsent(t *testing.T) {
	bubble(t, "after the end", func(t *testing.T) {
		client := serve(t, newAmnesiac(nil))
		conn := connect(t, client, &newHost("").Host)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t.Context(), conn, "tools/call", `{}`); !errors.Is(err, rpc.ErrUnsent) || errors.Is(err, httpclient.ErrRequestLost) {
			t.Errorf("got %v", err)
		}
	})
	for status, unsent := range map[int]bool{400: true, 404: true, 408: false, 429: true, 500: false, 502: false, 503: true, 504: false} {
		if err := (&httpclient.StatusError{Code: status}); errors.Is(err, rpc.ErrUnsent) != unsent {
			t.Errorf("status %d", status)
		}
	}
}

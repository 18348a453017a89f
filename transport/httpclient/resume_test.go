package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// resumed returns the GET requests that resume a stream.
func resumed(f *fake) (found []*request) {
	for _, r := range f.requests("GET") {
		if r.Header.Get("Last-Event-Id") != "" {
			found = append(found, r)
		}
	}
	return found
}

// rest answers the asking for the rest of a stream; there is no stream of the
// server's own.
func rest(f func(w *reply, r *request)) func(*reply, *request) {
	return func(w *reply, r *request) {
		if r.Header.Get("Last-Event-Id") == "" {
			w.WriteHeader(405)
			return
		}
		f(w, r)
	}
}

// A stream of an older revision that ends before the answer goes on with a GET,
// after as long as the server wants (2025-11-25, basic/transports,
// "Resumability and Redelivery").
func TestResume_Call(t *testing.T) {
	for name, tc := range map[string]struct {
		post    func(w *reply)
		rest    func(w *reply, answer string, n int) // the nth time
		ids     []string                             // that it was asked with
		after   []time.Duration                      // of each, since the end of the one before
		wantErr error

		notified string
	}{
		"when the server says": {
			post:  func(w *reply) { w.event("id: a", "retry: 500", "data:") },
			rest:  func(w *reply, answer string, _ int) { w.message(answer) },
			ids:   []string{"a"},
			after: []time.Duration{500 * time.Millisecond},
		},
		"when it does not say": {
			post:  func(w *reply) { w.event("id: a", "data:") },
			rest:  func(w *reply, answer string, _ int) { w.message(answer) },
			ids:   []string{"a"},
			after: []time.Duration{time.Second},
		},
		"when the connection broke": {
			post: func(w *reply) {
				w.event("id: a", "retry: 20", `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
				hangUp(w)
			},
			rest:  func(w *reply, answer string, _ int) { w.message(answer) },
			ids:   []string{"a"},
			after: []time.Duration{20 * time.Millisecond},

			notified: "notifications/message",
		},
		"again and again": {
			post: func(w *reply) { w.event("id: a", "retry: 500", "data:") },
			rest: func(w *reply, answer string, n int) {
				switch n {
				case 1:
					w.event("id: b", "data:")
				case 2:
					w.event("retry: 700")
				case 3:
					w.event(":")
					hangUp(w)
				case 4:
					w.event("id: c", "data: "+answer)
				}
			},
			ids:   []string{"a", "b", "b", "b"},
			after: []time.Duration{500 * time.Millisecond, 500 * time.Millisecond, 700 * time.Millisecond, 700 * time.Millisecond},
		},
		"a server that polls for long": {
			post: func(w *reply) { w.event("id: a", "retry: 100", "data:") },
			rest: func(w *reply, answer string, n int) {
				if w.event(":"); n == 200 {
					w.message(answer)
				}
			},
			ids: nil,
		},
		"without an id": {
			post:    func(w *reply) { w.event("retry: 5", "data:") },
			wantErr: httpclient.ErrRequestLost,
		},
		"with an id taken back": {
			post:    func(w *reply) { w.event("id: a", "data:"); w.event("id", "data:") },
			wantErr: httpclient.ErrRequestLost,
		},
		"with an id that fits no header": {
			post:    func(w *reply) { w.event("id: a\x01", "data:") },
			wantErr: httpclient.ErrRequestLost,
		},
		"with an id without end": {
			post:    func(w *reply) { w.event("id: "+strings.Repeat("a", 5000), "data:") },
			wantErr: httpclient.ErrRequestLost,
		},
		"that the server has not": {
			post:    func(w *reply) { w.event("id: a", "data:") },
			rest:    func(w *reply, _ string, _ int) { w.WriteHeader(405) },
			ids:     []string{"a"},
			wantErr: httpclient.ErrRequestLost,
		},
		"that is no stream": {
			post:    func(w *reply) { w.event("id: a", "data:") },
			rest:    func(w *reply, _ string, _ int) { w.json(200, `{}`) },
			ids:     []string{"a"},
			wantErr: httpclient.ErrRequestLost,
		},
		"of a session that is gone": {
			post:    func(w *reply) { w.event("id: a", "data:") },
			rest:    func(w *reply, _ string, _ int) { w.WriteHeader(404) },
			ids:     []string{"a"},
			wantErr: httpclient.ErrRequestLost,

			notified: "notifications/tools/list_changed", // by the session that took its place
		},
		"that is not to be had for now": {
			post: func(w *reply) { w.event("id: a", "data:") },
			rest: func(w *reply, answer string, n int) {
				switch {
				case n < 2:
					w.WriteHeader(503)
				case n < 3:
					hangUp(w)
				default:
					w.message(answer)
				}
			},
			ids:   []string{"a", "a", "a"},
			after: []time.Duration{time.Second, 250 * time.Millisecond},
		},
		"that never comes": {
			post:    func(w *reply) { w.event("id: a", "data:") },
			rest:    func(w *reply, _ string, _ int) { w.WriteHeader(503) },
			wantErr: httpclient.ErrRequestLost,
		},
		"that is always empty": {
			post:    func(w *reply) { w.event("id: a", "data:") },
			rest:    func(w *reply, _ string, _ int) { w.event(":") },
			wantErr: httpclient.ErrRequestLost,
		},
	} {
		bubble(t, name, func(t *testing.T) {
			var answer string
			var mu sync.Mutex // of one request at a time
			var ends, asked []time.Time
			f := session(protocol.Rev20251125, handlers{
				"tools/call": func(w *reply, _ *request) {
					mu.Lock()
					defer mu.Unlock()
					answer = w.response(`"result":` + done)
					tc.post(w)
					ends = append(ends, time.Now())
				},
				"GET": rest(func(w *reply, r *request) {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, r.at)
					tc.rest(w, answer, len(asked))
					ends = append(ends, time.Now())
				}),
			})
			h := newHost("")
			conn := connect(t, serve(t, f), &h.Host)
			got, err := call(t.Context(), conn, "tools/call", `{"name":"x"}`)
			if tc.wantErr == nil && (got != done || err != nil) || !errors.Is(err, tc.wantErr) {
				t.Errorf("got %s, %v", got, err)
			}
			mu.Lock()
			defer mu.Unlock()
			var ids []string
			for _, r := range resumed(f) {
				ids = append(ids, r.Header.Get("Last-Event-Id"))
				if r.Header.Get("Mcp-Session-Id") != "s1" || r.Header.Get("Mcp-Protocol-Version") != "2025-11-25" {
					t.Errorf("asked with %v", r.Header)
				}
			}
			if diff := testdiff.Diff(tc.ids, ids); tc.ids != nil && diff != "" {
				t.Errorf("asked with the ids %s", diff)
			}
			for i, want := range tc.after {
				if got := asked[i].Sub(ends[i]); got != want {
					t.Errorf("asked the %d. time after %v, want %v", i+1, got, want)
				}
			}
			if len(f.requests("tools/call")) != 1 {
				t.Errorf("the call was sent again: %s", f.log())
			}
			synctest.Wait()
			if h.notified() != tc.notified {
				t.Errorf("the host got %s", h.notified())
			}
		})
	}
	bubble(t, "a list of a session that is gone", func(t *testing.T) {
		f := session(protocol.Rev20251125, handlers{
			"GET":        rest(func(w *reply, _ *request) { w.WriteHeader(404) }),
			"tools/list": flaky(func(w *reply, _ *request) { w.event("id: a", "data:") }, func(w *reply, _ *request) { w.result(done) }),
		})
		conn := connect(t, serve(t, f), &newHost("").Host)
		if got, err := call(t.Context(), conn, "tools/list", ""); got != done || err != nil || len(f.requests("initialize")) != 2 {
			t.Errorf("got %s, %v: %s", got, err, f.log())
		}
	})
	bubble(t, "until nobody waits", func(t *testing.T) {
		f := session(protocol.Rev20251125, handlers{
			"tools/call": func(w *reply, _ *request) { w.event("id: a", "retry: 3600000", "data:") },
			"GET":        rest(nil),
		})
		conn := connect(t, serve(t, f), &newHost("").Host)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := call(ctx, conn, "tools/call", `{}`); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if len(resumed(f)) != 0 || len(f.requests("notifications/cancelled")) != 1 {
			t.Errorf("the server got %s", f.log())
		}
	})
}

// The client opens the server's own stream again after it ends, with a delay.
// Errors of this stream have no effect on calls.
func TestResume_Listening(t *testing.T) {
	for name, tc := range map[string]struct {
		answer   func(w *reply, r *request, n int) // the nth time
		opened   int                               // in an hour, at least
		most     int
		notified string
		ids      string
	}{
		"not offered":        {answer: func(w *reply, _ *request, _ int) { w.WriteHeader(405) }, opened: 1, most: 1},
		"not found":          {answer: func(w *reply, _ *request, _ int) { w.WriteHeader(404) }, opened: 1, most: 1},
		"forbidden":          {answer: func(w *reply, _ *request, _ int) { w.WriteHeader(403) }, opened: 1, most: 1},
		"a page":             {answer: func(w *reply, _ *request, _ int) { w.body(200, "text/html", "<p>") }, opened: 1, most: 1},
		"failing":            {answer: func(w *reply, _ *request, _ int) { w.WriteHeader(500) }, opened: 60, most: 100},
		"breaking":           {answer: func(w *reply, _ *request, _ int) { hangUp(w) }, opened: 60, most: 200},
		"empty":              {answer: func(w *reply, _ *request, _ int) { w.event(":") }, opened: 60, most: 100},
		"in a hurry":         {answer: func(w *reply, _ *request, _ int) { w.event("retry: 1") }, opened: 3600, most: 3601},
		"taking its time":    {answer: func(w *reply, _ *request, n int) { w.event("retry: 600000") }, opened: 6, most: 7},
		"too large an event": {answer: func(w *reply, _ *request, _ int) { w.event("data: " + strings.Repeat("x", 100_000)) }, opened: 60, most: 100},
		"with something to say": {answer: func(w *reply, r *request, n int) {
			if n < 3 {
				w.event(fmt.Sprintf("id: %d", n), `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				return
			}
			w.event(":")
			<-r.gone
		}, opened: 3, most: 3, notified: "notifications/tools/list_changed notifications/tools/list_changed", ids: " 1 2"},
	} {
		bubble(t, name, func(t *testing.T) {
			var n atomic.Int64
			f := session(protocol.Rev20250618, handlers{
				"GET": func(w *reply, r *request) { tc.answer(w, r, int(n.Add(1))) },
				"x":   func(w *reply, _ *request) { w.result(done) },
			})
			client := serve(t, f)
			client.Options.MaxMessage = 65_536
			h := newHost("")
			conn := connect(t, client, &h.Host)
			for range 60 {
				if _, err := call(t.Context(), conn, "x", ""); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
			}
			opened := f.requests("GET")
			if len(opened) < tc.opened || len(opened) > tc.most {
				t.Errorf("opened %d times in an hour", len(opened))
			}
			for i := 1; i < len(opened); i++ {
				if pause := opened[i].at.Sub(opened[i-1].at); pause < time.Second && name != "breaking" { // which net/http tries twice
					t.Errorf("opened again after %v", pause)
					break
				}
			}
			if h.notified() != tc.notified {
				t.Errorf("the host got %s", h.notified())
			}
			var ids []string
			for _, r := range opened {
				ids = append(ids, r.Header.Get("Last-Event-Id"))
			}
			if tc.ids != "" && strings.Join(ids, " ") != tc.ids {
				t.Errorf("opened with the ids %q", ids)
			}
		})
	}
	bubble(t, "a session that is gone", func(t *testing.T) {
		f := session(protocol.Rev20250618, nil)
		f.on["GET"] = func(w *reply, r *request) {
			switch {
			case r.Header.Get("Mcp-Session-Id") != "s1":
				w.event(":")
				<-r.gone
			case len(f.requests("GET")) == 1:
				w.event(":")
			default:
				w.WriteHeader(404)
			}
		}
		open := f.on["initialize"]
		f.on["initialize"] = func(w *reply, r *request) {
			if len(f.requests("initialize")) == 2 {
				w.WriteHeader(503)
				return
			}
			open(w, r)
		}
		h := newHost("")
		_ = connect(t, serve(t, f), &h.Host)
		time.Sleep(time.Hour)
		synctest.Wait()
		if log := f.log(); h.notified() != "notifications/tools/list_changed" || !strings.HasSuffix(log, "GET GET initialize GET initialize notifications/initialized GET") {
			t.Errorf("the host got %s, the server %s", h.notified(), log)
		}
	})
	bubble(t, "and takes answers there", func(t *testing.T) {
		answer := make(chan string, 1)
		f := session(protocol.Rev20250618, handlers{
			"GET": func(w *reply, r *request) {
				w.message(`{"jsonrpc":"2.0","id":77,"result":{}}`)
				w.message(<-answer)
				<-r.gone
			},
			"x": func(w *reply, r *request) {
				answer <- w.response(`"result":` + done)
				w.event(":")
				<-r.gone
			},
		})
		conn := connect(t, serve(t, f), &newHost("").Host)
		if got, err := call(t.Context(), conn, "x", ""); got != done || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

package httpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// Everything after initialize carries the session's id and revision (2025-11-25,
// basic/transports, "Session Management" and "Protocol Version Header").
func TestSession_Headers(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Rev20241105, protocol.Rev20250326, protocol.Rev20250618, protocol.Rev20251125} {
		bubble(t, string(rev), func(t *testing.T) {
			f := session(rev, handlers{
				"tools/list": func(w *reply, _ *request) {
					w.message(`{"jsonrpc":"2.0","id":"q1","method":"ping"}`)
					w.message(w.response(`"result":{"tools":[]}`))
				},
				"GET": func(w *reply, r *request) { w.event(":"); <-r.gone },
			})
			conn := connect(t, serve(t, f), &newHost("").Host)
			if got, err := call(t.Context(), conn, "tools/list", ""); got != `{"tools":[]}` || err != nil {
				t.Errorf("got %s, %v", got, err)
			}
			if err := conn.(protocol.Notifier).Notify(t.Context(), &protocol.RawNotification{Name: "notifications/roots/list_changed"}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			for kind, want := range map[string][2]string{
				"initialize": {"", ""}, "notifications/initialized": {"s1", string(rev)}, "tools/list": {"s1", string(rev)}, "answer": {"s1", string(rev)},
				"notifications/roots/list_changed": {"s1", string(rev)}, "GET": {"s1", string(rev)}, "DELETE": {"s1", string(rev)},
			} {
				found := f.requests(kind)
				if len(found) != 1 {
					t.Fatalf("the server got %d of %s: %s", len(found), kind, f.log())
				}
				h := found[0].Header
				if got := [2]string{h.Get("Mcp-Session-Id"), h.Get("Mcp-Protocol-Version")}; got != want {
					t.Errorf("%s has %q, want %q", kind, got, want)
				}
				accept := "application/json, text/event-stream"
				if kind == "GET" {
					accept = "text/event-stream"
				}
				if kind != "DELETE" && h.Get("Accept") != accept {
					t.Errorf("%s accepts %q", kind, h.Get("Accept"))
				}
				if h.Get("Mcp-Method") != "" {
					t.Errorf("%s has a header of 2026-07-28", kind)
				}
			}
			if got := f.requests("answer")[0].Body; got != `{"jsonrpc":"2.0","id":"q1","result":{}}` {
				t.Errorf("the ping was answered with %s", got)
			}
			if log := f.log(); !strings.HasSuffix(log, "DELETE") {
				t.Errorf("the server got %s", log)
			}
		})
	}
	bubble(t, "a server without ids", func(t *testing.T) {
		f := session(protocol.Rev20251125, handlers{"initialize": old(protocol.Rev20251125), "tools/list": text(404, "")})
		conn := connect(t, serve(t, f), &newHost("").Host)
		var status *httpclient.StatusError
		if _, err := call(t.Context(), conn, "tools/list", ""); !errors.As(err, &status) || status.Code != 404 {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if log := f.log(); strings.Contains(log, "DELETE") || strings.Count(log, "initialize ") != 1 {
			t.Errorf("the server got %s", log)
		}
	})
}

// In revision 2025-03-26 several messages may come at once, and in no other.
func TestSession_Batches(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Rev20250326, protocol.Rev20250618} {
		for name, frame := range map[string]func(*reply, string){
			"as JSON":  func(w *reply, batch string) { w.json(200, batch) },
			"as event": func(w *reply, batch string) { w.message(batch) },
		} {
			bubble(t, string(rev)+" "+name, func(t *testing.T) {
				h := newHost("")
				conn := connect(t, serve(t, session(rev, handlers{"x": func(w *reply, _ *request) {
					frame(w, `[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}, 7, `+w.response(`"result":{"n":1}`)+`]`)
				}})), &h.Host)
				got, err := call(t.Context(), conn, "x", "")
				if rev == protocol.Rev20250326 && (got != `{"n":1}` || err != nil) || rev != protocol.Rev20250326 && err == nil {
					t.Errorf("got %s, %v", got, err)
				}
				synctest.Wait()
				if (h.notified() == "notifications/message") != (rev == protocol.Rev20250326) {
					t.Errorf("the host got %s", h.notified())
				}
			})
		}
	}
}

// A disconnect does not cancel a call in a session: the client sends
// notifications/cancelled (2025-11-25, basic/transports) and does not wait for a
// response.
func TestSession_Cancel(t *testing.T) {
	bubble(t, "a call", func(t *testing.T) {
		f := session(protocol.Rev20251125, handlers{
			"tools/call":              func(w *reply, r *request) { w.event("id: 1", "data:"); <-r.gone },
			"notifications/cancelled": func(w *reply, r *request) { time.Sleep(time.Second); w.WriteHeader(202) },
		})
		conn := connect(t, serve(t, f), &newHost("").Host)
		enough := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, enough)
		defer cancel()
		began := time.Now()
		if _, err := call(ctx, conn, "tools/call", `{"name":"x"}`); !errors.Is(err, enough) || time.Since(began) != time.Minute {
			t.Errorf("the caller got %v after %v", err, time.Since(began))
		}
		synctest.Wait()
		cancelled := f.requests("notifications/cancelled")
		if len(cancelled) != 1 {
			t.Fatalf("the server got %s", f.log())
		}
		var params struct{ RequestID json.RawMessage }
		if err := json.Unmarshal(cancelled[0].Params, &params); err != nil || string(params.RequestID) != string(f.requests("tools/call")[0].ID) {
			t.Errorf("the server got %s", cancelled[0].Body)
		}
	})
	bubble(t, "initialize", func(t *testing.T) {
		f := session(protocol.Rev20251125, handlers{"initialize": func(_ *reply, r *request) { <-r.gone }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := serve(t, f).Connect(ctx, &newHost("").Host); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("connecting: %v", err)
		}
		synctest.Wait()
		if f.log() != "server/discover initialize" {
			t.Errorf("the server got %s", f.log())
		}
	})
}

// A lost session is opened again, once for all of its calls, with its log level
// and subscriptions.
func TestSession_Renewal(t *testing.T) {
	lose := func(f *fake, method, result string) {
		f.on[method] = func(w *reply, r *request) {
			if r.Header.Get("Mcp-Session-Id") == "s1" && len(f.requests("resources/subscribe"))+len(f.requests("logging/setLevel")) >= 2 {
				w.fail(404, `{"code":-32001,"message":"Session not found"}`)
				return
			}
			w.result(result)
		}
	}
	bubble(t, "for many", func(t *testing.T) {
		f := session(protocol.Rev20251125, handlers{
			"resources/subscribe":   func(w *reply, _ *request) { w.result(`{}`) },
			"resources/unsubscribe": func(w *reply, _ *request) { w.result(`{}`) },
			"logging/setLevel":      func(w *reply, _ *request) { w.result(`{}`) },
			"GET":                   func(w *reply, r *request) { w.event(":"); <-r.gone },
		})
		lose(f, "tools/call", done)
		h := newHost("")
		conn := connect(t, serve(t, f), &h.Host)
		for _, told := range [][2]string{{"logging/setLevel", `{"level":"error"}`}, {"resources/subscribe", `{"uri":"a:b"}`}, {"resources/subscribe", `{"uri":"a:c"}`}, {"resources/unsubscribe", `{"uri":"a:c"}`}} {
			if _, err := call(t.Context(), conn, told[0], told[1]); err != nil {
				t.Fatal(err)
			}
		}
		failed := make(chan error)
		for range 20 {
			go func() {
				got, err := call(t.Context(), conn, "tools/call", `{"name":"x"}`)
				if err == nil && got != done {
					err = errors.New(got)
				}
				failed <- err
			}()
		}
		for range 20 {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		for kind, want := range map[string]int{"initialize": 2, "notifications/initialized": 2, "logging/setLevel": 2, "resources/subscribe": 3, "GET": 2} {
			if n := len(f.requests(kind)); n != want {
				t.Errorf("the server got %d of %s, want %d", n, kind, want)
			}
		}
		if subscribed := f.requests("resources/subscribe")[2]; !strings.Contains(string(subscribed.Params), "a:b") || subscribed.Header.Get("Mcp-Session-Id") != "s2" {
			t.Errorf("subscribed again with %s", subscribed.Body)
		}
		// All lists and subscribed resources are reported as changed.
		if h.notified() != "notifications/tools/list_changed notifications/resources/updated" {
			t.Errorf("the host got %s", h.notified())
		}
		if err := conn.(protocol.Notifier).Notify(t.Context(), &protocol.RawNotification{Name: "notifications/x"}); err != nil || f.requests("notifications/x")[0].Header.Get("Mcp-Session-Id") != "s2" {
			t.Errorf("notifying: %v", err)
		}
	})
	bubble(t, "for a notification", func(t *testing.T) {
		f := session(protocol.Rev20250618, handlers{"notifications/x": flaky(text(404, ""), text(202, ""))})
		conn := connect(t, serve(t, f), &newHost("").Host)
		if err := conn.(protocol.Notifier).Notify(t.Context(), &protocol.RawNotification{Name: "notifications/x"}); err != nil || len(f.requests("initialize")) != 2 {
			t.Errorf("notifying: %v; %s", err, f.log())
		}
	})
	bubble(t, "not for a method that it does not know", func(t *testing.T) {
		f := session(protocol.Rev20250618, nil)
		conn := connect(t, serve(t, f), &newHost("").Host)
		var refused *protocol.Error
		if _, err := call(t.Context(), conn, "x", ""); !errors.As(err, &refused) || refused.Code != protocol.CodeMethodNotFound || len(f.requests("initialize")) != 1 {
			t.Errorf("got %v; %s", err, f.log())
		}
	})
	bubble(t, "in vain", func(t *testing.T) {
		f := session(protocol.Rev20250618, handlers{"x": text(404, "gone")})
		conn := connect(t, serve(t, f), &newHost("").Host)
		var status *httpclient.StatusError
		if _, err := call(t.Context(), conn, "x", ""); !errors.As(err, &status) || len(f.requests("x")) != 2 || len(f.requests("initialize")) != 2 {
			t.Errorf("got %v; %s", err, f.log())
		}
		if strings.Contains(fmt.Sprint(status), "s2") {
			t.Errorf("the error shows the session: %v", status)
		}
	})
}

// A server that does not open a session any more has ended the connection; one
// that cannot for now has not.
func TestSession_RenewalRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		again func(*reply, *request)
		good  bool
	}{
		"refused":          {text(403, ""), true},
		"an error":         {fails(200, `{"code":-32603,"message":"no"}`), true},
		"another revision": {old(protocol.Rev20250326), true},
		"busy":             {text(503, ""), false},
		"broken":           {func(w *reply, _ *request) { hangUp(w) }, false},
		"silent":           {func(_ *reply, r *request) { <-r.gone }, false},
	} {
		bubble(t, name, func(t *testing.T) {
			f := session(protocol.Rev20250618, handlers{"x": text(404, "")})
			conn := connect(t, serve(t, f), &newHost("").Host)
			open := f.on["initialize"]
			f.answers("initialize", tc.again)
			if _, err := call(t.Context(), conn, "x", ""); err == nil || !strings.Contains(err.Error(), "forgotten the session") {
				t.Errorf("got %v", err)
			}
			synctest.Wait()
			select {
			case <-conn.Done():
				if !tc.good {
					t.Error("the connection has ended")
				}
				if _, err := call(t.Context(), conn, "y", ""); err == nil || !strings.Contains(err.Error(), "closed") {
					t.Errorf("after it: %v", err)
				}
			default:
				if tc.good {
					t.Fatal("the connection goes on")
				}
				f.answers("initialize", open)
				f.answers("x", flaky(text(404, ""), func(w *reply, _ *request) { w.result(done) }))
				if got, err := call(t.Context(), conn, "x", ""); got != done || err != nil {
					t.Errorf("later: %s, %v", got, err)
				}
			}
		})
	}
}

// Close cancels calls, ends the session and does not hang.
func TestClient_Close(t *testing.T) {
	for name, f := range map[string]*fake{
		"sessions":              session(protocol.Rev20250618, nil),
		"a server that is busy": session(protocol.Rev20250618, handlers{"DELETE": func(_ *reply, r *request) { <-r.gone }}),
		"a server that is gone": session(protocol.Rev20250618, handlers{"DELETE": func(w *reply, _ *request) { hangUp(w) }}),
		"modern":                modern(nil),
	} {
		bubble(t, name, func(t *testing.T) {
			for _, method := range []string{"x", "subscriptions/listen"} {
				f.answers(method, func(w *reply, r *request) { w.event(":"); <-r.gone })
			}
			conn := connect(t, serve(t, f), &newHost("").Host)
			failed := make(chan error, 2)
			for _, method := range []string{"x", "subscriptions/listen"} {
				go func() {
					_, err := dispatch(t.Context(), conn, &protocol.Request{Method: method, Params: json.RawMessage(`{"notifications":{}}`), Notify: func(context.Context, protocol.Notification) error { return nil }})
					failed <- err
				}()
			}
			synctest.Wait()
			for range 2 {
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			}
			for range 2 {
				if err := <-failed; err == nil || !strings.Contains(err.Error(), "closed") {
					t.Errorf("what ran got %v", err)
				}
			}
			<-conn.Done()
			if _, err := call(t.Context(), conn, "x", ""); err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("after closing: %v", err)
			}
			if err := conn.(protocol.Notifier).Notify(t.Context(), &protocol.RawNotification{Name: "notifications/x"}); err == nil {
				t.Error("a notification was sent after closing")
			}
		})
	}
	bubble(t, "but not for a host that does not return", func(t *testing.T) {
		stuck, release := make(chan struct{}), make(chan struct{})
		h := newHost("")
		h.Answer = func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
			close(stuck)
			<-release
			return nil, nil
		}
		f := session(protocol.Rev20250618, handlers{"GET": func(w *reply, r *request) { w.message(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`); <-r.gone }})
		conn, err := serve(t, f).Connect(t.Context(), &h.Host)
		if err != nil {
			t.Fatal(err)
		}
		<-stuck
		if err := conn.Close(); err == nil || !strings.Contains(err.Error(), "still running") {
			t.Errorf("closing: %v", err)
		}
		close(release)
	})
}

package httpclient_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

func text(status int, body string) func(*reply, *request) {
	return func(w *reply, _ *request) { w.body(status, "text/plain; charset=utf-8", body) }
}

func fails(status int, e string) func(*reply, *request) {
	return func(w *reply, _ *request) { w.fail(status, e) }
}

// old answers initialize in an older revision.
func old(rev protocol.Revision) func(*reply, *request) {
	return func(w *reply, _ *request) { w.result(initialized(rev)) }
}

// The cases are responses of servers to the first request of a client
// (2026-07-28, basic/transports/streamable-http, "Backward Compatibility").
func TestNegotiation_Eras(t *testing.T) {
	const unsupported = `{"code":-32022,"message":"?","data":{"supported":["2025-06-18"],"requested":"2026-07-28"}}`
	for name, tc := range map[string]struct {
		on      handlers
		pinned  protocol.Revision
		want    protocol.Revision
		wantErr string
		asked   string // the requests that the server got
	}{
		"a modern one":                        {on: handlers{"server/discover": func(w *reply, _ *request) { w.result(discovered) }}, want: protocol.Latest, asked: "server/discover"},
		"a modern one, in a stream":           {on: handlers{"server/discover": func(w *reply, _ *request) { w.message(w.response(`"result":` + discovered)) }}, want: protocol.Latest, asked: "server/discover"},
		"400 without a body":                  {on: handlers{"server/discover": text(400, ""), "initialize": old(protocol.Rev20251125)}, want: protocol.Rev20251125},
		"400 and an error of its own":         {on: handlers{"server/discover": fails(400, `{"code":-32000,"message":"no session"}`), "initialize": old(protocol.Rev20250618)}, want: protocol.Rev20250618},
		"404 and method not found":            {on: handlers{"initialize": old(protocol.Rev20250618)}, want: protocol.Rev20250618},
		"200 and method not found":            {on: handlers{"server/discover": fails(200, `{"code":-32601,"message":"?"}`), "initialize": old(protocol.Rev20250326)}, want: protocol.Rev20250326},
		"200 and a page":                      {on: handlers{"server/discover": text(200, "Hello"), "initialize": old(protocol.Rev20250326)}, want: protocol.Rev20250326},
		"202 and nothing":                     {on: handlers{"server/discover": text(202, ""), "initialize": old(protocol.Rev20250326)}, want: protocol.Rev20250326},
		"500":                                 {on: handlers{"server/discover": text(500, "panic"), "initialize": old(protocol.Rev20250326)}, want: protocol.Rev20250326},
		"silence":                             {on: handlers{"server/discover": func(_ *reply, r *request) { <-r.gone }, "initialize": old(protocol.Rev20250326)}, want: protocol.Rev20250326},
		"a stream without an end":             {on: handlers{"server/discover": func(w *reply, r *request) { w.event(": hello"); <-r.gone }, "initialize": old(protocol.Rev20250326)}, want: protocol.Rev20250326},
		"the revision of the first transport": {on: handlers{"server/discover": text(400, ""), "initialize": old(protocol.Rev20241105)}, want: protocol.Rev20241105},
		"a modern one with sessions alone": {on: handlers{"server/discover": fails(400, unsupported), "initialize": func(w *reply, r *request) {
			if strings.Contains(string(r.Params), `"2025-06-18"`) {
				w.result(initialized(protocol.Rev20250618))
			}
		}}, want: protocol.Rev20250618},
		"one that wants to be asked again": {on: handlers{"server/discover": flaky(fails(400, strings.Replace(unsupported, "2025-06-18", "2026-07-28", 1)), func(w *reply, _ *request) { w.result(discovered) })}, want: protocol.Latest, asked: "server/discover server/discover"},
		"one with revisions of its own":    {on: handlers{"server/discover": fails(400, strings.Replace(unsupported, "2025-06-18", "2030-01-01", 1))}, wantErr: "-32022", asked: "server/discover"},
		"one that misses a capability":     {on: handlers{"server/discover": fails(400, `{"code":-32021,"message":"roots"}`)}, wantErr: "roots", asked: "server/discover"},
		"one that rejects the headers":     {on: handlers{"server/discover": fails(400, `{"code":-32020,"message":"header"}`)}, wantErr: "header", asked: "server/discover"},
		"no admittance":                    {on: handlers{"server/discover": text(401, "who are you?")}, wantErr: "401 Unauthorized: who are you?", asked: "server/discover"},
		"nothing at all":                   {on: handlers{"server/discover": text(404, ""), "initialize": text(404, "404 page not found")}, wantErr: "404 Not Found: 404 page not found; nor does it serve HTTP+SSE", asked: "server/discover initialize GET"},
		"a modern one that has no session": {on: handlers{"server/discover": text(500, "")}, wantErr: "Method not found", asked: "server/discover initialize"},
		"a broken one":                     {on: handlers{"server/discover": text(502, ""), "initialize": text(502, "Bad gateway")}, wantErr: "502", asked: "server/discover initialize"},
		"an initialize that fails":         {on: handlers{"server/discover": text(400, ""), "initialize": fails(200, `{"code":-32603,"message":"no way"}`)}, wantErr: "no way", asked: "server/discover initialize"},
		"a session id with blanks": {on: handlers{"initialize": func(w *reply, _ *request) {
			w.Header().Set("Mcp-Session-Id", "a b")
			w.result(initialized(protocol.Rev20251125))
		}}, wantErr: "visible ASCII"},
		"a session id without end": {on: handlers{"initialize": func(w *reply, _ *request) {
			w.Header().Set("Mcp-Session-Id", strings.Repeat("a", 5000))
			w.result(initialized(protocol.Rev20251125))
		}}, wantErr: "too long"},
		"pinned to the latest":           {pinned: protocol.Latest, on: handlers{"server/discover": text(404, "")}, wantErr: "2026-07-28", asked: "server/discover"},
		"pinned to a session":            {pinned: protocol.Rev20250618, on: handlers{"initialize": old(protocol.Rev20250618)}, want: protocol.Rev20250618, asked: "initialize notifications/initialized GET"},
		"pinned to a session it lacks":   {pinned: protocol.Rev20250618, on: handlers{"initialize": old(protocol.Rev20251125)}, wantErr: "2025-11-25", asked: "initialize"},
		"pinned to a session, no server": {pinned: protocol.Rev20250618, on: handlers{"initialize": text(404, "")}, wantErr: "404", asked: "initialize"},
	} {
		bubble(t, name, func(t *testing.T) {
			f := &fake{on: tc.on}
			if f.on["server/discover"] == nil {
				f.answers("server/discover", fails(404, `{"code":-32601,"message":"Method not found"}`))
			}
			h := newHost(tc.pinned)
			conn, err := serve(t, f).Connect(t.Context(), &h.Host)
			synctest.Wait()
			switch {
			case tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr) && !hasCode(err, tc.wantErr)):
				t.Errorf("connecting: %v, want %q in it", err, tc.wantErr)
			case tc.wantErr == "" && err != nil:
				t.Fatal(err)
			case err == nil:
				if conn.Revision() != tc.want || conn.Discovered().Server.Name != "fake" {
					t.Errorf("connected to %+v at %s, want %s", conn.Discovered(), conn.Revision(), tc.want)
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := f.log(); tc.asked != "" && got != tc.asked {
				t.Errorf("the server got %s, want %s", got, tc.asked)
			}
		})
	}
}

// flaky answers the first time as first, and then as then.
func flaky(first, then func(*reply, *request)) func(*reply, *request) {
	var asked atomic.Bool
	return func(w *reply, r *request) {
		if asked.Swap(true) {
			then(w, r)
			return
		}
		first(w, r)
	}
}

func hasCode(err error, code string) bool {
	var e *protocol.Error
	return errors.As(err, &e) && code == "-32022" && e.Code == protocol.CodeUnsupportedRevision
}

// log returns the received requests, in order.
func (f *fake) log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var kinds []string
	for _, r := range f.got {
		switch {
		case r.HTTP != http.MethodPost:
			kinds = append(kinds, r.HTTP)
		case r.Method == "":
			kinds = append(kinds, "answer")
		default:
			kinds = append(kinds, r.Method)
		}
	}
	return strings.Join(kinds, " ")
}

// A Client negotiates once (2026-07-28, basic/versioning).
func TestNegotiation_Remembered(t *testing.T) {
	bubble(t, "sessions", func(t *testing.T) {
		f := session(protocol.Rev20250618, nil)
		client := serve(t, f)
		for range 2 {
			conn := connect(t, client, &newHost("").Host)
			if conn.Revision() != protocol.Rev20250618 {
				t.Errorf("connected at %s", conn.Revision())
			}
		}
		synctest.Wait()
		if n, m := len(f.requests("server/discover")), len(f.requests("initialize")); n != 1 || m != 2 {
			t.Errorf("asked %d times whether it is modern, and for %d sessions", n, m)
		}
		// It has been replaced by another.
		f.answers("initialize", text(404, ""))
		f.answers("server/discover", func(w *reply, _ *request) { w.result(discovered) })
		if conn := connect(t, client, &newHost("").Host); conn.Revision() != protocol.Latest {
			t.Errorf("connected at %s", conn.Revision())
		}
	})
}

// A server that could not answer the question may have become modern.
func TestNegotiation_Uncertain(t *testing.T) {
	bubble(t, "503", func(t *testing.T) {
		f := session(protocol.Rev20250618, handlers{"server/discover": flaky(text(503, ""), func(w *reply, _ *request) { w.result(discovered) })})
		client := serve(t, f)
		for _, want := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
			if conn := connect(t, client, &newHost("").Host); conn.Revision() != want {
				t.Errorf("connected at %s, want %s", conn.Revision(), want)
			}
		}
	})
}

// Connect ends even if the server does not respond.
func TestClient_ConnectTimeout(t *testing.T) {
	silent := func(_ *reply, r *request) { <-r.gone }
	for name, tc := range map[string]struct {
		on      handlers
		within  time.Duration
		wantErr bool
	}{
		"a stream that does not open":        {handlers{"GET": silent}, time.Second, false},
		"a notification that is not taken":   {handlers{"notifications/initialized": silent}, time.Minute, true},
		"a session that does not end either": {handlers{"notifications/initialized": silent, "DELETE": silent}, time.Minute, true},
	} {
		bubble(t, name, func(t *testing.T) {
			began := time.Now()
			conn, err := serve(t, session(protocol.Rev20250618, tc.on)).Connect(t.Context(), &newHost("").Host)
			if took := time.Since(began); took > tc.within || (err != nil) != tc.wantErr {
				t.Errorf("after %v: %v", took, err)
			}
			if err == nil {
				_ = conn.Close()
			}
		})
	}
}

func TestClient_InvalidURL(t *testing.T) {
	for url, want := range map[string]string{"": "http", "stdio:x": "http", "http://": "host", "http://a b": "URL", "//x": "http", "ftp://user:secret@x": "http"} {
		_, err := (&httpclient.Client{URL: url}).Connect(t.Context(), &protocol.Host{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// Nothing listens: the first attempt says so.
func TestClient_NoServer(t *testing.T) {
	bubble(t, "refused", func(t *testing.T) {
		f := modern(nil)
		client := serve(t, f)
		closed := &network{closed: make(chan struct{})}
		_ = closed.Close()
		client.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: closed.dial}}
		began := time.Now()
		if _, err := client.Connect(t.Context(), &newHost("").Host); err == nil || !strings.Contains(err.Error(), "connection refused") || time.Since(began) > 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

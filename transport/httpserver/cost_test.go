package httpserver_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// nullWriter is a ResponseWriter that keeps nothing.
type nullWriter struct {
	header http.Header
	status int
	size   int
}

func (w *nullWriter) Header() http.Header { return w.header }

func (w *nullWriter) WriteHeader(status int) { w.status = status }

func (w *nullWriter) Write(p []byte) (int, error) {
	w.size += len(p)
	return len(p), nil
}

func (w *nullWriter) Flush() {}

// An idle session is small, and nothing runs for it.
func TestSession_IdleMemory(t *testing.T) {
	const sessions, most = 10_000, 4 << 10
	h := httpserver.NewHandler(newFixture(t), &httpserver.Options{Log: noLog, MaxSessions: sessions})
	defer h.Shutdown(context.Background())
	open := func(n int) {
		for range n {
			body := strings.NewReader(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true}},"clientInfo":{"name":"a-client-with-a-name","version":"1.2.3","title":"A client with a title"}}}`)
			r, err := http.NewRequest(http.MethodPost, "http://localhost/", body)
			if err != nil {
				t.Fatal(err)
			}
			w := &nullWriter{header: make(http.Header)}
			if h.ServeHTTP(w, r); w.status != http.StatusOK {
				t.Fatalf("status %d", w.status)
			}
			// A call leaves nothing behind.
			call, err := http.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(callBody("1", "work", `{}`)))
			if err != nil {
				t.Fatal(err)
			}
			call.Header.Set("Mcp-Session-Id", w.header.Get("Mcp-Session-Id"))
			call.Header.Set("Accept", "application/json")
			w = &nullWriter{header: make(http.Header)}
			if h.ServeHTTP(w, call); w.status != http.StatusOK {
				t.Fatalf("the call: status %d", w.status)
			}
		}
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	open(10) // what is made once
	before, goroutines := heap(), runtime.NumGoroutine()
	open(sessions - 10)
	after := heap()
	if got := (int64(after) - int64(before)) / (sessions - 10); got > most {
		t.Errorf("an idle session takes %d bytes, at most %d are allowed", got, most)
	} else {
		t.Logf("an idle session takes %d bytes", got)
	}
	if got := runtime.NumGoroutine() - goroutines; got > 10 {
		t.Errorf("%d goroutines run for idle sessions", got)
	}
	runtime.KeepAlive(h)
}

// A call over HTTP allocates about as much as a handler that does nothing but
// that call.
func TestHandler_CallAllocations(t *testing.T) {
	h := benchServer(t)
	allocations := func(h http.Handler, era string) float64 {
		r, err := http.ReadRequest(newReader(benchRequest(t, h, era)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		serve := func() {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			w := &nullWriter{header: make(http.Header, 4)}
			if h.ServeHTTP(w, r); w.size == 0 {
				t.Fatal("no answer")
			}
		}
		serve()
		return testing.AllocsPerRun(200, serve)
	}
	bare := allocations(http.HandlerFunc(bareHandler), "bare")
	for era, factor := range map[string]float64{"modern": 1.3, "older": 1.3} {
		if got := allocations(h, era); got > factor*bare {
			t.Errorf("%s: %.0f allocations, a bare handler has %.0f", era, got, bare)
		} else {
			t.Logf("%s: %.0f allocations, a bare handler has %.0f", era, got, bare)
		}
	}
}

// FuzzHandler sends anything to a handler: it answers everything that a
// client waits for, with a message if with anything, and never fails in an unexpected way.
func FuzzHandler(f *testing.F) {
	for _, body := range []string{
		initializeBody(protocol.Rev20251125), callBody("1", "greet", `{"name":"x"}`), modernBody("1", "route", `{"region":"x"}`),
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		f.Add("POST", body, "2026-07-28", "tools/call", "route", "x", "application/json", "*/*", "", true)
		f.Add("POST", body, "2025-03-26", "", "", "", "", "text/event-stream", "1-0", false)
	}
	f.Add("GET", "", "", "", "", "", "", "text/event-stream", "0-9223372036854775807", true)
	f.Fuzz(func(t *testing.T, method, body, version, mcpMethod, name, param, contentType, accept, last string, batches bool) {
		rev := protocol.Rev20251125
		if batches {
			rev = protocol.Rev20250326
		}
		log := &panicLog{t: t}
		h := httpserver.NewHandler(newFixture(t), &httpserver.Options{Log: log.logger(), MaxMessage: 1 << 16})
		defer h.Shutdown(context.Background())
		session := fuzzServe(t, h, http.MethodPost, initializeBody(rev), nil).header.Get("Mcp-Session-Id")
		for _, id := range []string{session, ""} {
			header := make(http.Header)
			for key, value := range map[string]string{
				"Mcp-Protocol-Version": version, "Mcp-Method": mcpMethod, "Mcp-Name": name, "Mcp-Param-Region": param,
				"Content-Type": contentType, "Accept": accept, "Last-Event-ID": last, "Mcp-Session-Id": id,
			} {
				if value != "" {
					header.Set(key, value)
				}
			}
			w := fuzzServe(t, h, method, body, header)
			if w.status == 0 && !w.left {
				t.Errorf("%s %q with %v was not answered", method, body, header)
			}
			if w.status >= 300 && errorCode(t, w.body.String()) == 0 {
				t.Errorf("%s %q with %v: status %d, %s", method, body, header, w.status, w.body.String())
			}
		}
	})
}

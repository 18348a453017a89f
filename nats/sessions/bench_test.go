package sessions_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/nats/sessions"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// BenchmarkCall is a call in a session of 2025-11-25, without HTTP: of one
// instance alone, and of one that shares its sessions with NATS on the same
// machine; answered with JSON, and as a stream whose events are kept.
func BenchmarkCall(b *testing.B) {
	for _, shared := range []bool{false, true} {
		for _, tool := range []string{"json", "stream"} {
			b.Run(map[bool]string{false: "alone/", true: "shared/"}[shared]+tool, func(b *testing.B) {
				opts := &httpserver.Options{Log: noLog}
				if shared {
					store, err := sessions.New(context.Background(), natstest.Start(b).Connect(b), &sessions.Options{Memory: true, Log: noLog})
					if err != nil {
						b.Fatal(err)
					}
					defer store.Close()
					opts.Shared = store
				}
				h := httpserver.NewHandler(benchServer(b), opts)
				defer h.Shutdown(context.Background())
				id := send(h, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).Header().Get("Mcp-Session-Id")
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":{"progressToken":1}}}`
				b.ReportAllocs()
				for b.Loop() {
					if w := send(h, id, body); !strings.Contains(w.Body.String(), "done") {
						b.Fatalf("%d %s", w.Code, w.Body)
					}
				}
			})
		}
	}
}

func benchServer(b *testing.B) *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "bench", Version: "1"}, nil)
	err := srv.Replace("bench", mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "json"}, func(context.Context, struct{}) (string, error) { return "done", nil }),
		mcp.NewTool(mcp.Tool{Name: "stream"}, func(ctx context.Context, _ struct{}) (string, error) {
			mcp.Progress(ctx, 1, 2, "")
			return "done", nil
		}),
	}})
	if err != nil {
		b.Fatal(err)
	}
	return srv
}

func send(h http.Handler, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

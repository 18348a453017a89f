package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpserver"
)

type benchArgs struct {
	Name  string   `json:"name" jsonschema:"minLength=1"`
	Count int      `json:"count" jsonschema:"minimum=0,maximum=100"`
	Tags  []string `json:"tags"`
	Opt   struct {
		Deep bool    `json:"deep"`
		F    float64 `json:"f"`
	} `json:"opt"`
}

type benchResult struct {
	Greeting string   `json:"greeting"`
	Total    int      `json:"total"`
	Tags     []string `json:"tags"`
}

func greet(in benchArgs) benchResult {
	return benchResult{Greeting: "Hello, " + in.Name, Total: in.Count + len(in.Tags), Tags: in.Tags}
}

const (
	benchCall = `"name":"small","arguments":{"name":"World","count":3,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`
	benchMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
)

// bareHandler serves one tool without this package, for comparison.
func bareHandler(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string    `json:"name"`
			Arguments benchArgs `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	structured, err := json.Marshal(greet(req.Params.Arguments))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": map[string]any{
		"content": []any{map[string]any{"type": "text", "text": string(structured)}}, "structuredContent": json.RawMessage(structured),
	}})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(out)
}

func benchServer(b testing.TB) http.Handler {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "small"}, func(_ context.Context, in benchArgs) (benchResult, error) { return greet(in), nil }); err != nil {
		b.Fatal(err)
	}
	h := httpserver.NewHandler(srv, nil)
	b.Cleanup(func() { _ = h.Shutdown(context.Background()) })
	return h
}

func benchRequest(b testing.TB, h http.Handler, era string) string {
	body, header := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+benchCall, ""
	switch era {
	case "modern":
		body += benchMeta
		header = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: small\r\n"
	case "older":
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		header = "Mcp-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: " + w.Header().Get("Mcp-Session-Id") + "\r\n"
	}
	body += "}}"
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

// BenchmarkHTTP measures a call over a connection of its own, from the bytes of
// its request to the bytes of its response.
func BenchmarkHTTP(b *testing.B) {
	for _, era := range []string{"bare", "modern", "older"} {
		b.Run(era, func(b *testing.B) {
			h := http.Handler(http.HandlerFunc(bareHandler))
			if era != "bare" {
				h = benchServer(b)
			}
			srv := httptest.NewServer(h)
			defer srv.Close()
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			request, r := []byte(benchRequest(b, h, era)), bufio.NewReader(conn)
			answer := make([]byte, 4096)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.Write(request); err != nil {
					b.Fatal(err)
				}
				size := 0
				for {
					line, err := r.ReadSlice('\n')
					if err != nil {
						b.Fatal(err)
					}
					if len(line) == 2 {
						break
					}
					if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
						_, _ = fmt.Sscan(string(n), &size)
					}
				}
				if _, err := io.ReadFull(r, answer[:size]); err != nil || !bytes.Contains(answer[:size], []byte("Hello, World")) {
					b.Fatalf("%s: %v", answer[:size], err)
				}
			}
		})
	}
}

// BenchmarkServeHTTP measures a call without the connection.
func BenchmarkServeHTTP(b *testing.B) {
	for _, era := range []string{"bare", "modern", "older"} {
		b.Run(era, func(b *testing.B) {
			h := http.Handler(http.HandlerFunc(bareHandler))
			if era != "bare" {
				h = benchServer(b)
			}
			r, err := http.ReadRequest(newReader(benchRequest(b, h, era)))
			if err != nil {
				b.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(bytes.NewReader(body))
				w := &nullWriter{header: make(http.Header, 4)}
				if h.ServeHTTP(w, r); w.size == 0 {
					b.Fatal("no answer")
				}
			}
		})
	}
}

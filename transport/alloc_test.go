package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type smallArgs struct {
	Name  string   `json:"name" jsonschema:"minLength=1"`
	Count int      `json:"count" jsonschema:"minimum=0,maximum=100"`
	Tags  []string `json:"tags"`
	Opt   struct {
		Deep bool    `json:"deep"`
		F    float64 `json:"f"`
	} `json:"opt"`
}

type smallResult struct {
	Greeting string   `json:"greeting"`
	Total    int      `json:"total"`
	Tags     []string `json:"tags"`
}

// listResult is a result with a text for the model, like those of the tool sets.
type listResult struct {
	Entries []listEntry `json:"entries"`
	Total   int         `json:"total"`
}

type listEntry struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Bytes int    `json:"bytes"`
}

func (r listResult) TextContent() string {
	var b strings.Builder
	for _, e := range r.Entries {
		b.WriteString(e.Path)
		b.WriteByte('\n')
	}
	return b.String()
}

func listServer(t testing.TB, policy mcp.StructuredPolicy) *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Structured: policy})
	if err := mcp.AddTool(srv, mcp.Tool{Name: "small"}, func(_ context.Context, in smallArgs) (listResult, error) {
		r := listResult{Total: 20}
		for range r.Total {
			r.Entries = append(r.Entries, listEntry{Path: "internal/some/package/file.go", Kind: "file", Bytes: 1234})
		}
		return r, nil
	}); err != nil {
		t.Fatal(err)
	}
	return srv
}

func smallServer(t testing.TB) *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "small"}, func(_ context.Context, in smallArgs) (smallResult, error) {
		return smallResult{Greeting: "Hello, " + in.Name, Total: in.Count + len(in.Tags), Tags: in.Tags}, nil
	}); err != nil {
		t.Fatal(err)
	}
	return srv
}

const smallParams = `"name":"small","arguments":{"name":"World","count":3,"tags":["a","b","c"],"opt":{"deep":true,"f":1.5}}`

// requests writes n calls, of a session or of the latest revision.
func requests(n int, modern bool) []byte {
	var b bytes.Buffer
	if !modern {
		b.WriteString(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n")
	}
	meta := ""
	if modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
	}
	for i := range n {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s%s}}`+"\n", i, smallParams, meta)
	}
	return b.Bytes()
}

type discard struct{ frames, bytes int }

func (d *discard) Write(p []byte) (int, error) {
	d.frames += bytes.Count(p, []byte{'\n'})
	d.bytes += len(p)
	return len(p), nil
}

func (d *discard) Close() error { return nil }

// A call includes parsing, checks, the handler and the encoded response.
func TestCall_Allocations(t *testing.T) {
	const most = 40
	for _, modern := range []bool{true, false} {
		t.Run(fmt.Sprintf("modern=%v", modern), func(t *testing.T) {
			srv := smallServer(t)
			mallocs := func(n int) uint64 {
				in := requests(n, modern)
				out := new(discard)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if err := transport.ServeIO(t.Context(), srv, bytes.NewReader(in), out, &transport.Options{QueueLength: n, Drain: time.Minute, Log: quiet.Log}); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				if out.frames < n {
					t.Fatalf("%d answers to %d calls", out.frames, n)
				}
				return after.Mallocs - before.Mallocs
			}
			mallocs(100) // excludes allocations that happen once
			const n = 2000
			if got := float64(mallocs(2*n)-mallocs(n)) / n; got > most {
				t.Errorf("a call takes %.1f allocations, at most %d are allowed", got, most)
			} else {
				t.Logf("a call takes %.1f allocations", got)
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	srv := smallServer(b)
	b.ReportAllocs()
	in := requests(b.N, true)
	b.ResetTimer()
	if err := transport.ServeIO(context.Background(), srv, bytes.NewReader(in), new(discard), &transport.Options{QueueLength: b.N, Log: quiet.Log}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCall_Structured compares the policies for structured content, for a client whose model
// reads the text. The metric sent is the number of bytes of a response.
func BenchmarkCall_Structured(b *testing.B) {
	for _, policy := range []mcp.StructuredPolicy{mcp.StructuredAlways, mcp.StructuredAuto, mcp.StructuredNever} {
		for _, modern := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/modern=%v", policy, modern), func(b *testing.B) {
				srv := listServer(b, policy)
				b.ReportAllocs()
				in := bytes.ReplaceAll(requests(b.N, modern), []byte(`apabilities":{}`), []byte(`apabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"experimental":{"example.com/x":{}}}`))
				out := new(discard)
				b.ResetTimer()
				if err := transport.ServeIO(context.Background(), srv, bytes.NewReader(in), out, &transport.Options{QueueLength: b.N, Log: quiet.Log}); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(out.bytes)/float64(b.N), "sent/op")
			})
		}
	}
}

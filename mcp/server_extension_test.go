package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

type settings = map[string]json.RawMessage

// An extension is there if both sides declare it, and off unless they do.
func TestExtensions(t *testing.T) {
	tool := mcp.NewTool(mcp.Tool{Name: "t"}, func(ctx context.Context, _ struct{}) (string, error) {
		ui, ok := mcp.SupportsExtension(ctx, "com.example/ui")
		_, other := mcp.SupportsExtension(ctx, "com.example/other")
		return fmt.Sprintf("%s %v %v", ui, ok, other), nil
	})
	const caps = `{"extensions":{"com.example/ui":{"a":1},"com.example/other":{}}}`
	for name, tc := range map[string]struct {
		extensions settings
		caps, want string
	}{
		"both":           {settings{"com.example/ui": json.RawMessage(`{}`)}, caps, `{\"a\":1} true false`},
		"the client":     {nil, caps, ` false false`},
		"the server":     {settings{"com.example/ui": json.RawMessage(`{"b":2}`)}, `{}`, ` false false`},
		"by their names": {settings{"io.modelcontextprotocol/ui": json.RawMessage(`{}`)}, caps, ` false false`},
	} {
		srv := newServer(t, &mcp.ServerOptions{Extensions: tc.extensions}, tool)
		meta, err := protocol.ReadMeta([]byte(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + tc.caps + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		result, err := srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(`{"name":"t"}`), Meta: meta})
		if err != nil {
			t.Fatal(err)
		}
		wire, _ := result.AppendJSON(nil, protocol.Latest)
		if !strings.Contains(string(wire), `"text":"`+tc.want+`"`) {
			t.Errorf("%s: %s", name, wire)
		}
		got, err := dispatch(t, srv, "server/discover", `{}`)
		declared, _ := json.Marshal(tc.extensions)
		if want := `"extensions":` + string(declared); err != nil || strings.Contains(got, want) != (tc.extensions != nil) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, ok := mcp.SupportsExtension(t.Context(), "com.example/ui"); ok {
		t.Error("an extension is there without a call")
	}
}

func TestExtensions_Invalid(t *testing.T) {
	for _, id := range []string{"", "ui", "/ui", "com.example/", "com..example/ui", "1com/ui", "com-/ui", "com.exa_mple/ui", "com.example/-ui", "com.example/u i", "com.example/a/b", "com.example/ui."} {
		if mcp.NewServer(mcp.Implementation{}, &mcp.ServerOptions{Extensions: settings{id: json.RawMessage(`{}`)}}).Err() == nil {
			t.Errorf("%q was taken", id)
		}
	}
	for _, value := range []string{"", "null", "5", "[]", "{"} {
		if mcp.NewServer(mcp.Implementation{}, &mcp.ServerOptions{Extensions: settings{"a-1.b/c_D.0": json.RawMessage(value)}}).Err() == nil {
			t.Errorf("the settings %q were taken", value)
		}
	}
	if err := mcp.NewServer(mcp.Implementation{}, &mcp.ServerOptions{Extensions: settings{"a-1.b/c_D.0": json.RawMessage(`{}`)}}).Err(); err != nil {
		t.Error(err)
	}
}

// A handler's requests of its own belong to the trace of the one that it serves.
func TestTraceContext(t *testing.T) {
	long := strings.Repeat("x", 9000)
	var got mcp.TraceContext
	srv := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "t"}, func(ctx context.Context, _ struct{}) (mcp.None, error) {
		got = mcp.TraceFrom(ctx)
		return mcp.None{}, nil
	}))
	for meta, want := range map[string]mcp.TraceContext{
		`{"traceparent":"00-a-b-01","tracestate":"k=v","baggage":"u=1"}`: {Parent: "00-a-b-01", State: "k=v", Baggage: "u=1"},
		`{"traceparent":5,"tracestate":"","baggage":"` + long + `"}`:     {},
		`{}`: {},
	} {
		read, err := protocol.ReadMeta([]byte(`{"_meta":` + meta + `}`))
		if err == nil {
			_, err = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(`{"name":"t"}`), Meta: read})
		}
		if err != nil || got != want {
			t.Errorf("%.50s: %+v, %v", meta, got, err)
		}
	}
	set := mcp.TraceContext{Parent: "p"}
	if got := mcp.TraceFrom(mcp.WithTrace(t.Context(), set)); got != set || mcp.TraceFrom(t.Context()) != (mcp.TraceContext{}) {
		t.Errorf("a context's own: %+v", got)
	}
}

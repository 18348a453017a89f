package transport_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// writer is an output that nothing reads.
type writer struct{ io.Writer }

func (writer) Close() error { return nil }

// Endpoints without a server, a context or a stream return an error.
func TestServe_NilArguments(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	var noContext context.Context
	var noServer *mcp.Server
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"Serve without a server":          {transport.Serve(t.Context(), nil, transport.Stdio{}), "the server is nil"},
		"Serve with a nil server":         {transport.Serve(t.Context(), noServer, transport.Stdio{}), "the server is nil"},
		"Serve without a context":         {transport.Serve(noContext, srv, transport.Stdio{}), "the context is nil"},
		"Serve with a nil endpoint":       {transport.Serve(t.Context(), srv, nil), "an endpoint is nil"},
		"ServeStdio without a server":     {transport.ServeStdio(t.Context(), nil, nil), "the server is nil"},
		"ServeIO without a server":        {transport.ServeIO(t.Context(), nil, strings.NewReader(""), writer{io.Discard}, nil), "the server is nil"},
		"ServeIO without a reader":        {transport.ServeIO(t.Context(), srv, nil, writer{io.Discard}, nil), "the reader or the writer is nil"},
		"ServeListener without a server":  {transport.ServeListener(t.Context(), nil, listener, nil), "the server is nil"},
		"ServeListener without listener":  {transport.ServeListener(t.Context(), srv, nil, nil), "the listener is nil"},
		"Listen.Serve without a server":   {transport.Listen{Listener: listener}.Serve(t.Context(), nil), "the server is nil"},
		"HTTP.Serve without a server":     {transport.HTTP{Address: "127.0.0.1:0"}.Serve(t.Context(), nil), "the server is nil"},
		"InMemory.Connect without server": {second(transport.InMemory{}.Connect(t.Context(), &protocol.Host{})), "the server is nil"},
	} {
		if tc.err == nil || !strings.Contains(tc.err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, tc.err, tc.want)
		}
	}
}

func second(_ protocol.Conn, err error) error { return err }

// An HTTP handler without a server answers with an error.
func TestHandler_NilServer(t *testing.T) {
	handler := httpserver.NewHandler(nil, nil)
	defer func() { _ = handler.Shutdown(context.Background()) }()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`
	req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"} {
		req.Header.Set(name, value)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, req)
	if got := answer.Body.String(); !strings.Contains(got, "The server is misconfigured: it is nil") {
		t.Errorf("status %d: %s", answer.Code, got)
	}
}

package httpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// site is a handler on a network in memory, in a bubble where time is the
// test's.
type site struct {
	*testing.T
	*fixture // behind the handler, unless there is something else
	h        *httpserver.Handler
	network  *pipes
	client   *http.Client
}

// inBubble runs a test with a Handler of its own in a synctest bubble. d makes
// the Dispatcher in the bubble; nil selects a fixture.
func inBubble(t *testing.T, opts *httpserver.Options, d func() protocol.Dispatcher, f func(s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &site{T: t, fixture: newFixture(t)}
		served := protocol.Dispatcher(s.fixture)
		if d != nil {
			served = d()
		}
		if opts == nil {
			opts = &httpserver.Options{}
		}
		if opts.Log == nil {
			opts.Log = noLog
		}
		h := httpserver.NewHandler(served, opts)
		s.h, s.network = h, serveOnPipes(h)
		s.client = s.network.newClient()
		f(s)
		s.client.CloseIdleConnections()
		if err := h.Shutdown(context.Background()); err != nil {
			t.Errorf("shutting down: %v", err)
		}
		s.network.close()
	})
}

// newClient returns a client that connects to the server under any host name.
func (p *pipes) newClient() *http.Client {
	dial := func(context.Context, string, string) (net.Conn, error) { return p.dial() }
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}}
}

// send sends one HTTP request. The header comes in pairs.
func (s *site) send(ctx context.Context, method, body string, header ...string) *http.Response {
	s.Helper()
	resp, err := s.try(ctx, method, body, header...)
	if err != nil {
		s.Fatalf("%s %s: %v", method, body, err)
	}
	return resp
}

func (s *site) try(ctx context.Context, method, body string, header ...string) (*http.Response, error) {
	return s.tryAt(ctx, "http://localhost/", method, body, header...)
}

// postTo posts a message to an address.
func (s *site) postTo(address, body string) (int, string) {
	s.Helper()
	resp, err := s.tryAt(s.Context(), address, http.MethodPost, body)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer)
}

func (s *site) tryAt(ctx context.Context, address, method, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return s.client.Do(r)
}

// post sends a message and returns the status and the whole body of the answer.
func (s *site) post(body string, header ...string) (int, string) {
	s.Helper()
	return s.roundTrip(http.MethodPost, body, header...)
}

func (s *site) roundTrip(method, body string, header ...string) (int, string) {
	s.Helper()
	resp := s.send(s.Context(), method, body, header...)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatalf("%s %s: %v", method, body, err)
	}
	return resp.StatusCode, string(answer)
}

// open opens a session and returns its id.
func (s *site) open(rev protocol.Revision) string {
	s.Helper()
	resp := s.send(s.Context(), http.MethodPost, initializeBody(rev))
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.Fatalf("initialize: status %d", resp.StatusCode)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Header.Get("Mcp-Session-Id")
}

func initializeBody(rev protocol.Revision) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`, rev)
}

// callBody is a call of a tool in a session.
func callBody(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":%s}}}`, id, tool, arguments, id)
}

// modernBody is a call of a tool in revision 2026-07-28; modernHeader are the
// headers that belong to it.
func modernBody(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, arguments, metaMember)
}

func modernHeader(tool string) []string {
	return []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}
}

// awaitEvent reads the events of a stream until one has data with a part of it, and
// returns the id and data of that one.
func awaitEvent(t *testing.T, r *bufio.Reader, part string) (id, data string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("no event with %q came: %v", part, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "id: "); ok {
			id = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(rest, part) {
			return id, rest
		}
	}
}

// errorCode is the code of a JSON-RPC error, 0 when it is none.
func errorCode(t *testing.T, message string) int {
	t.Helper()
	var m struct{ Error struct{ Code int } }
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatalf("%q is no message: %v", message, err)
	}
	return m.Error.Code
}

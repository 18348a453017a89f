package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// card is a token that must not appear in output or files.
const card = "open-sesame-0123456789-abcdef"

// open are settings that enable all transports.
const open = `server: {port: 0}
transport: {stdio: true, websocket: true, tcp: true, http: true}
`

// ways are the network transports, with the URL scheme of each.
var ways = []struct{ name, scheme string }{{"HTTP", "http"}, {"WebSocket", "ws"}, {"TCP", "tcp"}}

// at returns the address of a transport as soon as the server has logged it.
func (l *librarian) at(scheme string) string {
	l.t.Helper()
	line := l.stderr.until(l.t, "the address of "+scheme, func(line string) bool { return strings.HasPrefix(line, "cqm serves "+scheme+"://") })
	return strings.TrimPrefix(line, "cqm serves ")
}

// over returns a transport to the server. An empty token sends none.
func (l *librarian) over(scheme, token string) protocol.Transport {
	l.t.Helper()
	url := l.at(scheme)
	switch scheme {
	case "http":
		c := &httpclient.Client{URL: url}
		if token != "" {
			c.Token = func(context.Context, *httpclient.StatusError) (string, error) { return token, nil }
		}
		return c
	case "ws":
		c := websocket.Client{URL: url}
		if token != "" {
			c.Token = func(context.Context) (string, error) { return token, nil }
		}
		return c
	}
	return transport.Dial{Network: "tcp", Address: strings.TrimPrefix(url, "tcp://"), Token: token}
}

// testNetwork uses one server over all transports concurrently, with a token.
func testNetwork(s *study) {
	s.settle(open + "security: {authentication: {enabled: true, tokenSecret: \"${LIBRARY_CARD}\"}}\n")
	l := s.listens("LIBRARY_CARD=" + card)
	l.finds("GreetVisitor", "src/greet.go")
	l.ready()
	for _, way := range ways {
		for _, revision := range []protocol.Revision{"", "2025-11-25", "2024-11-05"} {
			if revision == "2024-11-05" && way.scheme == "http" {
				continue // that revision used HTTP+SSE
			}
			c, err := meet(s.t, l.over(way.scheme, card), "visual studio code", revision)
			if err != nil {
				s.t.Fatalf("%s %s: %v", way.name, revision, err)
			}
			if got := consult[string](s.t, c, "searchDocuments", search.DocumentsArgs{Query: "holidays"}); !strings.HasPrefix(got, "docs/opening.md:1-") {
				s.t.Errorf("%s %s finds %q", way.name, revision, got)
			}
			apptest.Must(s.t, c.Close())
		}
		for _, token := range []string{"", "wrong-" + card, card[:len(card)-1]} {
			if c, err := meet(s.t, l.over(way.scheme, token), "cursor", ""); err == nil || !strings.Contains(strings.ToLower(err.Error()), "unauthorized") && !strings.Contains(err.Error(), "401") {
				s.t.Errorf("%s with the token %q: %v, %v", way.name, token, c, err)
			}
		}
	}
	for _, path := range []string{"/metrics", "/healthz", "/", "/debug/pprof/"} {
		if code, body := fetch(s.t, strings.Replace(l.at("http"), "/mcp", path, 1), ""); code == http.StatusOK && path != "/healthz" {
			s.t.Errorf("%s answers everybody: %d %.300s", path, code, body)
		}
	}
	if told := l.end(); strings.Contains(told, card) {
		s.t.Errorf("the token is told:\n%s", tail(told))
	}
}

// fetch gets a page over HTTP.
func fetch(t *testing.T, url, token string) (code int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	apptest.Must(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(req)
	apptest.Must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	apptest.Must(t, err)
	return response.StatusCode, string(text)
}

// methods are the requests of the protocol, with valid parameters.
var methods = map[string]string{
	"server/discover": "", "tools/list": "", "resources/list": "", "resources/templates/list": "", "prompts/list": "",
	"tools/call": `"name":"get_index_status","arguments":{},`, "resources/read": `"uri":"cqm://status",`,
	"prompts/get": `"name":"review_change","arguments":{},`, "no/such": "", "subscriptions/listen": `"notifications":{"toolsListChanged":true},`,
	"completion/complete": `"ref":{"type":"ref/prompt","name":"explain_module"},"argument":{"name":"path","value":""},`,
}

// testUnknownOnStdio sends all requests as a client that is not allowed, on standard input, with and without a session.
func testUnknownOnStdio(s *study) {
	cmd := s.command(nil, "mcp-server", "--stdio")
	p := launchCommand(s.t, cmd)
	raw := attend(s.t, cmd, p.stdin, follow("standard output", p.stdout), follow("standard error", p.stderr))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"evil","version":"1"}}`
	id := 0
	ask := func(method, params string, secret bool) {
		s.t.Helper()
		id++
		raw.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, params))
		m := raw.answer(id)
		if m.Error == nil || secret && !strings.Contains(m.Error.Message, "CLIENT_NOT_ALLOWED") {
			s.t.Errorf("%s is answered %+v, %s", method, m.Error, m.Result)
		}
	}
	for method, params := range methods {
		ask(method, params+meta, true)
	}
	ask("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"evil","version":"1"}`, true)
	raw.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for method, params := range methods {
		ask(method, strings.TrimSuffix(params, ","), false)
	}
	raw.stdin.Close()
	raw.ends()
}

// testAllowedClients sends all requests as a client that is not allowed, over every transport.
func testAllowedClients(s *study) {
	s.settle(open + "connection: {maxConnections: 50}\nsecurity: {allowedClients: [cursor, claude-desktop]}\n")
	testUnknownOnStdio(s)
	l := s.listens()
	l.ready()
	for _, way := range ways {
		for _, client := range []string{"somebody", "", "cursr", "*", "claude"} {
			if c, err := meet(s.t, l.over(way.scheme, ""), client, ""); err == nil || !strings.Contains(err.Error(), "CLIENT_NOT_ALLOWED") {
				s.t.Errorf("%s: %q gets in: %v, %v", way.name, client, c, err)
			}
			if c, err := meet(s.t, l.over(way.scheme, ""), client, "2025-11-25"); err == nil || !strings.Contains(err.Error(), "CLIENT_NOT_ALLOWED") {
				s.t.Errorf("%s: %q gets in with a session: %v, %v", way.name, client, c, err)
			}
		}
		for _, client := range []string{"Cursor", "cursor-vscode", "claude-ai", "Claude Desktop"} {
			c, err := meet(s.t, l.over(way.scheme, ""), client, "")
			if err != nil {
				s.t.Errorf("%s: %q is not let in: %v", way.name, client, err)
				continue
			}
			consult[search.IndexStatus](s.t, c, "get_index_status", nil)
		}
	}
	if told := l.end(); !strings.Contains(told, "CLIENT_NOT_ALLOWED") {
		s.t.Errorf("the log does not tell who was refused:\n%s", tail(told))
	}
}

// refusedWith checks that an error is a protocol error with a code and some words.
func refusedWith(t *testing.T, err error, code int64, words string) {
	t.Helper()
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != code || !strings.Contains(err.Error(), words) {
		t.Errorf("refused with %v; want %d and %q", err, code, words)
	}
}

// testConnections opens one connection more than the limit.
func testConnections(s *study) {
	s.settle(open + "connection: {maxConnections: 3}\n")
	l := s.listens() // the first connection
	l.ready()
	second, err := meet(s.t, l.over("ws", ""), "one", "2025-11-25")
	apptest.Must(s.t, err)
	third, err := meet(s.t, l.over("tcp", ""), "two", "2025-11-25")
	apptest.Must(s.t, err)
	for _, revision := range []protocol.Revision{"2025-11-25", ""} {
		for _, way := range ways {
			_, err := meet(s.t, l.over(way.scheme, ""), "three", revision)
			refusedWith(s.t, err, -32003, "CONNECTION_LIMIT")
		}
	}
	consult[search.IndexStatus](s.t, second, "get_index_status", nil)
	apptest.Must(s.t, third.Close())
	eventually(s.t, "a place", func() bool {
		c, err := meet(s.t, l.over("ws", ""), "three", "2025-11-25")
		return err == nil && c.Close() == nil
	})
	l.end()
}

// testRate exceeds the rate limit of one transport, and of all transports together. Requests that take over a minute are repeated.
func testRate(s *study) {
	const most = 60
	s.settle(open + fmt.Sprintf("security: {rateLimiting: {maxRequestsPerMinute: %d}, authentication: {enabled: true, tokenSecret: %s}}\nconnection: {maxConnections: 50}\n", most, card))
	l := s.listens("CQM_SECURITY_RATE_LIMITING_ENABLED=true")
	// Standard input has a limit of its own, of which connecting has used a part.
	served := 0
	var failure *mcp.ToolFailure
	for ; served <= most; served++ {
		_, err := mcp.Call[string](s.t.Context(), l.client, "get_index_status", nil)
		if errors.As(err, &failure) {
			break
		}
		apptest.Must(s.t, err)
	}
	if failure == nil || served != most-1 || !strings.Contains(failure.Error(), "RATE_LIMITED") {
		s.t.Errorf("after connecting, %d of %d requests are served: %v", served, most, failure)
	}
	// The limit of a principal applies to all of its connections.
	var clients []*mcp.Client
	for _, way := range ways {
		c, err := meet(s.t, l.over(way.scheme, card), "cursor", "")
		apptest.Must(s.t, err)
		clients = append(clients, c)
	}
	served, failure = len(clients), nil
	for i := 0; served <= most && failure == nil; i++ {
		_, err := mcp.Call[string](s.t.Context(), clients[i%len(clients)], "get_index_status", nil)
		if !errors.As(err, &failure) {
			apptest.Must(s.t, err)
			served++
		}
	}
	if failure == nil || served != most || !strings.Contains(failure.Error(), "RATE_LIMITED") || !strings.Contains(failure.Error(), "wait") {
		s.t.Errorf("%d of %d requests are served: %v", served, most, failure)
	}
	for _, c := range clients {
		denied(s.t, c, "searchDocuments", search.DocumentsArgs{Query: "x"}, "RATE_LIMITED")
	}
	l.end()
}

package access_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
)

func TestMain(m *testing.M) { testleak.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

func tool(name string, permissions ...string) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return "done", nil }).
		With(mcp.ToolOptions{Permissions: permissions})
}

// server has the tools search and createIssue, the latter by another name too,
// behind a Control.
func server(t testing.TB, control *access.Control, tools ...mcp.ServerTool) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Authorize: control.Authorize, Log: quiet})
	create := tool("createIssue", "issues:write")
	tools = append(tools, tool("search"), create, create.Named("create_issue").With(mcp.ToolOptions{Unlisted: true}))
	if err := srv.Replace("test", mcp.Features{Tools: tools, ReserveResources: true}); err != nil {
		t.Fatal(err)
	}
	srv.Use(control.Middleware())
	return srv
}

// guarded is a Control that logs nothing, and a server behind it.
func guarded(t testing.TB, o access.Options) (*access.Control, *mcp.Server) {
	t.Helper()
	if o.Log == nil {
		o.Log = quiet
	}
	control := access.New(o)
	return control, server(t, control)
}

// client is a client of a test server.
type client struct {
	name, agent, principal string
	transport              string                // default "http"
	address                string                // default 192.0.2.1:1
	session                *protocol.SessionMeta // of a revision before 2026-07-28
	token                  []string              // permissions of its token, or nil
}

// older is a client with a session.
func older(name string) client {
	return client{name: name, session: &protocol.SessionMeta{Client: mcp.Implementation{Name: name, Version: "1"}}}
}

func (c client) request(t testing.TB, method, params string) (context.Context, *protocol.Request) {
	t.Helper()
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	if c.name != "" {
		info, err := json.Marshal(mcp.Implementation{Name: c.name, Version: "1"})
		if err != nil {
			t.Fatal(err)
		}
		meta += `,"io.modelcontextprotocol/clientInfo":` + string(info)
	}
	raw := json.RawMessage(strings.TrimSuffix(params, "}") + `,"_meta":` + meta + `}}`)
	if params == `{}` {
		raw = json.RawMessage(`{"_meta":` + meta + `}}`)
	}
	read, err := protocol.ReadMeta(raw)
	if err != nil {
		t.Fatal(err)
	}
	if c.session != nil {
		read = read.WithSession(c.session)
	}
	from := protocol.Peer{Principal: c.principal, Transport: c.transport, Address: c.address, Headers: http.Header{}}
	if c.transport == "" {
		from.Transport = "http"
	}
	if c.address == "" {
		from.Address = "192.0.2.1:1"
	}
	if c.agent != "" {
		from.Headers.Set("User-Agent", c.agent)
	}
	ctx := t.Context()
	if c.token != nil {
		ctx = protocol.WithPermissions(ctx, c.token)
	}
	return ctx, &protocol.Request{ID: "1", Method: method, Params: raw, Meta: read, Peer: from}
}

// ask returns the code of the refusal that the client gets, empty if it is served.
// A response without a refusal fails the test.
func (c client) ask(t testing.TB, d protocol.Dispatcher, method, params string) (code string, refused newRefusal) {
	t.Helper()
	ctx, req := c.request(t, method, params)
	result, err := d.Dispatch(ctx, req)
	var failure *protocol.Error
	var parts any
	switch {
	case errors.As(err, &failure) && failure.Data == nil, errors.As(err, &failure) && failure.Code == protocol.CodeInvalidParams: // served, and found wrong
		return "", newRefusal{}
	case errors.As(err, &failure):
		if err := json.Unmarshal(failure.Data, &refused); err != nil {
			t.Fatalf("%s: %v, with the data %q", method, failure, failure.Data)
		}
		refused.rpc = failure.Code
		return refused.Code, refused
	case err != nil:
		t.Fatalf("%s: %v", method, err)
	}
	answer, ok := result.(*mcp.ToolResult)
	if !ok || !answer.IsError {
		return "", newRefusal{}
	}
	parts = answer.Meta[protocol.ErrorMeta]
	raw, err := json.Marshal(parts)
	if err != nil || json.Unmarshal(raw, &refused) != nil {
		t.Fatalf("%s: %v, %v", method, parts, err)
	}
	if refused.Code == "" {
		t.Fatalf("%s: %s", method, answer.Blocks()[0].(mcp.TextContent).Text)
	}
	return refused.Code, refused
}

// call calls a tool.
func (c client) call(t testing.TB, d protocol.Dispatcher, name string) (code string, refused newRefusal) {
	t.Helper()
	return c.ask(t, d, "tools/call", `{"name":"`+name+`"}`)
}

// refusal is the error that a client receives.
type newRefusal struct {
	Code              string   `json:"code"`
	Message           string   `json:"message"`
	NextStep          string   `json:"nextStep"`
	RetryAfterSeconds int      `json:"retryAfterSeconds"`
	Limit             string   `json:"limit"`
	Permissions       []string `json:"permissions"`
	Remaining         struct {
		Minute int `json:"minute"`
		Hour   int `json:"hour"`
	} `json:"remaining"`

	rpc int64 // of a protocol error
}

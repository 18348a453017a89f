package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// asIn sends a request in a revision, without a client, and returns the encoded response.
func asIn(t *testing.T, g *gateway.Gateway, rev protocol.Revision, method, params string) (string, error) {
	t.Helper()
	meta := protocol.RequestMeta{Revision: rev}
	if !rev.Modern() {
		meta = meta.WithSession(new(protocol.SessionMeta))
	}
	result, err := g.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Meta: meta})
	if err != nil {
		return "", err
	}
	wire, err := result.AppendJSON(nil, rev)
	if err != nil {
		t.Fatal(err)
	}
	return string(wire), nil
}

// Members that the receiver's revision does not support are removed or converted, required members
// are added, and the rest is unchanged.
func TestResult_Revisions(t *testing.T) {
	modern := func(result string) protocol.Transport {
		return scripted(t, func(say func(string, ...any), m message, _ func()) {
			switch m.Method {
			case "server/discover":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}},"ttlMs":0,"cacheScope":"private"}}`, m.ID)
			case "tools/list":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[%s]}}`, m.ID, goodTool)
			case "tools/call", "resources/read":
				say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			default:
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
			}
		})
	}
	older := func(result string) protocol.Transport {
		return scripted(t, answering(goodTool, func(say func(string, ...any), m message, _ func()) bool {
			switch {
			case m.Method == "initialize":
				say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"o","version":"1"}}}`, m.ID)
			case (m.Method == "tools/call" || m.Method == "resources/read") && strings.HasPrefix(result, "error "):
				say(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, strings.TrimPrefix(result, "error "))
			case m.Method == "tools/call" || m.Method == "resources/read":
				say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			default:
				return false
			}
			return true
		}))
	}
	const text = `"content":[{"type":"text","text":"a \u003c b"}]`
	for name, tc := range map[string]struct {
		from   protocol.Transport
		to     protocol.Revision
		method string
		want   string // expected result; "error …" is an error text
	}{
		"the same era":                  {modern(`{"resultType":"complete",` + text + `,"more":[1.50]}`), protocol.Latest, "tools/call", `{"resultType":"complete",` + text + `,"more":[1.50]}`},
		"an older client":               {modern(`{"resultType":"complete",` + text + `,"more":[1.50]}`), protocol.Rev20251125, "tools/call", `{` + text + `,"more":[1.50]}`},
		"an older client, a resource":   {modern(`{"contents":[],"resultType":"complete","ttlMs":5,"cacheScope":"public"}`), protocol.Rev20250618, "resources/read", `{"contents":[]}`},
		"structure that is no object":   {modern(`{"resultType":"complete",` + text + `,"structuredContent":[1]}`), protocol.Rev20251125, "tools/call", `{"content":[{"type":"text","text":"a < b"}]}`},
		"structure that is one":         {modern(`{"resultType":"complete",` + text + `,"structuredContent": {"a":1}}`), protocol.Rev20251125, "tools/call", `{` + text + `,"structuredContent":{"a":1}}`},
		"structure for the oldest":      {older(`{` + text + `,"structuredContent":{"a":1}}`), protocol.Rev20241105, "tools/call", `{"content":[{"type":"text","text":"a < b"}]}`},
		"a newer client":                {older(`{` + text + `}`), protocol.Latest, "tools/call", `{"resultType":"complete",` + text + `}`},
		"a newer client, a resource":    {older(`{"contents":[]}`), protocol.Latest, "resources/read", `{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}`},
		"a newer client, nothing":       {older(`{ }`), protocol.Latest, "tools/call", `{"resultType":"complete" }`},
		"a type that is not its to say": {older(`{"resultType":"input_required",` + text + `,"cacheScope":"public"}`), protocol.Latest, "tools/call", `{"resultType":"complete",` + text + `}`},
		"not found":                     {older(`error {"code":-32002,"message":"no"}`), protocol.Latest, "resources/read", `error Resource not found`},
		"between the two of them":       {older(`error {"code":-32020,"message":"headers"}`), protocol.Latest, "tools/call", `error refuses the request: headers`},
		"an error":                      {older(`error {"code":-32050,"message":"mine"}`), protocol.Latest, "tools/call", `error mine`},
		"what is no result":             {modern(`5`), protocol.Rev20251125, "tools/call", `SERVER_UNAVAILABLE`},
		"an unknown type":               {modern(`{"resultType":"odd"}`), protocol.Rev20251125, "tools/call", `SERVER_UNAVAILABLE`},
		"a question out of place":       {modern(`{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"roots/list"}}}`), protocol.Rev20251125, "tools/call", `SERVER_UNAVAILABLE`},
		"a question for nobody":         {modern(`{"resultType":"input_required"}`), protocol.Rev20251125, "tools/call", `SERVER_UNAVAILABLE`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: gateway.Always(tc.from)})
			g.Start(t.Context())
			got, err := asIn(t, g, tc.to, tc.method, `{"name":"up_good","uri":"x://y"}`)
			if err != nil {
				got = "error " + err.Error()
			}
			exact := strings.HasPrefix(tc.want, "{")
			if exact && got != tc.want || !exact && (!strings.Contains(got, strings.TrimPrefix(tc.want, "error ")) || strings.HasPrefix(tc.want, "error ") != (err != nil)) {
				t.Errorf("it answers %s\nwant       %s", got, tc.want)
			}
		})
	}
}

// A missing answer of the user ends the call, not the gateway.
func TestQuestion_Unanswered(t *testing.T) {
	combinations(t, func(t *testing.T, rev protocol.Revision, u gateway.Upstream, _ *mcp.Server) {
		c := connect(t, newGateway(t, gateway.Options{}, u), rev, mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{}, errors.New("the user has gone home")
		}})
		result, err := c.CallTool(t.Context(), "up_deploy", deployArgs{"prod"}, nil)
		if err == nil && !result.IsError {
			t.Errorf("it answers %v", result.Blocks())
		}
		if got := call(t, c, "up_echo", echoArgs{"x"}); got != "up says x" {
			t.Errorf("then it says %q", got)
		}
	})
}

// An upstream without change notifications is read again at the next list. A silent upstream is
// connected again. A read with a broken connection is sent again.
func TestUpstream_Silent(t *testing.T) {
	var lists, pings, reads, opened atomic.Int32
	script := func(say func(string, ...any), m message, hangUp func()) {
		switch m.Method {
		case "initialize":
			opened.Add(1)
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)
		case "tools/list":
			name := "first"
			if lists.Add(1) > 1 {
				name = "later"
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q,"inputSchema":{}}]}}`, m.ID, name)
		case "ping":
			pings.Add(1)
		case "resources/read":
			if reads.Add(1) == 1 {
				hangUp()
				return
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":"x://y","text":"z"}]}}`, m.ID)
		default:
			if m.ID != nil {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
			}
		}
	}
	g := newGateway(t, gateway.Options{RefreshAfter: time.Nanosecond, PingEvery: 100 * time.Millisecond},
		gateway.Upstream{Name: "up", Connect: gateway.Always(scripted(t, script))})
	var told heard
	c := connect(t, g, protocol.Latest, mcp.ClientOptions{OnListChanged: func(list string) { told.add(list) }})
	waittest.Until(t, "the later list is seen", func() bool { return slices.Contains(toolNames(t, c), "up_later") })
	waittest.Until(t, "it is connected anew", func() bool { return opened.Load() > 1 && pings.Load() > 0 })
	waittest.Until(t, "it is read", func() bool {
		got, err := c.ReadResource(t.Context(), "x://y", nil)
		return err == nil && got.Contents[0].Text == "z"
	})
	if !told.has("tools") {
		t.Error("the change was not told")
	}
}

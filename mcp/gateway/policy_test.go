package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// A refused tool is neither listed nor callable; an excluded tool does not exist for any client.
func TestPolicy_FilterAndPatterns(t *testing.T) {
	combinations(t, func(t *testing.T, rev protocol.Revision, u gateway.Upstream, _ *mcp.Server) {
		u.Allow, u.Deny = []string{"echo", "c*", "wait"}, []string{"w*"}
		u.Describe = map[string]string{"echo": "Says it once more."}
		g := newGateway(t, gateway.Options{Filter: func(_ context.Context, req *protocol.Request, upstream string, tool mcp.Tool) error {
			switch {
			case upstream != "up":
				t.Errorf("the upstream is %q", upstream)
			case tool.Name == "up_count" && req.Peer.Principal != "root":
				return &mcp.ToolError{Code: "PERMISSION_REQUIRED", Message: "only root counts"}
			}
			return nil
		}}, u)
		c := connect(t, g, rev, mcp.ClientOptions{})
		for tool, err := range c.Tools(t.Context()) {
			if err != nil || tool.Name != "up_echo" || tool.Description != "Says it once more." {
				t.Errorf("the tool %+v, %v", tool, err)
			}
		}
		_, err := mcp.Call[string](t.Context(), c, "up_count", nil)
		if failure := new(mcp.ToolFailure); !asFailure(err, &failure) || failure.ErrorCode() != "PERMISSION_REQUIRED" {
			t.Errorf("a call that is not allowed: %v", err)
		}
		for _, name := range []string{"up_wait", "up_deploy"} {
			if _, err := c.CallTool(t.Context(), name, nil, nil); err == nil || !strings.Contains(err.Error(), "Unknown tool") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if names := toolNames(t, connect(t, as(g, "root"), rev, mcp.ClientOptions{})); !slices.Equal(names, []string{"up_echo", "up_count"}) {
			t.Errorf("root sees %q", names)
		}
	})
}

// refusal is a protocol error with something that a transport makes use of.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// The error of a Filter reaches the transport unchanged.
func TestFilter_ErrorUnchanged(t *testing.T) {
	g := newGateway(t, gateway.Options{Filter: func(context.Context, *protocol.Request, string, mcp.Tool) error {
		return refusal{protocol.Errorf(protocol.CodeInvalidRequest, "another token is needed")}
	}}, gateway.Upstream{Name: "up", Connect: inMemory(newServer("up"), protocol.Latest)})
	g.Start(t.Context())
	_, err := g.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: json.RawMessage(`{"name":"up_echo"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if _, ok := errors.AsType[refusal](err); !ok {
		t.Errorf("the transport gets %T: %v", err, err)
	}
}

// A call that names two tools, in one of the ways that decoders differ in, is
// refused: the upstream might take the other one.
func TestCall_DuplicateName(t *testing.T) {
	g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: inMemory(newServer("up"), protocol.Latest), Deny: []string{"deploy"}})
	g.Start(t.Context())
	for params, want := range map[string]string{
		`{"name":"up_echo","name":"deploy","arguments":{"text":"x"}}`:      "more than once",
		`{"name":"up_echo","n\u0061me":"deploy","arguments":{"text":"x"}}`: "more than once",
		`{"name":"up_echo","NAME":"deploy","arguments":{"text":"x"}}`:      "more than once",
		`{"Name":"up_echo","arguments":{"text":"x"}}`:                      "more than once",
		`{"name":5}`:        "must be a string",
		`{"name":"up_echo"`: "Invalid params",
		`[]`:                "Invalid params",
		``:                  "Invalid params",
		`{"n\u0061me":"up_echo","arguments":{"text":"x"}}`:         "",
		`{ "arguments" : {"text":"x"} , "name" : "up_\u0065cho" }`: "",
	} {
		result, err := g.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: json.RawMessage(params), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v", params, result, err)
			}
			continue
		}
		wire, errWire := result.AppendJSON(nil, protocol.Latest)
		if err != nil || errWire != nil || !strings.Contains(string(wire), "up says x") {
			t.Errorf("%s: %s, %v, %v", params, wire, err, errWire)
		}
	}
}

func TestNew_InvalidUpstreams(t *testing.T) {
	srv := newServer("x")
	for want, upstreams := range map[string][]gateway.Upstream{
		"needs a name":          {{Server: srv}},
		"either Server or":      {{Name: "a"}},
		"two upstreams are":     {{Name: "a", Server: srv}, {Name: "a", Prefix: "b", Server: srv}},
		"the same prefix":       {{Name: "a", Server: srv}, {Name: "b", Prefix: "a", Server: srv}},
		"one alone may":         {{Name: "a", Bare: true, Server: srv}, {Name: "b", Bare: true, Server: srv}},
		"may have letters":      {{Name: "a b", Server: srv}},
		"serves all principals": {{Name: "a", Server: srv, PerPrincipal: true}},
		"the pattern \"[\"":     {{Name: "a", Server: srv, Deny: []string{"["}}},
	} {
		if _, err := gateway.New(gateway.Options{}, upstreams...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := gateway.New(gateway.Options{TaskKey: []byte("short")}); err == nil {
		t.Error("a short key was taken")
	}
}

// Each principal has its own connection by Connect.
func TestConnect_PerPrincipal(t *testing.T) {
	var asked heard
	g := newGateway(t, gateway.Options{MaxPrincipals: 2}, gateway.Upstream{Name: "all", Server: newServer("all")},
		gateway.Upstream{Name: "own", PerPrincipal: true, Version: "1", Connect: func(ctx context.Context, principal string) (protocol.Transport, error) {
			asked.add(principal)
			if principal == "" {
				return nil, errors.New("log in first")
			}
			return inMemory(newServer(principal), protocol.Latest)(ctx, "")
		}})
	for _, name := range []string{"alice", "bob"} {
		c := connect(t, as(g, name), protocol.Latest, mcp.ClientOptions{})
		for range 2 {
			if got := call(t, c, "own_echo", echoArgs{"x"}) + call(t, c, "all_echo", echoArgs{"y"}); got != name+" says xall says y" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	if len(asked.all) != 2 {
		t.Errorf("it was asked for %q", asked.all)
	}
	none := connect(t, g, protocol.Latest, mcp.ClientOptions{})
	if _, err := mcp.Call[string](t.Context(), none, "own_echo", echoArgs{"x"}); err == nil || !strings.Contains(err.Error(), "log in first") {
		t.Errorf("nobody in particular: %v", err)
	}
	if _, err := g.Dispatch(protocol.WithPrincipal(t.Context(), "eve"), &protocol.Request{ID: "1", Method: "tools/list", Peer: protocol.Peer{Principal: "eve"}}); err == nil || !strings.Contains(err.Error(), "Too many principals") {
		t.Errorf("one too many: %v", err)
	}
	if all := g.Status(); len(all) != 4 {
		t.Errorf("the status is %+v", all)
	}
	if err := g.Set(gateway.Upstream{Name: "all", Server: newServer("all")}); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "their connections are gone", func() bool { return len(g.Status()) == 1 })
}

// Set keeps the calls of unchanged upstreams and ends the others.
func TestGateway_Set(t *testing.T) {
	stays, goes := newServer("stays"), newServer("goes")
	one := gateway.Upstream{Name: "stays", Version: "1", Connect: inMemory(stays, protocol.Latest)}
	g := newGateway(t, gateway.Options{}, one, gateway.Upstream{Name: "goes", Version: "1", Connect: inMemory(goes, protocol.Latest)})
	var told heard
	c := connect(t, g, protocol.Latest, mcp.ClientOptions{OnListChanged: func(list string) { told.add(list) }})
	toolNames(t, c)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := c.CallTool(ctx, "stays_wait", nil, nil)
		ended <- err
	}()
	if err := g.Set(one, gateway.Upstream{Name: "new", Server: newServer("new")}); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the change is told", func() bool { return told.has("tools") })
	if got := call(t, c, "new_echo", echoArgs{"x"}); got != "new says x" {
		t.Errorf("the new one says %q", got)
	}
	if _, err := c.CallTool(t.Context(), "goes_echo", nil, nil); err == nil {
		t.Error("what is gone answers")
	}
	select {
	case err := <-ended:
		t.Errorf("the call ended with %v", err)
	default:
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
}

// The gateway divides lists into its own pages.
func TestList_Pages(t *testing.T) {
	g := newGateway(t, gateway.Options{PageSize: 3}, gateway.Upstream{Name: "a", Server: newServer("a")}, gateway.Upstream{Name: "b", Server: newServer("b")})
	for _, rev := range eras {
		if names := toolNames(t, connect(t, g, rev, mcp.ClientOptions{})); len(names) != 8 || names[7] != "b_wait" {
			t.Errorf("the tools are %q", names)
		}
	}
	c := connect(t, g, protocol.Latest, mcp.ClientOptions{})
	for _, cursor := range []string{"x", "dG9vbCBub25l"} {
		if _, err := c.Request(t.Context(), "tools/list", fmt.Appendf(nil, `{"cursor":%q}`, cursor), nil); err == nil || !strings.Contains(err.Error(), "list again from the start") {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
}

// A call that takes too long is given up, upstream too.
func TestUpstream_Timeout(t *testing.T) {
	for _, rev := range eras {
		g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Timeout: 50 * time.Millisecond, Connect: inMemory(newServer("up"), rev)})
		_, err := mcp.Call[string](t.Context(), connect(t, g, rev, mcp.ClientOptions{}), "up_wait", nil)
		if failure := new(mcp.ToolFailure); !asFailure(err, &failure) || failure.ErrorCode() != "TIMEOUT" || !strings.Contains(failure.Error(), "within 50ms") {
			t.Errorf("it ends with %v", err)
		}
	}
}

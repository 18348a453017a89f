package httpserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// own adds to the fixture a tool that gives its session the tool "owned".
func (f *fixture) own(t *testing.T) {
	t.Helper()
	owned := mcp.NewTool(mcp.Tool{Name: "owned"}, func(context.Context, none) (string, error) { return "mine", nil })
	err := mcp.AddTool(f.Server, mcp.Tool{Name: "own"}, func(ctx context.Context, _ none) (string, error) {
		return "given", mcp.SessionFrom(ctx).AddTools(owned)
	})
	if err != nil {
		t.Fatal(err)
	}
}

const listToolsBody = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`

// A tool of a session belongs to this session alone, whose stream reports it. Another Handler that
// shares the session does not have the tool.
func TestSession_OwnTools(t *testing.T) {
	inOlder(t, func(t *testing.T, rev protocol.Revision) {
		several(t, 2, httpserver.Options{}, func(t *testing.T, s *sites) {
			for _, at := range s.at {
				at.own(t)
			}
			ada, eve := s.at[0].open(rev), s.at[0].open(rev)
			adas := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", ada)
			eves := s.at[0].begin(http.MethodGet, "", "Mcp-Session-Id", eve)
			synctest.Wait()
			if _, answer := s.at[0].post(callBody("1", "own", `{}`), "Mcp-Session-Id", ada); !strings.Contains(answer, "given") {
				t.Fatal(answer)
			}
			awaitEvent(t, adas.Reader, toolsChanged)
			for _, tc := range []struct {
				at      int
				session string
				has     bool
			}{{0, ada, true}, {0, eve, false}, {1, ada, false}} {
				_, list := s.at[tc.at].post(listToolsBody, "Mcp-Session-Id", tc.session)
				_, call := s.at[tc.at].post(callBody("1", "owned", `{}`), "Mcp-Session-Id", tc.session)
				if strings.Contains(list, `"owned"`) != tc.has || strings.Contains(call, "mine") != tc.has {
					t.Errorf("%+v: listed %s, called %s", tc, list, call)
				}
			}
			if status, _ := s.at[0].roundTrip(http.MethodDelete, "", "Mcp-Session-Id", eve); status != http.StatusNoContent {
				t.Errorf("DELETE: %d", status)
			}
			if rest := eves.broken(); strings.Contains(rest, toolsChanged) {
				t.Errorf("the other session receives %s", rest)
			}
		})
	})
}

// SenderTools gives a principal its tools wherever a request of its session arrives, and without one.
func TestHandler_SenderTools(t *testing.T) {
	deploy := mcp.NewTool(mcp.Tool{Name: "deploy"}, func(context.Context, none) (string, error) { return "deployed", nil })
	server := func() protocol.Dispatcher {
		return mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Log: noLog, SenderTools: func(ctx context.Context, req *protocol.Request) ([]mcp.ServerTool, error) {
			if req.Peer.Principal != "ada" {
				return nil, nil
			}
			return []mcp.ServerTool{deploy}, nil
		}})
	}
	for _, rev := range protocol.Revisions() {
		if rev == protocol.Rev20241105 {
			continue // its transport is one connection
		}
		bubble(t, string(rev), func(t *testing.T) {
			h := httpserver.NewHandler(server(), &httpserver.Options{Log: noLog})
			network := serve(t, h)
			for principal, want := range map[string]string{"ada": "deployed", "eve": ""} {
				carrier := &httpclient.Client{URL: network.URL, HTTPClient: network.HTTPClient, Options: network.Options, Header: http.Header{"X-Principal": {principal}}}
				client := open(t, carrier, &mcp.ClientOptions{Revision: rev})
				text, err := mcp.Call[string](t.Context(), client, "deploy", nil)
				var names []string
				for tool, err := range client.Tools(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, tool.Name)
				}
				if text != want || (err == nil) != (want != "") || len(names) != len(want)/len("deployed") {
					t.Errorf("%s: %q, %v; listed %v", principal, text, err, names)
				}
			}
			t.Cleanup(func() { _ = h.Shutdown(context.Background()) })
		})
	}
}

package apps_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Both sides must have turned the extension on, in every revision that has somewhere to say so.
func TestSupported(t *testing.T) {
	tool := must[mcp.ServerTool](t)(apps.ForTool(answer("t"), "ui://s/t"))
	page := must[mcp.ServerResource](t)(apps.Resource("ui://s/t", "<!doctype html>", apps.Options{}))
	features := mcp.Features{Tools: []mcp.ServerTool{tool}, Resources: []mcp.ServerResource{page}}
	off := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := off.Replace("test", features); err != nil {
		t.Fatal(err)
	}
	var declared mcp.ClientOptions
	apps.Declare(&declared)
	saying := func(settings string) mcp.ClientOptions {
		return mcp.ClientOptions{Extensions: map[string]json.RawMessage{apps.ID: json.RawMessage(settings)}}
	}
	for name, tc := range map[string]struct {
		server *mcp.Server
		client mcp.ClientOptions
		want   string
	}{
		"both":                 {serve(t, features), declared, "here, with a page"},
		"the client":           {off, declared, "here"},
		"the server":           {serve(t, features), mcp.ClientOptions{}, "here"},
		"no pages":             {serve(t, features), saying(`{}`), "here"},
		"other pages":          {serve(t, features), saying(`{"mimeTypes":["text/html","text/html;profile=other"]}`), "here"},
		"what is none":         {serve(t, features), saying(`{"mimeTypes":"text/html;profile=mcp-app"}`), "here"},
		"written in other way": {serve(t, features), saying(`{"mimeTypes":["image/png","text/html; profile=\"mcp-app\""],"more":1}`), "here, with a page"},
	} {
		for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Rev20251125, protocol.Rev20260728} {
			tc.client.Revision = rev
			client := connect(t, tc.server, tc.client)
			if got, err := mcp.Call[string](t.Context(), client, "t", nil); err != nil || got != tc.want {
				t.Errorf("%s, %s: %q, %v; want %q", name, rev, got, err, tc.want)
			}
			// The list is the same for everybody.
			for listed, err := range client.Tools(t.Context()) {
				if uri, ok := apps.URI(listed); err != nil || !ok || uri != "ui://s/t" {
					t.Errorf("%s, %s: the tool shows %q, %v", name, rev, uri, err)
				}
			}
		}
	}
	if apps.Supported(t.Context()) {
		t.Error("nobody calls, and sees pages")
	}
}

// Other extensions are preserved, and options that share a map do not affect each other.
func TestDeclare(t *testing.T) {
	shared := map[string]json.RawMessage{"com.example/x": json.RawMessage(`{}`)}
	client, server := mcp.ClientOptions{Extensions: shared}, mcp.ServerOptions{Extensions: shared}
	apps.Declare(&client)
	apps.Offer(&server)
	if len(shared) != 1 || len(client.Extensions) != 2 || len(server.Extensions) != 2 {
		t.Errorf("%v, %v, %v", shared, client.Extensions, server.Extensions)
	}
	if got := string(client.Extensions[apps.ID]); got != `{"mimeTypes":["text/html;profile=mcp-app"]}` {
		t.Errorf("a client declares %s", got)
	}
	if got := string(server.Extensions[apps.ID]); got != `{}` {
		t.Errorf("a server offers %s", got)
	}
}

// A page that is wrong is refused where it is made.
func TestResource_Invalid(t *testing.T) {
	for name, tc := range map[string]struct {
		uri, html string
		options   apps.Options
		want      string
	}{
		"no uri":       {"", "x", apps.Options{}, "an example is"},
		"a file":       {"file:///x.html", "x", apps.Options{}, "an example is"},
		"only a start": {"ui://", "x", apps.Options{}, "an example is"},
		"a space":      {"ui://a b", "x", apps.Options{}, "percent-encoded"},
		"nothing":      {"ui://a", " \n", apps.Options{}, "it is empty"},
		"no text":      {"ui://a", "\xff", apps.Options{}, "not UTF-8"},
		"too much":     {"ui://a", strings.Repeat("x", 10_000_001), apps.Options{}, "at most 10000000"},
		"everything":   {"ui://a", "x", apps.Options{CSP: apps.CSP{Connect: []string{"https://api.example.com", "*"}}}, `connectDomains: "*" is no origin`},
		"a directive":  {"ui://a", "x", apps.Options{CSP: apps.CSP{Resource: []string{"https://a.example; script-src *"}}}, "does not name a host"},
	} {
		if _, err := apps.Resource(tc.uri, tc.html, tc.options); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", name, err, tc.want)
		}
	}
}

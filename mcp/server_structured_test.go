package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// listing is a result with a text of its own.
type listing struct {
	Names []string `json:"names"`
}

func (l listing) TextContent() string { return strings.Join(l.Names, " ") }

// structuredTools returns tools with each form of result.
func structuredTools() []mcp.ServerTool {
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "text"}, func(context.Context, struct{}) (listing, error) { return listing{[]string{"a", "b"}}, nil }),
		mcp.NewTool(mcp.Tool{Name: "copy"}, func(context.Context, struct{}) (map[string]int, error) { return map[string]int{"n": 2}, nil }),
		mcp.NewTool(mcp.Tool{Name: "bare"}, func(context.Context, struct{}) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: json.RawMessage(`{"n":1}`)}, nil
		}),
		mcp.NewTool(mcp.Tool{Name: "blocks"}, func(context.Context, struct{}) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{
				Content:    []mcp.Content{mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"}, mcp.ResourceLink{URI: "a:b", Name: "b"}},
				Structured: json.RawMessage(`{"n":1}`),
			}, nil
		}),
		mcp.NewTool(mcp.Tool{Name: "fails"}, func(context.Context, struct{}) (string, error) {
			return "", &mcp.ToolError{Code: "NOT_FOUND", Message: "no such file", Next: "list the directory"}
		}),
		mcp.NewTool(mcp.Tool{Name: "page", Meta: mcp.Meta{"ui": map[string]any{"resourceUri": "ui://a/b"}}}, func(context.Context, struct{}) (listing, error) { return listing{[]string{"c"}}, nil }),
		mcp.NewTool(mcp.Tool{Name: "for-pages", Meta: mcp.Meta{"ui": map[string]any{"visibility": []string{"model", "app"}}}}, func(context.Context, struct{}) (listing, error) { return listing{[]string{"d"}}, nil }),
		mcp.NewTool(mcp.Tool{Name: "for-models", Meta: mcp.Meta{"ui": map[string]any{"visibility": []string{"model"}}}}, func(context.Context, struct{}) (listing, error) { return listing{[]string{"e"}}, nil }),
	}
}

// sender is the client of a request.
type sender struct {
	name         string
	capabilities string // JSON object
	transport    string
	session      bool
}

// send dispatches a request of the sender and returns the result as it is sent.
func (c sender) send(t *testing.T, srv *mcp.Server, rev protocol.Revision, method, params string) string {
	t.Helper()
	req := &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Peer: protocol.Peer{Transport: c.transport}}
	if c.session {
		meta := &protocol.SessionMeta{Client: mcp.Implementation{Name: c.name}}
		if err := json.Unmarshal([]byte(c.capabilities), &meta.Capabilities); err != nil {
			t.Fatal(err)
		}
		req.Meta = protocol.RequestMeta{Revision: rev}.WithSession(meta)
	} else {
		var err error
		req.Meta, err = protocol.ReadMeta(json.RawMessage(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + string(rev) + `",
			"io.modelcontextprotocol/clientInfo":{"name":"` + c.name + `","version":"1"},
			"io.modelcontextprotocol/clientCapabilities":` + c.capabilities + `}}`))
		if err != nil {
			t.Fatal(err)
		}
	}
	result, err := srv.Dispatch(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := result.AppendJSON(nil, rev)
	if err != nil || !json.Valid(wire) {
		t.Fatalf("%s, %v", wire, err)
	}
	return string(wire)
}

func (c sender) call(t *testing.T, srv *mcp.Server, rev protocol.Revision, tool string) string {
	t.Helper()
	return c.send(t, srv, rev, "tools/call", `{"name":"`+tool+`"}`)
}

const asksForStructured = `{"experimental":{"` + protocol.StructuredCapability + `":{}}}`

// The client decides under StructuredAuto, in sessions and in independent requests. Lists have an
// output schema exactly for the tools with structured content.
func TestServer_StructuredAuto(t *testing.T) {
	const showsPages = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
	all, pages := []string{"text", "copy", "page", "for-pages", "for-models"}, []string{"page", "for-pages"}
	for name, tc := range map[string]struct {
		sender sender
		want   []string // tools with structured content
	}{
		"a model client":            {sender{name: "claude-code", capabilities: `{"roots":{}}`, transport: "stdio"}, nil},
		"another one":               {sender{name: "codex-mcp-client", capabilities: `{"elicitation":{}}`, transport: "stdio"}, nil},
		"over HTTP":                 {sender{name: "x", capabilities: `{}`, transport: "http"}, nil},
		"another experiment":        {sender{name: "x", capabilities: `{"experimental":{"x":{}}}`, transport: "stdio"}, nil},
		"a client that asks":        {sender{name: "x", capabilities: asksForStructured, transport: "stdio"}, all},
		"a tool for people":         {sender{name: "mcp-inspector", capabilities: `{}`, transport: "stdio"}, all},
		"a caller in process":       {sender{name: "x", capabilities: `{}`}, all},
		"a client that shows pages": {sender{name: "x", capabilities: showsPages, transport: "http"}, pages},
		"an escaped name":           {sender{name: `\u006dcp-inspector`, capabilities: `{}`, transport: "stdio"}, all},
	} {
		for _, session := range []bool{false, true} {
			rev := protocol.Latest
			if session {
				rev = protocol.Rev20251125
				if strings.Contains(tc.sender.name, `\`) {
					continue // the name of a session is decoded
				}
			}
			srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Structured: mcp.StructuredAuto})
			if err := srv.Replace("tools", mcp.Features{Tools: structuredTools()}); err != nil {
				t.Fatal(err)
			}
			c := tc.sender
			c.session = session
			var got, listed []string
			for _, tool := range all {
				if result := c.call(t, srv, rev, tool); strings.Contains(result, `"structuredContent"`) {
					got = append(got, tool)
				} else if !strings.Contains(result, `"type":"text"`) {
					t.Errorf("%s: %s has no text: %s", name, tool, result)
				}
			}
			for _, again := range []bool{false, true} { // the second list comes from the cache
				var list struct{ Tools []mcp.Tool }
				if err := json.Unmarshal([]byte(c.send(t, srv, rev, "tools/list", `{}`)), &list); err != nil {
					t.Fatal(err)
				}
				listed = nil
				for _, tool := range list.Tools {
					if tool.OutputSchema != nil {
						listed = append(listed, tool.Name)
					}
				}
				if strings.Join(listed, " ") != strings.Join(got, " ") {
					t.Errorf("%s (again: %v): output schemas of %v, structured content of %v", name, again, listed, got)
				}
			}
			if strings.Join(got, " ") != strings.Join(tc.want, " ") {
				t.Errorf("%s (session: %v): structured content of %v, want %v", name, session, got, tc.want)
			}
		}
	}
}

// Without structured content the content remains: text, a copy of the JSON where there is no other
// text, images, links, and the code and next step of an error.
func TestServer_StructuredOmitted(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Structured: mcp.StructuredNever})
	if err := srv.Replace("tools", mcp.Features{Tools: structuredTools()}); err != nil {
		t.Fatal(err)
	}
	client := sender{name: "x", capabilities: asksForStructured}
	for tool, want := range map[string]string{
		"text":   `{"content":[{"type":"text","text":"a b"}]}`,
		"copy":   `{"content":[{"type":"text","text":"{\"n\":2}"}]}`,
		"bare":   `{"content":[{"type":"text","text":"{\"n\":1}"}]}`,
		"blocks": `{"content":[{"type":"image","data":"cG5n","mimeType":"image/png"},{"type":"resource_link","uri":"a:b","name":"b"}]}`,
		"fails": `{"content":[{"type":"text","text":"NOT_FOUND: no such file\nNext step: list the directory"}],"isError":true,` +
			`"_meta":{"io.github.dougu-go/error":{"code":"NOT_FOUND","message":"no such file","nextStep":"list the directory"}}}`,
	} {
		if got := client.call(t, srv, protocol.Rev20251125, tool); got != want {
			t.Errorf("%s: %s\nwant %s", tool, got, want)
		}
	}
	if list := client.send(t, srv, protocol.Latest, "tools/list", `{}`); strings.Contains(list, "outputSchema") {
		t.Errorf("the list has output schemas: %s", list)
	}
}

// The default sends structured content to every client. A tool may have a policy of its own.
func TestServer_StructuredDefault(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	all := structuredTools()
	all[1] = all[1].With(mcp.ToolOptions{Structured: mcp.StructuredAuto})
	if err := srv.Replace("tools", mcp.Features{Tools: all}); err != nil {
		t.Fatal(err)
	}
	client := sender{name: "claude-code", capabilities: `{}`, transport: "stdio"}
	if got := client.call(t, srv, protocol.Latest, "text"); !strings.Contains(got, `"structuredContent"`) {
		t.Errorf("by default: %s", got)
	}
	if got := client.call(t, srv, protocol.Latest, "copy"); strings.Contains(got, `"structuredContent"`) {
		t.Errorf("a tool with another policy: %s", got)
	}
}

// A list that depends on the client is not public; one without output schemas is.
func TestServer_StructuredCacheScope(t *testing.T) {
	for _, schemas := range []bool{false, true} {
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
			Structured: mcp.StructuredAuto, Cache: protocol.CacheHint{TTLMillis: 5, Public: true},
		})
		tool := structuredTools()[0].With(mcp.ToolOptions{NoOutputSchema: !schemas})
		if err := srv.Replace("tools", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
			t.Fatal(err)
		}
		for _, capabilities := range []string{`{}`, asksForStructured} {
			list := sender{name: "x", capabilities: capabilities, transport: "stdio"}.send(t, srv, protocol.Latest, "tools/list", `{}`)
			if public := strings.Contains(list, `"cacheScope":"public"`); public == schemas {
				t.Errorf("schemas %v, capabilities %s: %s", schemas, capabilities, list)
			}
		}
	}
}

func TestStructuredPolicy_Unknown(t *testing.T) {
	if err := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Structured: "sometimes"}).Err(); err == nil || !strings.Contains(err.Error(), "sometimes") {
		t.Errorf("a server with an unknown policy: %v", err)
	}
	if err := structuredTools()[0].With(mcp.ToolOptions{Structured: "often"}).Err(); err == nil || !strings.Contains(err.Error(), "often") {
		t.Errorf("a tool with an unknown policy: %v", err)
	}
}

// Call of a client works under StructuredAuto, and names the missing form under StructuredNever.
func TestCall_Structured(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
		for policy, want := range map[mcp.StructuredPolicy]string{mcp.StructuredAuto: "", mcp.StructuredNever: "no structured content"} {
			srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Structured: policy})
			if err := srv.Replace("tools", mcp.Features{Tools: structuredTools()}); err != nil {
				t.Fatal(err)
			}
			client := mcptest.Connect(t, srv, &mcp.ClientOptions{Revision: rev, CheckResults: true})
			got, err := mcp.Call[listing](t.Context(), client, "text", nil)
			if want == "" && (err != nil || len(got.Names) != 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v, %v", rev, policy, got, err)
			}
		}
	}
}

// Requests without a session are judged one by one, whatever was sent before: clients that share a
// server or a name, more clients than the cache has entries, and long capabilities.
func TestServer_StructuredWithoutSession(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Structured: mcp.StructuredAuto})
	if err := srv.Replace("tools", mcp.Features{Tools: structuredTools()}); err != nil {
		t.Fatal(err)
	}
	long := `{"experimental":{"pad":{"x":"` + strings.Repeat("x", 10_000) + `"}}}`
	for range 3 {
		for i := range 200 {
			name := fmt.Sprintf("client-%d", i)
			for capabilities, want := range map[string]bool{`{}`: false, asksForStructured: true, long: false} {
				c := sender{name: name, capabilities: capabilities, transport: "http"}
				if got := strings.Contains(c.call(t, srv, protocol.Latest, "text"), `"structuredContent"`); got != want {
					t.Fatalf("%s with %.60s: structured content %v", name, capabilities, got)
				}
			}
		}
	}
}

// countedJSON counts how often its JSON is made.
type countedJSON struct{ encoded *atomic.Int32 }

func (c countedJSON) MarshalJSON() ([]byte, error) {
	c.encoded.Add(1)
	return []byte(`{"n":1}`), nil
}

func (countedJSON) TextContent() string { return "one" }

// The JSON of a result with a text is made only for a client, a middleware or a caller that reads it.
func TestKeepStructured(t *testing.T) {
	var encoded atomic.Int32
	read := func(keep bool, seen *json.RawMessage) mcp.ToolMiddleware {
		return func(next mcp.RawHandler) mcp.RawHandler {
			return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				if keep {
					ctx = mcp.KeepStructured(ctx)
				}
				result, err := next(ctx, args)
				if err == nil {
					*seen = result.Structured
				}
				return result, err
			}
		}
	}
	plain := mcp.NewTool(mcp.Tool{Name: "plain"}, func(context.Context, struct{}) (countedJSON, error) { return countedJSON{&encoded}, nil })
	var unread, kept, nested json.RawMessage
	outer := mcp.NewTool(mcp.Tool{Name: "outer"}, func(ctx context.Context, _ struct{}) (string, error) {
		result, err := plain.Call(ctx, json.RawMessage(`{}`))
		if err != nil {
			return "", err
		}
		nested = result.Structured
		return "done", nil
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Structured: mcp.StructuredAuto})
	if err := srv.Replace("tools", mcp.Features{Tools: []mcp.ServerTool{plain.Wrap(read(false, &unread)), plain.Named("kept").Wrap(read(true, &kept)), outer}}); err != nil {
		t.Fatal(err)
	}
	model := sender{name: "claude-code", capabilities: `{}`, transport: "stdio"}
	for _, tc := range []struct {
		sender sender
		tool   string
		want   int32
		seen   *json.RawMessage
		value  string
	}{
		{model, "plain", 0, &unread, ""},
		{model, "kept", 1, &kept, `{"n":1}`},
		{model, "outer", 1, &nested, `{"n":1}`},
		{sender{name: "x", capabilities: asksForStructured, transport: "stdio"}, "plain", 1, &unread, `{"n":1}`},
		{sender{name: "x", capabilities: `{}`}, "plain", 1, &unread, `{"n":1}`},
	} {
		encoded.Store(0)
		result := tc.sender.call(t, srv, protocol.Latest, tc.tool)
		if got := encoded.Load(); got != tc.want || string(*tc.seen) != tc.value {
			t.Errorf("%s for %s: encoded %d times, seen %s", tc.tool, tc.sender.capabilities, got, *tc.seen)
		}
		if got := strings.Contains(result, "structuredContent"); got != (tc.sender != model) {
			t.Errorf("%s for %s: %s", tc.tool, tc.sender.capabilities, result)
		}
	}
}

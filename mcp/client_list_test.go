package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// paged is a list whose pages are named by their cursors; "none" is the first.
func paged(pages map[string]string) mcp.Handler {
	return func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
		var params struct{ Cursor *string }
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil, err
		}
		cursor := "none"
		if params.Cursor != nil {
			cursor = *params.Cursor
		}
		page, ok := pages[cursor]
		if !ok {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "no page %q", cursor)
		}
		return protocol.RawResult(page), nil
	}
}

// collect gathers a list, and the error that ended it.
func collect[T any](list iter.Seq2[T, error], name func(T) string) string {
	var all []string
	for item, err := range list {
		if err != nil {
			all = append(all, "error: "+err.Error())
			break
		}
		all = append(all, name(item))
	}
	return strings.Join(all, " ")
}

func toolNames(ctx context.Context, c *mcp.Client) string {
	return collect(c.Tools(ctx), func(t mcp.Tool) string { return t.Name })
}

// Every list is gone through page by page, whatever the revision. An empty
// cursor is a cursor, and so is an empty page followed by others.
func TestClientList_EveryKind(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		client := mcptest.Connect(t, fake{
			"tools/list":               paged(map[string]string{"none": `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":""}`, "": `{"tools":[{"name":"b","inputSchema":{}}]}`}),
			"resources/list":           paged(map[string]string{"none": `{"nextCursor":"1","resources":[]}`, "1": `{"resources":[{"uri":"a:1","name":"one","size":0},{"uri":"a:2","name":"two"}],"nextCursor":null}`}),
			"resources/templates/list": paged(map[string]string{"none": `{"resourceTemplates":[{"uriTemplate":"a:{x}","name":"x","mimeType":"text/plain"}]}`}),
			"prompts/list":             paged(map[string]string{"none": `{"prompts":[{"name":"p","arguments":[{"name":"x","required":true}]}],"nextCursor":"2"}`, "2": `{"prompts":null}`}),
		}, &mcp.ClientOptions{Revision: rev})
		ctx := t.Context()
		if got := toolNames(ctx, client); got != "a b" {
			t.Errorf("tools: %s", got)
		}
		if got := collect(client.Resources(ctx), func(r mcp.Resource) string { return fmt.Sprint(r.URI, "=", r.Name, r.Size != nil) }); got != "a:1=onetrue a:2=twofalse" {
			t.Errorf("resources: %s", got)
		}
		if got := collect(client.Templates(ctx), func(t mcp.ResourceTemplate) string { return t.URITemplate + " " + t.MIMEType }); got != "a:{x} text/plain" {
			t.Errorf("templates: %s", got)
		}
		if got := collect(client.Prompts(ctx), func(p mcp.Prompt) string { return fmt.Sprint(p.Name, p.Arguments) }); got != "p[{x   true}]" {
			t.Errorf("prompts: %s", got)
		}
		for range client.Tools(ctx) {
			break // an iteration may end early
		}
	})
}

// A server cannot keep a client listing for ever, nor make it take nonsense.
func TestClientList_InvalidResults(t *testing.T) {
	for name, tc := range map[string]struct {
		list mcp.Handler
		want string
	}{
		"the same cursor again":  {paged(map[string]string{"none": `{"tools":[],"nextCursor":"x"}`, "x": `{"tools":[{"name":"a"}],"nextCursor":"x"}`}), "a error: tools/list: the server gives the same cursor again"},
		"cursors in a circle":    {paged(map[string]string{"none": `{"tools":[],"nextCursor":"x"}`, "x": `{"tools":[],"nextCursor":"y"}`, "y": `{"tools":[],"nextCursor":"x"}`}), "error: tools/list: the server gives the same cursor again"},
		"a cursor of a new type": {says(`{"tools":[],"nextCursor":5}`), "error: tools/list: json: cannot unmarshal number into Go value of type string"},
		"no list":                {says(`{"tools":{}}`), "error: tools/list: json: cannot unmarshal object into Go value of type []mcp.Tool"},
		"no object":              {says(`[]`), "error: tools/list: the server's result is not an object: expected '{' at byte 0"},
		"a type of result":       {says(`{"resultType":"surprise","tools":[]}`), `error: tools/list: the server's result has the unknown type "surprise"`},
		"no type of result":      {says(`{"resultType":1,"tools":[]}`), `error: tools/list: the type of the server's result is 1, not a string`},
		"a question":             {says(`{"resultType":"input_required","requestState":"x"}`), "error: tools/list: the server asks in answer to tools/list, where it must not"},
		"an error":               {paged(nil), `error: tools/list: no page "none"`},
		"another, on the way":    {paged(map[string]string{"none": `{"tools":[{"name":"a"}],"nextCursor":"gone"}`}), `a error: tools/list: no page "gone"`},
	} {
		t.Run(name, func(t *testing.T) {
			client := mcptest.Connect(t, fake{"tools/list": tc.list}, nil)
			if got := toolNames(t.Context(), client); got != tc.want {
				t.Errorf("listed %s\nwant   %s", got, tc.want)
			}
		})
	}
}

func TestClientList_PageLimit(t *testing.T) {
	client, err := mcp.Connect(t.Context(), direct{fake: fake{"tools/list": counted(`{"tools":[],"nextCursor":"%d"}`)}, rev: protocol.Latest}, mcp.Implementation{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := toolNames(t.Context(), client), "error: tools/list: the server's list has more than 10000 pages"; got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
}

// A list that changes while a client goes through it is started over, and names
// nothing twice.
func TestClientList_RestartAfterChange(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		pages := []map[string]string{
			{"none": `{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"old","ttlMs":100000}`},
			{"none": `{"tools":[{"name":"b"},{"name":"c"}],"nextCursor":"new","ttlMs":100000}`, "new": `{"tools":[{"name":"a"},{"name":"d"}]}`},
		}
		now := 0
		client := mcptest.Connect(t, fake{"tools/list": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			return paged(pages[now])(ctx, req)
		}}, &mcp.ClientOptions{Revision: rev})
		var names []string
		for tool, err := range client.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			names, now = append(names, tool.Name), 1
		}
		if got := strings.Join(names, " "); got != "a b c d" {
			t.Errorf("listed %s", got)
		}
		if got := toolNames(t.Context(), client); got != "b c a d" {
			t.Errorf("then %s", got)
		}
	})
}

// What is wrong with a cursor says so only if it was sent.
func TestClientList_FirstPageRefused(t *testing.T) {
	calls := 0
	client := mcptest.Connect(t, fake{"prompts/list": func(context.Context, *protocol.Request) (protocol.Result, error) {
		calls++
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "no")
	}}, nil)
	for _, err := range client.Prompts(t.Context()) {
		var e *protocol.Error
		if !errors.As(err, &e) || e.Message != "no" {
			t.Error(err)
		}
	}
	if calls != 1 {
		t.Errorf("asked %d times", calls)
	}
}

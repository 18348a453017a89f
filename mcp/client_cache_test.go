package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// text reads a resource that is one text.
func text(t *testing.T, c *mcp.Client, uri string) string {
	t.Helper()
	result, err := c.ReadResource(t.Context(), uri, nil)
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Contents[0].Text
}

// uriOf is the URI that a request is for.
func uriOf(req *protocol.Request) string {
	var params struct{ URI string }
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return err.Error()
	}
	return params.URI
}

// numbered is a resource whose text counts how often it was read.
func numbered(hints string) mcp.Handler {
	return counted(`{"contents":[{"uri":"a:b","text":"%d","_meta":{"x":{"y":1}}}]` + hints + `}`)
}

// Answers are kept for as long as the server says, and no longer.
func TestClientCache_ServerHints(t *testing.T) {
	for hints, fresh := range map[string]time.Duration{
		``:                                       0,
		`,"cacheScope":"public"`:                 0,
		`,"ttlMs":0,"cacheScope":"public"`:       0,
		`,"ttlMs":-5,"cacheScope":"public"`:      0,
		`,"ttlMs":1,"cacheScope":"private"`:      time.Millisecond,
		`,"ttlMs":90000,"cacheScope":"private"`:  90 * time.Second,
		`,"ttlMs":90000`:                         90 * time.Second,
		`,"ttlMs":9000000000000000`:              24 * time.Hour,
		`,"ttlMs":90000,"resultType":"complete"`: 90 * time.Second,
	} {
		t.Run(hints, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				client := mcptest.Connect(t, fake{"resources/read": numbered(hints)}, nil)
				if got := text(t, client, "a:b"); got != "1" {
					t.Fatal(got)
				}
				want := "1"
				if fresh == 0 {
					want = "2"
				}
				time.Sleep(max(fresh-1, 0))
				if got := text(t, client, "a:b"); got != want {
					t.Errorf("after %v it is %s, want %s", fresh-1, got, want)
				}
				time.Sleep(time.Nanosecond)
				if got := text(t, client, "a:b"); got == "1" {
					t.Errorf("after %v it is still what it was", fresh)
				}
			})
		})
	}
}

// What is kept is what was asked for, by this client, in a revision that knows
// caching.
func TestClientCache_Uncached(t *testing.T) {
	const hints = `,"ttlMs":3600000,"cacheScope":"public"`
	for name, tc := range map[string]struct {
		opts mcp.ClientOptions
		read func(c *mcp.Client, ctx context.Context, i int) error
		kept bool
	}{
		"the same again": {kept: true, read: func(c *mcp.Client, ctx context.Context, _ int) error {
			_, err := c.ReadResource(ctx, "a:b", nil)
			return err
		}},
		"another resource": {read: func(c *mcp.Client, ctx context.Context, i int) error {
			_, err := c.ReadResource(ctx, fmt.Sprint("a:", i), nil)
			return err
		}},
		"another _meta": {read: func(c *mcp.Client, ctx context.Context, i int) error {
			return readWith(c, ctx, &mcp.CallOptions{Meta: mcp.Meta{"x": i}})
		}},
		"the same _meta": {kept: true, read: func(c *mcp.Client, ctx context.Context, _ int) error {
			return readWith(c, ctx, &mcp.CallOptions{Meta: mcp.Meta{"x": 1}})
		}},
		"another trace": {kept: true, read: func(c *mcp.Client, ctx context.Context, i int) error {
			return readWith(c, mcp.WithTrace(ctx, mcp.TraceContext{Parent: fmt.Sprint(i)}), nil)
		}},
		"asked for anew": {read: func(c *mcp.Client, ctx context.Context, _ int) error {
			return readWith(c, ctx, &mcp.CallOptions{NoCache: true})
		}},
		"a raw request": {read: func(c *mcp.Client, ctx context.Context, _ int) error {
			_, err := c.Request(ctx, "resources/read", json.RawMessage(`{"uri":"a:b"}`), nil)
			return err
		}},
		"no entries":           {opts: mcp.ClientOptions{CacheEntries: -1}, read: func(c *mcp.Client, ctx context.Context, _ int) error { return readWith(c, ctx, nil) }},
		"no bytes":             {opts: mcp.ClientOptions{CacheBytes: -1}, read: func(c *mcp.Client, ctx context.Context, _ int) error { return readWith(c, ctx, nil) }},
		"it was cleared":       {read: func(c *mcp.Client, ctx context.Context, _ int) error { c.ClearCache(); return readWith(c, ctx, nil) }},
		"an older revision":    {opts: mcp.ClientOptions{Revision: protocol.Rev20251125}, read: func(c *mcp.Client, ctx context.Context, _ int) error { return readWith(c, ctx, nil) }},
		"it is too large":      {opts: mcp.ClientOptions{CacheBytes: 100}, read: func(c *mcp.Client, ctx context.Context, _ int) error { return readWith(c, ctx, nil) }},
		"there is little room": {kept: true, opts: mcp.ClientOptions{CacheEntries: 1}, read: func(c *mcp.Client, ctx context.Context, _ int) error { return readWith(c, ctx, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			client := mcptest.Connect(t, fake{"resources/read": func(context.Context, *protocol.Request) (protocol.Result, error) {
				reads++
				return protocol.RawResult(`{"contents":[{"uri":"a:b","text":""}]` + hints + `}`), nil
			}}, &tc.opts)
			for i := range 3 {
				if err := tc.read(client, t.Context(), i); err != nil {
					t.Fatal(err)
				}
			}
			if kept := reads == 1; kept != tc.kept {
				t.Errorf("the server was asked %d times", reads)
			}
		})
	}
}

func readWith(c *mcp.Client, ctx context.Context, opts *mcp.CallOptions) error {
	_, err := c.ReadResource(ctx, "a:b", opts)
	return err
}

// An answer that the user helped with is not another request's.
func TestClientCache_ResultAfterQuestion(t *testing.T) {
	reads := 0
	client := mcptest.Connect(t, fake{"resources/read": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
		if reads++; !strings.Contains(string(req.Params), "requestState") {
			return protocol.RawResult(`{"resultType":"input_required","requestState":"s","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}},"ttlMs":100000}`), nil
		}
		return protocol.RawResult(`{"contents":[{"uri":"a:b","text":"secret"}],"ttlMs":100000,"cacheScope":"private"}`), nil
	}}, &mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{Action: mcp.Accept}, nil
	}})
	for range 2 {
		if got := text(t, client, "a:b"); got != "secret" {
			t.Errorf("read %s", got)
		}
	}
	if reads != 4 {
		t.Errorf("the server was asked %d times, want 4", reads)
	}
}

// What is changed in a result does not change what is kept.
func TestClientCache_ResultIsCopied(t *testing.T) {
	client := mcptest.Connect(t, fake{
		"resources/read": numbered(`,"ttlMs":100000`),
		"tools/list":     counted(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"},"_meta":{"x":[1]}}],"ttlMs":100000}`),
	}, nil)
	for range 3 {
		result, err := client.ReadResource(t.Context(), "a:b", nil)
		if err != nil {
			t.Fatal(err)
		}
		if y := result.Contents[0].Meta["x"].(map[string]any)["y"]; result.Contents[0].Text != "1" || y != 1.0 {
			t.Fatalf("read %+v", result)
		}
		result.Contents[0].Text = "changed"
		result.Contents[0].Meta["x"].(map[string]any)["y"] = "changed"
		for tool, err := range client.Tools(t.Context()) {
			if err != nil || tool.Name != "t1" || string(tool.InputSchema) != `{"type":"object"}` || tool.Meta["x"].([]any)[0] != 1.0 {
				t.Fatalf("listed %+v, %v", tool, err)
			}
			copy(tool.InputSchema, `{"changed`)
			tool.Meta["x"].([]any)[0] = "changed"
		}
	}
}

// The cache is bounded; what was used last stays.
func TestClientCache_Limits(t *testing.T) {
	for name, opts := range map[string]*mcp.ClientOptions{
		"by number": {CacheEntries: 3},
		"by size":   {CacheBytes: 3 * 1400},
	} {
		t.Run(name, func(t *testing.T) {
			var reads []string
			opts.Timeout = -1
			client := mcptest.Connect(t, fake{"resources/read": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
				reads = append(reads, uriOf(req))
				return protocol.RawResult(`{"contents":[{"uri":"a","text":"` + strings.Repeat("x", 1000) + `"}],"ttlMs":100000}`), nil
			}}, opts)
			for _, uri := range strings.Split("1 2 3 1 4 1 3 2 5 1", " ") {
				if got := text(t, client, uri); len(got) != 1000 {
					t.Fatal(got)
				}
			}
			if got := strings.Join(reads, ""); got != "1234251" {
				t.Errorf("asked for %s", got)
			}
		})
	}
}

// A notification makes what it is about stale at once, and nothing else.
func TestClientCache_NotificationInvalidates(t *testing.T) {
	lists := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}
	for name, tc := range map[string]struct {
		n    protocol.Notification
		want string // what is asked for again
	}{
		"tools":            {&protocol.ListChangedNotification{List: "tools"}, "tools/list"},
		"prompts":          {&protocol.ListChangedNotification{List: "prompts"}, "prompts/list"},
		"resources":        {&protocol.ListChangedNotification{List: "resources"}, "resources/list resources/templates/list"},
		"an unknown list":  {&protocol.ListChangedNotification{List: "things"}, ""},
		"a resource":       {&protocol.ResourceUpdatedNotification{URI: "file:///a/b"}, "file:///a file:///a/ file:///a/b file:///a/b/c"},
		"another resource": {&protocol.ResourceUpdatedNotification{URI: "file:///ab"}, ""},
		"the whole":        {&protocol.ResourceUpdatedNotification{URI: "file:///"}, "file:///a file:///a/ file:///a/b file:///a/b/c file:///a/bc"},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				var asked []string
				srv := fake{
					"resources/read": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
						asked = append(asked, uriOf(req))
						return protocol.RawResult(`{"contents":[{"uri":"a","text":"x"}],"ttlMs":100000}`), nil
					},
					"subscriptions/listen": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
						_ = req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID})
						switch n := tc.n.(type) {
						case *protocol.ListChangedNotification:
							n.Subscription = req.ID
						case *protocol.ResourceUpdatedNotification:
							n.Subscription = req.ID
						}
						_ = req.Notify(ctx, tc.n)
						<-ctx.Done()
						return nil, ctx.Err()
					},
				}
				for method, member := range lists {
					srv[method] = func(context.Context, *protocol.Request) (protocol.Result, error) {
						asked = append(asked, method)
						return protocol.RawResult(`{"` + member + `":[],"ttlMs":100000}`), nil
					}
				}
				client := mcptest.Connect(t, srv, nil)
				ctx := t.Context()
				everything := func() {
					toolNames(ctx, client)
					collect(client.Prompts(ctx), func(mcp.Prompt) string { return "" })
					collect(client.Resources(ctx), func(mcp.Resource) string { return "" })
					collect(client.Templates(ctx), func(mcp.ResourceTemplate) string { return "" })
					for _, uri := range []string{"file:///a", "file:///a/", "file:///a/b", "file:///a/b/c", "file:///a/bc"} {
						text(t, client, uri)
					}
				}
				everything()
				everything()
				if len(asked) != 9 {
					t.Fatalf("asked for %v", asked)
				}
				sub, err := client.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				asked = nil
				everything()
				if got := strings.Join(asked, " "); got != tc.want {
					t.Errorf("asked again for %s\nwant %s", got, tc.want)
				}
				if err := sub.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// An answer that was on its way when its list changed is not kept.
func TestClientCache_ChangeDuringRequest(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		client := dial(t, wire(func(w *wireServer) {
			listen := w.next()
			w.acknowledge(listen.ID, `{"toolsListChanged":true}`)
			list := w.next()
			w.notify("tools/list_changed", listen.ID, "")
			time.Sleep(time.Second) // the change is known before the answer comes
			w.answer(list.ID, `{"tools":[{"name":"old"}],"ttlMs":100000}`)
			w.answer(w.next().ID, `{"tools":[{"name":"new"}],"ttlMs":100000}`)
			w.untilClosed()
		}), &mcp.ClientOptions{OnListChanged: func(string) {}})
		got := []string{toolNames(t.Context(), client), toolNames(t.Context(), client), toolNames(t.Context(), client)}
		if strings.Join(got, " ") != "old new new" {
			t.Errorf("listed %s", got)
		}
	})
}

// A private result belongs to the principal and the permissions of the context in which it was requested.
func TestClientCache_Principals(t *testing.T) {
	client := mcptest.Connect(t, fake{"resources/read": numbered(`,"ttlMs":90000,"cacheScope":"private"`)}, nil)
	read := func(ctx context.Context) string {
		result, err := client.ReadResource(ctx, "a:b", nil)
		if err != nil {
			return err.Error()
		}
		return result.Contents[0].Text
	}
	ada, eve := protocol.WithPrincipal(t.Context(), "ada"), protocol.WithPrincipal(t.Context(), "eve")
	reader := protocol.WithPermissions(ada, []string{"read"})
	for i, ctx := range []context.Context{t.Context(), ada, eve, reader, t.Context(), ada, eve, reader} {
		if got, want := read(ctx), fmt.Sprint(i%4+1); got != want {
			t.Errorf("read %d has the result of request %s, want %s", i, got, want)
		}
	}
}

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// named returns a tool that returns words.
func named(name, words string) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return words, nil })
}

type projectArgs struct {
	Project string `json:"project"`
}

// builder returns a server whose tool "open" gives the session a tool "build" for a project, and whose
// tool "close" removes it.
func builder(t *testing.T, opts *mcp.ServerOptions) *mcp.Server {
	return newServer(t, opts,
		mcp.NewTool(mcp.Tool{Name: "open"}, func(ctx context.Context, in projectArgs) (mcp.None, error) {
			return mcp.None{}, mcp.SessionFrom(ctx).AddTools(named("build", "built "+in.Project))
		}),
		mcp.NewTool(mcp.Tool{Name: "close"}, func(ctx context.Context, _ struct{}) (mcp.None, error) {
			return mcp.None{}, mcp.SessionFrom(ctx).RemoveTools("build", "unknown")
		}))
}

// listedNames returns the names that a client lists.
func listedNames(t *testing.T, c *mcp.Client) string {
	t.Helper()
	var names []string
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// A tool of a session exists for this session alone: in lists, in calls and in notifications.
func TestSession_AddTools(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		srv := builder(t, nil)
		var seen []string
		srv.UseTools(func(next mcp.RawHandler) mcp.RawHandler {
			return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				seen = append(seen, mcp.CallFrom(ctx).ServerTool().Tool().Name)
				return next(ctx, args)
			}
		})
		var changes [2]int
		var clients [2]*mcp.Client
		for i := range clients {
			clients[i] = mcptest.Connect(t, srv, &mcp.ClientOptions{Revision: rev, OnListChanged: func(list string) {
				if list == "tools" {
					changes[i]++
				}
			}})
		}
		ada, eve := clients[0], clients[1]
		call := func(c *mcp.Client, tool string, args any) string {
			t.Helper()
			text, err := mcp.Call[string](t.Context(), c, tool, args)
			synctest.Wait()
			if err != nil {
				return "error: " + err.Error()
			}
			return text
		}
		opened := call(ada, "open", projectArgs{"site"})
		if rev.Modern() {
			if !strings.Contains(opened, mcp.ErrNoSession.Error()) || listedNames(t, ada) != "open close" {
				t.Errorf("without a session: %s", opened)
			}
			return
		}
		if opened != "" || listedNames(t, ada) != "open close build" || listedNames(t, eve) != "open close" || changes != [2]int{1, 0} {
			t.Errorf("opened: %q; listed %s and %s; %v changes", opened, listedNames(t, ada), listedNames(t, eve), changes)
		}
		if text := call(ada, "build", nil); text != "built site" || !slices.Equal(seen, []string{"open", "build"}) {
			t.Errorf("the call: %s; middleware has seen %v", text, seen)
		}
		if text := call(eve, "buil", nil); !strings.Contains(text, "Unknown tool") || strings.Contains(text, "build") {
			t.Errorf("the unknown tool of another session: %s", text)
		}
		if text := call(ada, "buil", nil); !strings.Contains(text, `did you mean "build"`) {
			t.Errorf("a misspelled tool: %s", text)
		}
		if text := call(ada, "open", projectArgs{"shop"}); text != "" || call(ada, "build", nil) != "built shop" || changes != [2]int{1, 0} {
			t.Errorf("a replaced tool that is listed as before: %s, %v changes", text, changes)
		}
		if text := call(eve, "close", nil); text != "" || call(ada, "build", nil) != "built shop" || changes != [2]int{1, 0} {
			t.Errorf("another session removes its own tools only: %s, %v changes", text, changes)
		}
		if text := call(ada, "close", nil); text != "" || listedNames(t, ada) != "open close" || changes != [2]int{2, 0} || !strings.Contains(call(ada, "build", nil), "Unknown tool") {
			t.Errorf("a removed tool: %s, listed %s, %v changes", text, listedNames(t, ada), changes)
		}
	})
}

// inSession returns a function that dispatches a request of one session.
func inSession(t *testing.T, srv *mcp.Server, meta *protocol.SessionMeta) func(method, params string) string {
	return func(method, params string) string {
		t.Helper()
		result, err := srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Meta: protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(meta)})
		if err != nil {
			return "error: " + err.Error()
		}
		wire, err := result.AppendJSON(nil, protocol.Rev20251125)
		if err != nil {
			t.Fatal(err)
		}
		return string(wire)
	}
}

// sessionOf returns a server with a tool "t" and the handle of a session of it.
func sessionOf(t *testing.T, opts *mcp.ServerOptions, meta *protocol.SessionMeta) (*mcp.Server, *mcp.Session) {
	t.Helper()
	var session *mcp.Session
	srv := newServer(t, opts, mcp.NewTool(mcp.Tool{Name: "t"}, func(ctx context.Context, _ struct{}) (mcp.None, error) {
		session = mcp.SessionFrom(ctx)
		return mcp.None{}, nil
	}))
	if got := inSession(t, srv, meta)("tools/call", `{"name":"t"}`); session == nil {
		t.Fatal(got)
	}
	return srv, session
}

// Tools that a session cannot have are an error, and none of the others is added.
func TestSession_AddTools_Invalid(t *testing.T) {
	meta := new(protocol.SessionMeta)
	srv, session := sessionOf(t, nil, meta)
	list := inSession(t, srv, meta)
	for want, tools := range map[string][]mcp.ServerTool{
		`tool "t" is offered by the server`: {named("a", ""), named("t", "")},
		`tool "a" is added twice`:           {named("a", ""), named("a", "")},
		"not made by NewTool":               {{}},
		`the character ' '`:                 {named("a b", "")},
	} {
		if err := session.AddTools(tools...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(list("tools/list", ""), `"a"`) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for i := range 1000 {
		if err := session.AddTools(named(fmt.Sprint("n", i), "")); err != nil {
			t.Fatal(err)
		}
	}
	if err := session.AddTools(named("more", "")); err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("more tools than allowed: %v", err)
	}
	// A server that registers a tool of the same name later keeps its tool.
	if err := mcp.AddTool(srv, mcp.Tool{Name: "n7"}, func(context.Context, struct{}) (string, error) { return "of the server", nil }); err != nil {
		t.Fatal(err)
	}
	if got := list("tools/call", `{"name":"n7"}`); !strings.Contains(got, "of the server") {
		t.Errorf("a name of the server and the session: %s", got)
	}
	if got := strings.Count(list("tools/list", ""), `"n7"`); got != 1 {
		t.Errorf("listed %d times", got)
	}
	var none *mcp.Session
	if err := errors.Join(none.AddTools(), none.RemoveTools()); !errors.Is(err, mcp.ErrNoSession) || mcp.SessionFrom(t.Context()) != nil {
		t.Errorf("a nil session: %v", err)
	}
	// A server that declares no tools cannot get some from a session.
	var other *mcp.Session
	prompts := offering(t, nil, mcp.Features{Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(ctx context.Context, _ struct{}) (*mcp.PromptResult, error) {
		other = mcp.SessionFrom(ctx)
		return &mcp.PromptResult{}, nil
	})}})
	inSession(t, prompts, meta)("prompts/get", `{"name":"p"}`)
	if err := other.AddTools(named("a", "")); err == nil || !strings.Contains(err.Error(), "ReserveTools") {
		t.Errorf("a server without tools: %v", err)
	}
}

// Cursors, hidden tools, structured content and Authorize work as for tools of the server.
func TestSession_AddTools_Options(t *testing.T) {
	meta := new(protocol.SessionMeta)
	srv, session := sessionOf(t, &mcp.ServerOptions{
		PageSize: 2, Cache: protocol.CacheHint{TTLMillis: 1000, Public: true},
		Authorize: func(_ context.Context, _ *protocol.Request, tool mcp.ServerTool) error {
			if slices.Contains(tool.Permissions(), "admin") {
				return errors.New("admins only")
			}
			return nil
		},
	}, meta)
	err := session.AddTools(named("a", "1"), named("b", "2").With(mcp.ToolOptions{Unlisted: true}), named("c", "3"), named("d", "4").With(mcp.ToolOptions{Permissions: []string{"admin"}}), named("e", "5"))
	if err != nil {
		t.Fatal(err)
	}
	do := inSession(t, srv, meta)
	var pages []string
	for cursor := ""; len(pages) < 5; {
		var page struct {
			Tools      []mcp.Tool
			NextCursor string
		}
		if err := json.Unmarshal([]byte(do("tools/list", `{"cursor":"`+cursor+`"}`)), &page); err != nil {
			t.Fatal(err)
		}
		for _, tool := range page.Tools {
			pages = append(pages, tool.Name)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		pages = append(pages, "|")
	}
	if got := strings.Join(pages, " "); got != "t a | c e" {
		t.Errorf("listed %s", got)
	}
	if got := do("tools/call", `{"name":"b"}`); !strings.Contains(got, `"2"`) {
		t.Errorf("an unlisted tool: %s", got)
	}
	if got := do("tools/call", `{"name":"d"}`); !strings.Contains(got, "admins only") {
		t.Errorf("a refused tool: %s", got)
	}
	if err := session.RemoveTools("a"); err != nil {
		t.Fatal(err)
	}
	first := strings.TrimSuffix(do("tools/list", ""), "}")
	_, cursor, _ := strings.Cut(first, `"nextCursor":`)
	if got := do("tools/list", `{"cursor":`+cursor+`}`); !strings.Contains(got, `"e"`) {
		t.Errorf("the second page: %s", got)
	}
	if got := inSession(t, srv, new(protocol.SessionMeta))("tools/list", `{"cursor":`+cursor+`}`); !strings.Contains(got, "the list has changed") {
		t.Errorf("a cursor of another session: %s", got)
	}
}

// The tools of a session end with it, and nothing keeps them.
func TestSession_End(t *testing.T) {
	meta := new(protocol.SessionMeta)
	srv, session := sessionOf(t, nil, meta)
	if err := session.AddTools(named("a", "")); err != nil {
		t.Fatal(err)
	}
	meta.End()
	if err := session.AddTools(named("a", "")); !errors.Is(err, mcp.ErrNoSession) {
		t.Errorf("added after the end: %v", err)
	}
	if got := inSession(t, srv, meta)("tools/list", ""); strings.Contains(got, `"a"`) {
		t.Errorf("listed after the end: %s", got)
	}
	var kept []weak.Pointer[[64]byte]
	own := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "open"}, func(ctx context.Context, _ struct{}) (mcp.None, error) {
		held := new([64]byte)
		kept = append(kept, weak.Make(held))
		return mcp.None{}, mcp.SessionFrom(ctx).AddTools(mcp.NewTool(mcp.Tool{Name: "own"}, func(context.Context, struct{}) (int, error) { return len(held), nil }))
	}))
	for range 20 {
		client, err := mcp.Connect(t.Context(), inMemory(own), mcp.Implementation{Name: "c"}, &mcp.ClientOptions{Revision: protocol.Rev20251125})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.CallTool(t.Context(), "open", nil, nil); err != nil || listedNames(t, client) != "open own" {
			t.Fatal(err)
		}
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		runtime.GC()
		if !slices.ContainsFunc(kept, func(p weak.Pointer[[64]byte]) bool { return p.Value() != nil }) {
			return
		}
		time.Sleep(10 * time.Millisecond) // the connections end concurrently
	}
	t.Errorf("of %d tools some are kept after their sessions", len(kept))
}

// SenderTools gives tools to a principal in every revision. They are private, and obey Authorize.
func TestServerOptions_SenderTools(t *testing.T) {
	failure := errors.New("no directory")
	opts := &mcp.ServerOptions{
		Cache: protocol.CacheHint{TTLMillis: 1000, Public: true},
		SenderTools: func(_ context.Context, req *protocol.Request) ([]mcp.ServerTool, error) {
			switch req.Peer.Principal {
			case "ada":
				return []mcp.ServerTool{named("deploy", "deployed"), named("t", "hidden by the server"), named("deploy", "twice"), named("drop", "").With(mcp.ToolOptions{Permissions: []string{"admin"}})}, nil
			case "odd":
				return []mcp.ServerTool{{}}, nil
			case "failing":
				return nil, failure
			}
			return nil, nil
		},
		Authorize: func(_ context.Context, _ *protocol.Request, tool mcp.ServerTool) error {
			if len(tool.Permissions()) > 0 {
				return errors.New("not allowed")
			}
			return nil
		},
	}
	srv := newServer(t, opts, named("t", "of the server"))
	for _, rev := range protocol.Revisions() {
		do := func(principal, method, params string) string {
			t.Helper()
			meta := protocol.RequestMeta{Revision: rev}
			if !rev.Modern() {
				meta = meta.WithSession(new(protocol.SessionMeta))
			}
			result, err := srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Meta: meta, Peer: protocol.Peer{Principal: principal}})
			if err != nil {
				return "error: " + err.Error()
			}
			wire, err := result.AppendJSON(nil, rev)
			if err != nil {
				t.Fatal(err)
			}
			return string(wire)
		}
		for _, tc := range []struct{ principal, method, params, has, lacks string }{
			{"ada", "tools/list", "", `"deploy"`, `"drop"`},
			{"eve", "tools/list", "", `"t"`, `"deploy"`},
			{"eve", "tools/list", "", `"t"`, `"public"`},
			{"ada", "tools/call", `{"name":"deploy"}`, `"deployed"`, "twice"},
			{"ada", "tools/call", `{"name":"t"}`, "of the server", "hidden"},
			{"ada", "tools/call", `{"name":"drop"}`, "not allowed", "Unknown"},
			{"ada", "tools/call", `{"name":"deplo"}`, `did you mean "deploy"`, "hidden"},
			{"ada", "tools/call", `{"name":"dro"}`, "Unknown tool", `"drop"`},
			{"eve", "tools/call", `{"name":"deploy"}`, "Unknown tool", "did you mean"},
			{"odd", "tools/list", "", "misconfigured", `"t"`},
			{"odd", "tools/call", `{"name":"deploy"}`, "misconfigured", "Unknown"},
			{"odd", "tools/call", `{"name":"t"}`, "of the server", "misconfigured"},
			{"failing", "tools/list", "", "no directory", `"t"`},
			{"failing", "tools/call", `{"name":"deploy"}`, "no directory", "Unknown"},
		} {
			if got := do(tc.principal, tc.method, tc.params); !strings.Contains(got, tc.has) || strings.Contains(got, tc.lacks) {
				t.Errorf("%s: %s: %s %s: %s", rev, tc.principal, tc.method, tc.params, got)
			}
		}
	}
	alone := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, opts)
	if wire, err := dispatch(t, alone, "server/discover", ""); err != nil || !strings.Contains(wire, `"tools":{"listChanged":true}`) {
		t.Errorf("a server with such tools only: %s, %v", wire, err)
	}
}

// Sessions change, list and call their tools concurrently.
func TestSession_Concurrent(t *testing.T) {
	srv := builder(t, nil)
	var group sync.WaitGroup
	for i := range 4 {
		client := mcptest.Connect(t, srv, &mcp.ClientOptions{Revision: protocol.Rev20251125, OnListChanged: func(string) {}})
		for range 3 {
			group.Go(func() {
				for range 30 {
					project := fmt.Sprint("p", i)
					if _, err := client.CallTool(t.Context(), "open", projectArgs{project}, nil); err != nil {
						t.Error(err)
					}
					if text, err := mcp.Call[string](t.Context(), client, "build", nil); err == nil && text != "built "+project {
						t.Errorf("the tool of another session: %s", text)
					}
					for _, err := range client.Tools(t.Context()) {
						if err != nil {
							t.Error(err)
						}
					}
					if _, err := client.CallTool(t.Context(), "close", nil, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
}

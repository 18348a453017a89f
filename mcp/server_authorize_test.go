package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// byPrincipal lets principals use what they are named after, and "all" everything.
func byPrincipal(_ context.Context, req *protocol.Request, tool mcp.ServerTool) error {
	for _, needed := range tool.Permissions() {
		switch {
		case req.Peer.Principal == "all", req.Peer.Principal == needed:
		case needed == "protocol":
			return protocol.Errorf(-7, "not you")
		default:
			return &mcp.ToolError{Code: "PERMISSION_REQUIRED", Message: "this needs " + needed, Next: "ask for it"}
		}
	}
	return nil
}

// as asks a server as a principal, and returns the wire form of its answer.
func as(t *testing.T, srv *mcp.Server, principal, method, params string) (string, error) {
	t.Helper()
	result, err := srv.Dispatch(t.Context(), &protocol.Request{
		ID: "1", Method: method, Params: json.RawMessage(params), Meta: protocol.RequestMeta{Revision: protocol.Latest}, Peer: protocol.Peer{Principal: principal},
	})
	if err != nil {
		return "", err
	}
	wire, err := result.AppendJSON(nil, protocol.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return string(wire), nil
}

// guardedTools are n, of which every third needs the permission "a", and every
// third "b".
func guardedTools(n int) (tools []mcp.ServerTool) {
	for i, t := range many(n).Tools {
		tools = append(tools, t.With(mcp.ToolOptions{Permissions: [][]string{nil, {"a"}, {"b"}}[i%3]}))
	}
	return tools
}

// listedFor are the names of all pages of the tools that a principal sees.
func listedFor(t *testing.T, srv *mcp.Server, principal string) (names []string) {
	t.Helper()
	for params := `{}`; ; {
		got, err := as(t, srv, principal, "tools/list", params)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(got, `"public"`) || strings.Contains(got, "ermission") {
			t.Errorf("what depends on who asks is told as %s", got)
		}
		var list struct {
			Tools      []mcp.Tool `json:"tools"`
			NextCursor string     `json:"nextCursor"`
		}
		if err := json.Unmarshal([]byte(got), &list); err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if list.NextCursor == "" {
			return names
		}
		if len(list.Tools) != 2 {
			t.Errorf("a page of %d tools that is not the last", len(list.Tools))
		}
		params = fmt.Sprintf(`{"cursor":%q}`, list.NextCursor)
	}
}

// Each sees the tools that they may use, in full pages, and can call no others.
func TestAuthorize_ListAndCall(t *testing.T) {
	srv := newServer(t, &mcp.ServerOptions{Authorize: byPrincipal, PageSize: 2, Cache: protocol.CacheHint{TTLMillis: 5, Public: true}}, guardedTools(9)...)
	for principal, want := range map[string]string{
		"": "x0 x3 x6", "a": "x0 x1 x3 x4 x6 x7", "b": "x0 x2 x3 x5 x6 x8", "all": "x0 x1 x2 x3 x4 x5 x6 x7 x8",
	} {
		for range 2 { // what is encoded for one is not for another
			if got := listedFor(t, srv, principal); !slices.Equal(got, strings.Fields(want)) {
				t.Errorf("%q sees %v, want %s", principal, got, want)
			}
		}
		for _, name := range []string{"x0", "x1", "x2"} {
			got, err := as(t, srv, principal, "tools/call", `{"name":"`+name+`","arguments":{"unknown":1}}`)
			refused := strings.Contains(got, `"code":"PERMISSION_REQUIRED"`) && strings.Contains(got, `"isError":true`) && strings.Contains(got, "ask for it") && strings.Contains(got, "serverInfo")
			if may := strings.Contains(want, name); err != nil || refused == may || !may && strings.Contains(got, "unknown") {
				t.Errorf("%q calls %s: %s, %v", principal, name, got, err)
			}
		}
	}
	if len(srv.Tools()) != 9 {
		t.Errorf("the program itself sees %d tools", len(srv.Tools()))
	}
	for _, kind := range []string{"resources/list", "server/discover"} { // they are the same for all
		if err := srv.Replace("others", mcp.Features{ReserveResources: true}); err != nil {
			t.Fatal(err)
		}
		if got, err := as(t, srv, "", kind, `{}`); err != nil || !strings.Contains(got, `"public"`) {
			t.Errorf("%s: %s, %v", kind, got, err)
		}
	}
}

// A cursor names a place. Who does not see what is there begins again.
func TestAuthorize_CursorOfOtherPrincipal(t *testing.T) {
	srv := newServer(t, &mcp.ServerOptions{Authorize: byPrincipal, PageSize: 2}, guardedTools(9)...)
	got, err := as(t, srv, "a", "tools/list", `{}`) // ends with x1
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(got, `"nextCursor":"`)
	cursor, _, _ := strings.Cut(rest, `"`)
	for principal, want := range map[string]string{"all": `"x2"`, "a": `"x3"`} {
		if got, err := as(t, srv, principal, "tools/list", `{"cursor":"`+cursor+`"}`); err != nil || !strings.Contains(got, `"tools":[{"name":`+want) {
			t.Errorf("%q goes on with %s, %v", principal, got, err)
		}
	}
	if _, err := as(t, srv, "b", "tools/list", `{"cursor":"`+cursor+`"}`); code(err) != protocol.CodeInvalidParams {
		t.Errorf("who does not see the place gets %v", err)
	}
}

func TestAuthorize_ProtocolError(t *testing.T) {
	tool := mcp.NewTool(echoTool, echo).With(mcp.ToolOptions{Permissions: []string{"protocol"}})
	srv := newServer(t, &mcp.ServerOptions{Authorize: byPrincipal}, tool)
	if _, err := as(t, srv, "x", "tools/call", `{"name":"echo","arguments":{"text":"a"}}`); code(err) != -7 {
		t.Errorf("refused with %v", err)
	}
	if _, err := as(t, srv, "x", "tools/call", `{"name":"other"}`); code(err) != protocol.CodeInvalidParams {
		t.Errorf("a tool that does not exist: %v", err)
	}
	broken := newServer(t, &mcp.ServerOptions{Log: quiet, Authorize: func(context.Context, *protocol.Request, mcp.ServerTool) error { panic("ouch") }}, tool)
	for _, method := range []string{"tools/list", "tools/call"} {
		if _, err := as(t, broken, "x", method, `{"name":"echo"}`); code(err) != protocol.CodeInternal {
			t.Errorf("%s where nobody can decide: %v", method, err)
		}
	}
}

// Permissions belong to the tool under all of its names, and are nobody else's to
// change.
func TestPermissions_CopiesOfTool(t *testing.T) {
	needed := []string{"a", "b"}
	tool := mcp.NewTool(echoTool, echo).With(mcp.ToolOptions{Permissions: needed})
	needed[0] = "other"
	tool.Permissions()[1] = "other"
	for name, tc := range map[string]struct {
		tool mcp.ServerTool
		want []string
	}{
		"itself": {tool, []string{"a", "b"}}, "another name": {tool.Named("x").Describe("y").Wrap(), []string{"a", "b"}}, "other options": {tool.With(mcp.ToolOptions{Unlisted: true}), []string{"a", "b"}},
		"replaced": {tool.With(mcp.ToolOptions{Permissions: []string{"c"}}), []string{"c"}}, "taken away": {tool.With(mcp.ToolOptions{Permissions: []string{}}), nil},
	} {
		if got := tc.tool.Permissions(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// Whom a tool is shown to is a change of the list.
func TestPermissions_ChangeIsReported(t *testing.T) {
	tool := mcp.NewTool(echoTool, echo)
	srv := newServer(t, nil, tool)
	told := 0
	watch, ok := srv.Watch(protocol.SubscriptionFilter{ToolsListChanged: true}, func() { told++ })
	if !ok {
		t.Fatal("the server cannot be watched")
	}
	defer watch.Stop()
	for i, permissions := range [][]string{{"a"}, {"a"}, {"a", "b"}, {"ab"}, {}} {
		if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{tool.With(mcp.ToolOptions{Permissions: permissions})}}); err != nil {
			t.Fatal(err)
		}
		if got, want := len(watch.Take()), map[bool]int{true: 1}[i != 1]; got != want {
			t.Errorf("step %d: %d changes, want %d", i, got, want)
		}
	}
	if told != 4 {
		t.Errorf("told %d times", told)
	}
}

func TestPermissionsFrom(t *testing.T) {
	if given, ok := protocol.PermissionsFrom(t.Context()); ok || given != nil {
		t.Errorf("nobody was given %v", given)
	}
	all := []string{"a"}
	ctx := protocol.WithPermissions(t.Context(), all)
	all[0] = "b"
	if given, ok := protocol.PermissionsFrom(ctx); !ok || !slices.Equal(given, []string{"a"}) {
		t.Errorf("%v, %v", given, ok)
	}
	if given, ok := protocol.PermissionsFrom(protocol.WithPermissions(ctx, nil)); !ok || len(given) != 0 {
		t.Errorf("nothing was given, which is %v, %v", given, ok)
	}
}

func TestErrorResult(t *testing.T) {
	result := mcp.ErrorResult(fmt.Errorf("trying: %w", &mcp.ToolError{Code: "X", Message: "m", Next: "n", Err: errors.ErrUnsupported}))
	if !result.IsError || result.ErrorCode() != "X" || result.Blocks()[0].(mcp.TextContent).Text != "X: trying: m\nNext step: n" {
		t.Errorf("%+v", result)
	}
	if parts := result.Meta[protocol.ErrorMeta].(map[string]any); parts["nextStep"] != "n" || parts["message"] != "trying: m" {
		t.Errorf("%v", parts)
	}
}

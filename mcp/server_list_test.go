package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// many are n features of each kind.
func many(n int) mcp.Features {
	var f mcp.Features
	for i := range n {
		name := fmt.Sprint("x", i)
		f.Tools = append(f.Tools, mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil }))
		f.Resources = append(f.Resources, note(name, reads(hello, nil)))
		f.Templates = append(f.Templates, template[struct{}](name+":{a}"))
		f.Prompts = append(f.Prompts, mcp.NewPrompt(mcp.Prompt{Name: name}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return nil, nil }))
	}
	return f
}

// The lists, and what their items are called by.
var lists = []struct{ method, member, key string }{
	{"tools/list", "tools", "name"}, {"resources/list", "resources", "name"}, {"resources/templates/list", "resourceTemplates", "uriTemplate"}, {"prompts/list", "prompts", "name"},
}

// page asks for a page; cursor is raw JSON, empty for none.
func page(t *testing.T, srv *mcp.Server, method, member, key, cursor string) (names []string, next string, err error) {
	t.Helper()
	params := `{}`
	if cursor != "" {
		params = `{"cursor":` + cursor + `}`
	}
	got, err := dispatch(t, srv, method, params)
	if err != nil {
		return nil, "", err
	}
	var result map[string]json.RawMessage
	var items []map[string]any
	if err := json.Unmarshal([]byte(got), &result); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(result[member], &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		names = append(names, item[key].(string))
	}
	return names, string(result["nextCursor"]), nil
}

// All lists page alike. A cursor stays right while what is before it comes and
// goes, and belongs to its own list.
func TestServerList_Pages(t *testing.T) {
	srv := offering(t, &mcp.ServerOptions{PageSize: 2}, many(5))
	cursors := map[string]string{}
	for _, l := range lists {
		t.Run(l.member, func(t *testing.T) {
			var all []string
			cursor := ""
			for range 3 {
				names, next, err := page(t, srv, l.method, l.member, l.key, cursor)
				if err != nil {
					t.Fatal(err)
				}
				all, cursor = append(all, names...), next
				if cursors[l.method] == "" {
					cursors[l.method] = next
				}
			}
			for i, name := range all {
				all[i] = strings.TrimSuffix(name, ":{a}")
			}
			if cursor != "" || !slices.Equal(all, []string{"x0", "x1", "x2", "x3", "x4"}) {
				t.Errorf("%v, and then %q", all, cursor)
			}
			if names, _, err := page(t, srv, l.method, l.member, l.key, `""`); err != nil || len(names) != 2 {
				t.Errorf("the empty cursor: %v, %v", names, err)
			}
		})
	}
	for _, l := range lists {
		for method, cursor := range cursors {
			_, _, err := page(t, srv, l.method, l.member, l.key, cursor)
			if (err == nil) != (l.method == method) || err != nil && code(err) != protocol.CodeInvalidParams {
				t.Errorf("%s with the cursor of %s: %v", l.method, method, err)
			}
		}
		for _, cursor := range []string{`"!"`, `5`, `"YWZ0ZXI"`} {
			if _, _, err := page(t, srv, l.method, l.member, l.key, cursor); code(err) != protocol.CodeInvalidParams {
				t.Errorf("%s with the cursor %s: %v", l.method, cursor, err)
			}
		}
	}
	f := many(5)
	if err := srv.Replace("test", mcp.Features{Tools: f.Tools[1:], Resources: f.Resources[1:], Templates: f.Templates[1:], Prompts: f.Prompts[2:]}); err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		names, _, err := page(t, srv, l.method, l.member, l.key, cursors[l.method])
		if l.member == "prompts" {
			if code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "has changed") {
				t.Errorf("%s: a cursor whose place is gone: %v", l.method, err)
			}
		} else if err != nil || !strings.HasPrefix(names[0], "x2") {
			t.Errorf("%s: after a change: %v, %v", l.method, names, err)
		}
	}
}

// A page is written once a revision, and again when middleware changes it.
func TestServerList_MiddlewareChange(t *testing.T) {
	srv := offering(t, &mcp.ServerOptions{Cache: protocol.CacheHint{TTLMillis: 9, Public: true}}, many(2))
	for range 2 {
		for _, l := range lists {
			if got, err := dispatch(t, srv, l.method, `{}`); err != nil || !strings.Contains(got, "x1") || !strings.Contains(got, `"ttlMs":9,"cacheScope":"public"`) {
				t.Errorf("%s: %s, %v", l.method, got, err)
			}
		}
	}
	srv.Use(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			result, err := next(ctx, req)
			switch list := result.(type) {
			case *mcp.ListResult[mcp.Tool]:
				list.Items = list.Items[:1:1]
			case *mcp.ListResult[mcp.Resource]:
				list.Items = []mcp.Resource{{URI: "a:b", Name: "other"}}
			case *mcp.ListResult[mcp.ResourceTemplate]:
				list.Cache.TTLMillis = 3
			case *mcp.ListResult[mcp.Prompt]:
				list.NextCursor = "more"
			}
			return result, err
		}
	})
	for method, want := range map[string]string{
		"tools/list": `}],"ttlMs":9`, "resources/list": `"resources":[{"uri":"a:b","name":"other"}]`, "resources/templates/list": `"ttlMs":3`, "prompts/list": `"nextCursor":"more"`,
	} {
		got, err := dispatch(t, srv, method, `{}`)
		if err != nil || !strings.Contains(got, want) || method == "tools/list" && strings.Contains(got, "x1") {
			t.Errorf("%s: %s, %v", method, got, err)
		}
	}
}

// What a server does not offer does not exist; what is reserved is empty.
func TestServerList_UnofferedKinds(t *testing.T) {
	methods := map[string]string{
		"tools/list": "tools", "tools/call": "tools", "resources/list": "resources", "resources/templates/list": "resources", "resources/read": "resources",
		"prompts/list": "prompts", "prompts/get": "prompts", "completion/complete": "", "resources/other": "", "prompts/": "", "tools": "", "": "",
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	check := func(reserved mcp.Features) {
		t.Helper()
		if err := srv.Replace("o", reserved); err != nil {
			t.Fatal(err)
		}
		offered := map[string]bool{"tools": reserved.ReserveTools, "resources": reserved.ReserveResources, "prompts": reserved.ReservePrompts}
		for method, kind := range methods {
			_, err := dispatch(t, srv, method, `{"name":"x","uri":"a:x"}`)
			if exists := code(err) != protocol.CodeMethodNotFound; exists != offered[kind] {
				t.Errorf("%s with %v: %v", method, offered, err)
			}
		}
		got, err := dispatch(t, srv, "server/discover", `{}`)
		for kind, capability := range map[string]string{"tools": `"tools":{"listChanged":true}`, "resources": `"resources":{"subscribe":true,"listChanged":true}`, "prompts": `"prompts":{"listChanged":true}`} {
			if err != nil || strings.Contains(got, capability) != offered[kind] {
				t.Errorf("%v: %s, %v", offered, got, err)
			}
		}
	}
	check(mcp.Features{})
	check(mcp.Features{ReserveTools: true})
	check(mcp.Features{ReserveResources: true})
	check(mcp.Features{ReservePrompts: true})
	check(mcp.Features{ReserveTools: true, ReserveResources: true, ReservePrompts: true})
	for _, l := range lists {
		if names, _, err := page(t, srv, l.method, l.member, l.key, ""); err != nil || len(names) != 0 {
			t.Errorf("%s of nothing: %v, %v", l.method, names, err)
		}
	}
}

// All that is wrong with a registration is reported at once, and then nothing
// has changed.
func TestReplace_Atomic(t *testing.T) {
	srv := offering(t, nil, many(2))
	f := many(3)
	f.Tools, f.Prompts = f.Tools[1:], append(f.Prompts[2:], f.Prompts[2])
	err := srv.Replace("other", f)
	if err == nil {
		t.Fatal("everything was registered")
	}
	for _, want := range []string{
		`tool "x1" is offered by "test" and by "other"`, `resource "note:x0" is offered by "test" and by "other"`, `resource "note:x1"`,
		`resource template "x0:{a}" is offered`, `prompt "x2" is offered by "other" and by "other"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not mention %s", err, want)
		}
	}
	if len(srv.Tools()) != 2 || len(srv.Resources()) != 2 || len(srv.Templates()) != 2 || len(srv.Prompts()) != 2 {
		t.Error("a failed registration changed something")
	}
	if err := srv.Replace("test", many(3)); err != nil {
		t.Fatal(err)
	}
	for i, names := range [][]string{names(srv.Tools(), func(v mcp.Tool) string { return v.Name }), names(srv.Resources(), func(v mcp.Resource) string { return v.Name }),
		names(srv.Prompts(), func(v mcp.Prompt) string { return v.Name })} {
		if !slices.Equal(names, []string{"x0", "x1", "x2"}) {
			t.Errorf("list %d is now %v", i, names)
		}
	}
}

func names[T any](all []T, name func(T) string) []string {
	var out []string
	for _, v := range all {
		out = append(out, name(v))
	}
	return out
}

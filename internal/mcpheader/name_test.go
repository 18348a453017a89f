package mcpheader_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/mcpheader"
)

func TestStandard(t *testing.T) {
	for _, tc := range []struct {
		name, method, params string
		header               http.Header
		want                 string // in the error; empty for none
	}{
		{"a method without a name", "tools/list", `{}`, http.Header{"Mcp-Method": {"tools/list"}}, ""},
		{"no params", "tools/list", ``, http.Header{"Mcp-Method": {"tools/list"}}, ""},
		{"another method", "tools/list", `{}`, http.Header{"Mcp-Method": {"prompts/list"}}, `Mcp-Method is "prompts/list"`},
		{"the case of a value counts", "tools/list", `{}`, http.Header{"Mcp-Method": {"TOOLS/LIST"}}, "Mcp-Method"},
		{"no method", "tools/list", `{}`, http.Header{}, "Mcp-Method is missing"},
		{"two methods", "tools/list", `{}`, http.Header{"Mcp-Method": {"tools/list", "tools/call"}}, "more than once"},
		{"a tool", "tools/call", `{"name":"a"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"a"}}, ""},
		{"another tool", "tools/call", `{"name":"a"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"b"}}, `Mcp-Name is "b" and params.name is "a"`},
		{"no name", "tools/call", `{"name":"a"}`, http.Header{"Mcp-Method": {"tools/call"}}, "Mcp-Name is missing"},
		{"two names", "tools/call", `{"name":"a"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"a", "a"}}, "more than once"},
		{"an encoded name", "tools/call", `{"name":"\u4e16"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?5LiW?="}}, ""},
		{"a name encoded badly", "tools/call", `{"name":"\u4e16"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?5LiW==?="}}, "Base64"},
		{"a name with wrong characters", "tools/call", `{"name":"a"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"\xe9"}}, "characters"},
		{"a name that only looks encoded", "tools/call", `{"name":"=?base64?5LiW"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?5LiW"}}, ""},
		{"params without the name", "tools/call", `{}`, http.Header{"Mcp-Method": {"tools/call"}}, ""},
		{"a name of the wrong type", "tools/call", `{"name":1}`, http.Header{"Mcp-Method": {"tools/call"}}, ""},
		{"a name twice", "tools/call", `{"name":"a","n\u0061me":"b"}`, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"a"}}, "twice"},
		{"a resource", "resources/read", `{"uri":"a:b"}`, http.Header{"Mcp-Method": {"resources/read"}, "Mcp-Name": {"a:b"}}, ""},
		{"a prompt", "prompts/get", `{"name":"p"}`, http.Header{"Mcp-Method": {"prompts/get"}, "Mcp-Name": {"q"}}, "params.name"},
		{"a task", "tasks/get", `{"taskId":"t"}`, http.Header{"Mcp-Method": {"tasks/get"}}, "params.taskId"},
		{"a subscription has no name", "subscriptions/listen", `{"name":"x"}`, http.Header{"Mcp-Method": {"subscriptions/listen"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check(t, mcpheader.CheckStandard(tc.header, tc.method, []byte(tc.params)), tc.want)
		})
	}
}

// check compares an error with a part of its text; an empty part means none.
func check(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("unexpected: %v", err)
	case part != "" && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("got %v, want %q in it", err, part)
	}
}

// TestSetStandard checks that a server accepts the headers that a client sets.
func TestSetStandard(t *testing.T) {
	for _, tc := range []struct{ method, params, name string }{
		{"tools/list", `{}`, ""},
		{"tools/call", `{"name":"a b","arguments":{"name":"inner"}}`, "a b"},
		{"tools/call", `{"name":" \u4e16"}`, "=?base64?IOS4lg==?="},
		{"tools/call", `{}`, ""},
		{"resources/read", `{"uri":"file:///\u00e9"}`, "=?base64?ZmlsZTovLy/DqQ==?="},
	} {
		h := make(http.Header)
		if err := mcpheader.SetStandard(h, tc.method, []byte(tc.params)); err != nil {
			t.Errorf("%s %s: %v", tc.method, tc.params, err)
		}
		if h.Get(mcpheader.Name) != tc.name {
			t.Errorf("%s %s: Mcp-Name is %q", tc.method, tc.params, h.Get(mcpheader.Name))
		}
		check(t, mcpheader.CheckStandard(h, tc.method, []byte(tc.params)), "")
	}
	check(t, mcpheader.SetStandard(make(http.Header), "tools/call", []byte(`{"name":"a","name":"b"}`)), "twice")
}

func TestCheckVersion(t *testing.T) {
	for _, tc := range []struct {
		header http.Header
		want   string
	}{
		{http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}, ""},
		{http.Header{"Mcp-Protocol-Version": {"2025-11-25"}}, `"2025-11-25"`},
		{http.Header{"Mcp-Protocol-Version": {"2026-07-28", "2026-07-28"}}, "more than once"},
		{http.Header{}, "missing"},
	} {
		check(t, mcpheader.CheckVersion(tc.header, "2026-07-28"), tc.want)
	}
}

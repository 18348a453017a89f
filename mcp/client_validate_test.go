package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// On request, what a tool answers is checked against what its server promises.
func TestClientCheckResults_Structured(t *testing.T) {
	const listed = `{"tools":[
		{"name":"object","inputSchema":{},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},
		{"name":"free","inputSchema":{}},
		{"name":"special","inputSchema":{},"outputSchema":{"type":"object","properties":{"n":{}},"unevaluatedProperties":false}},
		{"name":"array","inputSchema":{},"outputSchema":{"type":"array","items":{"type":"number"}}}]}`
	for name, tc := range map[string]struct {
		tool, result string
		opts         mcp.ClientOptions
		want         string // a part of the error
	}{
		"it fits":                         {tool: "object", result: `{"content":[],"structuredContent":{"n":1}}`},
		"it does not fit":                 {tool: "object", result: `{"content":[],"structuredContent":{"n":"x"}}`, want: "n: "},
		"it is missing":                   {tool: "object", result: `{"content":[]}`, want: "no structured content"},
		"it is null":                      {tool: "object", result: `{"content":[],"structuredContent":null}`, want: "object"},
		"a failure":                       {tool: "object", result: `{"content":[],"isError":true}`},
		"nothing is promised":             {tool: "free", result: `{"content":[],"structuredContent":{"n":"x"}}`},
		"the tool is not listed":          {tool: "hidden", result: `{"content":[],"structuredContent":5}`},
		"an array that fits":              {tool: "array", result: `{"content":[],"structuredContent":[1,2.5]}`},
		"an array that does not fit":      {tool: "array", result: `{"content":[],"structuredContent":["x"]}`, want: "number"},
		"a schema that is not understood": {tool: "special", result: `{"content":[],"structuredContent":{"n":1}}`, want: "unevaluatedProperties"},
		"a reference understands it":      {tool: "special", result: `{"content":[],"structuredContent":{"n":1}}`, opts: mcp.ClientOptions{Reference: reference.Validator}},
		"and judges":                      {tool: "special", result: `{"content":[],"structuredContent":{"m":1}}`, opts: mcp.ClientOptions{Reference: reference.Validator}, want: "m"},
		"nobody has asked for it":         {tool: "object", result: `{"content":[],"structuredContent":{"n":"x"}}`, opts: mcp.ClientOptions{CacheEntries: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.opts.CheckResults = name != "nobody has asked for it"
			client := mcptest.Connect(t, fake{"tools/list": says(listed), "tools/call": says(tc.result)}, &tc.opts)
			for range 2 {
				result, err := client.CallTool(t.Context(), tc.tool, nil, nil)
				if tc.want == "" {
					if err != nil {
						t.Error(err)
					}
					continue
				}
				var wrong *mcp.ResultError
				if !errors.As(err, &wrong) || result != nil || wrong.Tool != tc.tool || wrong.Result == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want an error with %q", err, tc.want)
				}
			}
		})
	}
}

// The schemas are listed once, again when the list changes, and before a result
// is refused by a schema that was read before.
func TestClientCheckResults_ListsOnDemand(t *testing.T) {
	lists, kind, content := 0, "integer", "1"
	client := mcptest.Connect(t, fake{
		"tools/list": func(context.Context, *protocol.Request) (protocol.Result, error) {
			lists++
			return protocol.RawResult(`{"tools":[{"name":"t","inputSchema":{},"outputSchema":{"type":"` + kind + `"}}],"ttlMs":100000}`), nil
		},
		"tools/call": func(context.Context, *protocol.Request) (protocol.Result, error) {
			return protocol.RawResult(`{"content":[],"structuredContent":` + content + `}`), nil
		},
	}, &mcp.ClientOptions{CheckResults: true})
	for _, step := range []struct {
		what   string
		before func()
		lists  int // in all
		fails  bool
	}{
		{what: "the first call", lists: 1},
		{what: "the second", lists: 1},
		{what: "a schema that has changed without notice", before: func() { kind, content = "string", `"x"` }, lists: 2},
		{what: "a result that is wrong", before: func() { content = "true" }, lists: 3, fails: true},
		{what: "another one", lists: 4, fails: true},
		{what: "after the cache was cleared", before: func() { content = `"x"`; client.ClearCache() }, lists: 5},
	} {
		if step.before != nil {
			step.before()
		}
		if _, err := client.CallTool(t.Context(), "t", nil, nil); (err != nil) != step.fails || lists != step.lists {
			t.Errorf("%s: %v, and %d lists, want %d", step.what, err, lists, step.lists)
		}
	}
}

// A list that cannot be had is no reason to trust a result.
func TestClientCheckResults_ListFails(t *testing.T) {
	client := mcptest.Connect(t, fake{"tools/call": says(`{"content":[]}`)}, &mcp.ClientOptions{CheckResults: true})
	var e *protocol.Error
	if _, err := client.CallTool(t.Context(), "t", nil, nil); !errors.As(err, &e) || e.Code != protocol.CodeMethodNotFound {
		t.Errorf("%v", err)
	}
}

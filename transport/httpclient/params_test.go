package httpclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"
)

// tool is a tool with one property.
func tool(name, property string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"region":%s}}}`, name, property)
}

const marked = `{"type":"string","x-mcp-header":"Region"}`

// list answers tools/list with pages of tools.
func list(pages ...[]string) func(*reply, *request) {
	return func(w *reply, r *request) {
		var params struct{ Cursor string }
		_ = json.Unmarshal(r.Params, &params)
		var page int
		_, _ = fmt.Sscan(params.Cursor, &page)
		next := ""
		if page+1 < len(pages) {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, page+1)
		}
		w.result(fmt.Sprintf(`{"resultType":"complete","tools":[%s]%s,"ttlMs":0,"cacheScope":"private"}`, strings.Join(pages[page], ","), next))
	}
}

// params are the headers of a request that repeat parameters.
func params(r *request) http.Header {
	found := make(http.Header)
	for name, values := range r.Header {
		if strings.HasPrefix(name, "Mcp-Param-") {
			found[name] = values
		}
	}
	return found
}

// Parameters that a tool's schema marks are repeated in headers (2026-07-28,
// server/tools, "x-mcp-header").
func TestParamHeaders_Set(t *testing.T) {
	const schema = `{"name":"x","inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},
		"b":{"type":"boolean","x-mcp-header":"b"},"o":{"properties":{"p":{"type":"string","x-mcp-header":"Deep"}}},"other":{"type":"string"}}}}`
	for arguments, want := range map[string]http.Header{
		`{"region":"us-west1","n":42,"b":false,"o":{"p":"q"},"other":"x"}`: {"Mcp-Param-Region": {"us-west1"}, "Mcp-Param-N": {"42"}, "Mcp-Param-B": {"false"}, "Mcp-Param-Deep": {"q"}},
		`{"region":" us","n":null}`:                                        {"Mcp-Param-Region": {"=?base64?IHVz?="}},
		`{"region":""}`:                                                    {"Mcp-Param-Region": {""}},
		`{}`:                                                               {},
	} {
		bubble(t, arguments, func(t *testing.T) {
			f := modern(handlers{"tools/list": list([]string{schema}), "tools/call": func(w *reply, _ *request) { w.result(done) }})
			conn := connect(t, serve(t, f), &newHost("").Host)
			call1 := `{"name":"x","arguments":` + arguments + `}`
			for _, method := range []string{"tools/call", "tools/list", "tools/call"} {
				p := ""
				if method == "tools/call" {
					p = call1
				}
				if _, err := call(t.Context(), conn, method, p); err != nil {
					t.Fatal(err)
				}
			}
			calls := f.requests("tools/call")
			if diff := testdiff.Diff(http.Header{}, params(calls[0])); diff != "" {
				t.Errorf("before the schema was seen: %s", diff)
			}
			if diff := testdiff.Diff(want, params(calls[1])); diff != "" {
				t.Errorf("after: %s", diff)
			}
		})
	}
}

// Tools whose marks are invalid do not reach the host; the rest of the page does
// as it is.
func TestParamHeaders_InvalidTools(t *testing.T) {
	bubble(t, "a page", func(t *testing.T) {
		good, plain := tool("good", marked), tool("plain", `{"type":"number"}`)
		conn := connect(t, serve(t, modern(handlers{"tools/list": list(
			[]string{tool("number", `{"type":"number","x-mcp-header":"R"}`), good, tool("blank", `{"type":"string","x-mcp-header":"a b"}`), plain, tool("empty", `{"type":"string","x-mcp-header":""}`)},
			[]string{good, plain},
			[]string{tool("number", `{"type":"number","x-mcp-header":"R"}`)},
		)})), &newHost("").Host)
		for cursor, want := range map[string]string{
			"":  `{"resultType":"complete","tools":[` + good + `,` + plain + `],"nextCursor":"1","ttlMs":0,"cacheScope":"private"}`,
			"1": `{"resultType":"complete","tools":[` + good + `,` + plain + `],"nextCursor":"2","ttlMs":0,"cacheScope":"private"}`,
			"2": `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`,
		} {
			got, err := call(t.Context(), conn, "tools/list", `{"cursor":"`+cursor+`"}`)
			if diff := testdiff.Diff(want, got); diff != "" || err != nil {
				t.Errorf("page %s: %v %s", cursor, err, diff)
			}
		}
	})
	for _, page := range []string{`{}`, `{"tools":7}`, `[]`, `{"tools":[7,null,{}]}`, `"x"`} {
		bubble(t, page, func(t *testing.T) {
			conn := connect(t, serve(t, modern(handlers{"tools/list": func(w *reply, _ *request) { w.result(page) }})), &newHost("").Host)
			if got, err := call(t.Context(), conn, "tools/list", ""); got != page || err != nil {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// After an error about missing headers, the client sends the headers that the
// schema of the tool requires.
func TestParamHeaders_UnknownTool(t *testing.T) {
	const mismatch = `{"code":-32020,"message":"Header mismatch"}`
	others := []string{tool("other", marked)}
	for name, tc := range map[string]struct {
		list func(*reply, *request)
		log  string
		ok   bool
	}{
		"never listed":         {list(others, []string{tool("x", marked)}), "tools/call tools/list tools/list tools/call", true},
		"no headers after all": {list(others, []string{tool("x", `{}`)}), "tools/call tools/list tools/list", false},
		"another header":       {list([]string{tool("x", strings.Replace(marked, "Region", "Zone", 1))}), "tools/call tools/list tools/call", false},
		"unknown":              {list(others, others), "tools/call tools/list tools/list", false},
		"the list fails":       {fails(200, `{"code":-32603,"message":"no"}`), "tools/call tools/list", false},
		"pages without end": {func(w *reply, r *request) {
			w.result(`{"tools":[],"nextCursor":"again"}`)
		}, "tools/call tools/list tools/list", false},
		"cursors without end": {func(w *reply, r *request) {
			w.result(fmt.Sprintf(`{"tools":[],"nextCursor":"%s"}`, r.ID))
		}, "tools/call" + strings.Repeat(" tools/list", 100), false},
	} {
		bubble(t, name, func(t *testing.T) {
			f := modern(handlers{"tools/list": tc.list, "tools/call": func(w *reply, r *request) {
				if r.Header.Get("Mcp-Param-Region") == "" {
					w.fail(400, mismatch)
					return
				}
				w.result(done)
			}})
			conn := connect(t, serve(t, f), &newHost("").Host)
			got, err := call(t.Context(), conn, "tools/call", `{"name":"x","arguments":{"region":"eu"}}`)
			if tc.ok && (got != done || err != nil) || !tc.ok && (err == nil || err.Error() != "Header mismatch") {
				t.Errorf("got %s, %v", got, err)
			}
			if log := strings.TrimPrefix(f.log(), "server/discover "); log != tc.log {
				t.Errorf("the server got %s, want %s", log, tc.log)
			}
			var ids []string
			for _, r := range f.got {
				ids = append(ids, string(r.ID))
			}
			if slices.Sort(ids); len(slices.Compact(ids)) != len(f.got) {
				t.Errorf("an id was used twice: %v", ids)
			}
		})
	}
	bubble(t, "a schema that has changed", func(t *testing.T) {
		zone := strings.Replace(marked, "Region", "Zone", 1)
		f := modern(handlers{"tools/list": flaky(list([]string{tool("x", zone)}), list([]string{tool("x", marked)})), "tools/call": func(w *reply, r *request) {
			if diff := testdiff.Diff(http.Header{"Mcp-Param-Region": {"eu"}}, params(r)); diff != "" {
				w.fail(400, mismatch)
				return
			}
			w.result(done)
		}})
		conn := connect(t, serve(t, f), &newHost("").Host)
		if _, err := call(t.Context(), conn, "tools/list", ""); err != nil {
			t.Fatal(err)
		}
		if got, err := call(t.Context(), conn, "tools/call", `{"name":"x","arguments":{"region":"eu"}}`); got != done || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// However many marks a server makes, only so many are remembered.
func TestParamHeaders_Limit(t *testing.T) {
	bubble(t, "many", func(t *testing.T) {
		var tools []string
		for i := range 400 {
			properties := make([]string, 50)
			for j := range properties {
				properties[j] = fmt.Sprintf(`"p%d":{"type":"string","x-mcp-header":"P%d"}`, j, j)
			}
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"properties":{%s}}}`, i, strings.Join(properties, ",")))
		}
		f := modern(handlers{"tools/list": list(tools), "tools/call": func(w *reply, _ *request) { w.result(done) }})
		conn := connect(t, serve(t, f), &newHost("").Host)
		for range 2 { // a list that comes again takes no more room
			if _, err := call(t.Context(), conn, "tools/list", ""); err != nil {
				t.Fatal(err)
			}
		}
		for name, want := range map[string]int{"t0": 1, "t300": 1, "t399": 0} {
			if _, err := call(t.Context(), conn, "tools/call", `{"name":"`+name+`","arguments":{"p0":"x"}}`); err != nil {
				t.Fatal(err)
			}
			calls := f.requests("tools/call")
			if got := params(calls[len(calls)-1]); len(got) != want {
				t.Errorf("%s was called with %v", name, got)
			}
		}
	})
}

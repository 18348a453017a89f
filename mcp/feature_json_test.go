package mcp_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func ptr[T any](v T) *T { return &v }

var full = struct {
	resource mcp.Resource
	template mcp.ResourceTemplate
	prompt   mcp.Prompt
}{
	mcp.Resource{
		URI: "a:b", Name: "n\u2028", Title: "t", Description: "d", MIMEType: "text/plain", Size: ptr(int64(0)),
		Annotations: &mcp.Annotations{Audience: []string{"user"}, Priority: ptr(0.0), LastModified: "2026-07-28T00:00:00Z"},
		Icons:       []protocol.Icon{{Src: "https://example.com/i.png"}}, Meta: mcp.Meta{"example.com/k": "v"},
	},
	mcp.ResourceTemplate{
		URITemplate: "a:{b}", Name: "n", Title: "t", Description: "d", MIMEType: "text/plain",
		Annotations: &mcp.Annotations{LastModified: "2026-07-28T00:00:00Z"}, Icons: []protocol.Icon{{Src: "https://example.com/i.png"}}, Meta: mcp.Meta{"example.com/k": "v"},
	},
	mcp.Prompt{
		Name: "n", Title: "t", Description: "d", Arguments: []mcp.PromptArgument{{Name: "a", Title: "t", Description: "d", Required: true}, {Name: "b"}},
		Icons: []protocol.Icon{{Src: "https://example.com/i.png"}}, Meta: mcp.Meta{"example.com/k": "v"},
	},
}

// What a revision does not have is not written in it, and everything that is
// written in the latest is read again.
func TestFeatureJSON_EveryRevision(t *testing.T) {
	newer := map[string]protocol.Revision{
		`"title":"t"`: protocol.Rev20250618, `"icons":[`: protocol.Rev20251125, `"_meta":{"example.com/k":"v"}`: protocol.Rev20250618, `"lastModified":"2026-07-28T00:00:00Z"`: protocol.Rev20250618,
		`"resultType":"complete"`: protocol.Rev20260728, `"ttlMs":5`: protocol.Rev20260728, `"cacheScope":"public"`: protocol.Rev20260728,
	}
	cache := protocol.CacheHint{TTLMillis: 5, Public: true}
	for name, tc := range map[string]struct {
		result protocol.Result
		always []string // members of all revisions
		lacks  []string // of newer, for what this result never has
	}{
		"resources": {
			&mcp.ListResult[mcp.Resource]{Items: []mcp.Resource{full.resource}, NextCursor: "c", Cache: cache},
			[]string{`"resources":[{"uri":"a:b","name":"n` + "\u2028" + `"`, `"description":"d"`, `"mimeType":"text/plain"`, `"size":0`, `"priority":0`, `"nextCursor":"c"`}, nil,
		},
		"templates": {
			&mcp.ListResult[mcp.ResourceTemplate]{Items: []mcp.ResourceTemplate{full.template}, Cache: cache},
			[]string{`"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n"`, `"description":"d"`, `"mimeType":"text/plain"`}, nil,
		},
		"prompts": {
			&mcp.ListResult[mcp.Prompt]{Items: []mcp.Prompt{full.prompt}, Cache: cache},
			[]string{`"prompts":[{"name":"n"`, `"required":true`, `{"name":"b"}`}, []string{`"lastModified":"2026-07-28T00:00:00Z"`},
		},
		"contents": {
			&mcp.ReadResult{Contents: []mcp.ResourceContents{{URI: "a:b", Blob: []byte{}}, {URI: "a:c", MIMEType: "x/y"}}, Cache: cache, Meta: mcp.Meta{"example.com/k": "v"}},
			[]string{`"contents":[{"uri":"a:b","blob":""},{"uri":"a:c","mimeType":"x/y","text":""}]`}, []string{`"title":"t"`, `"icons":[`, `"lastModified":"2026-07-28T00:00:00Z"`},
		},
		"no contents": {&mcp.ReadResult{Cache: cache}, []string{`"contents":[]`}, []string{`"title":"t"`, `"icons":[`, `"lastModified":"2026-07-28T00:00:00Z"`, `"_meta":{"example.com/k":"v"}`}},
	} {
		for _, rev := range protocol.Revisions() {
			wire, err := tc.result.AppendJSON(nil, rev)
			if err != nil || !json.Valid(wire) {
				t.Fatalf("%s in %s: %s, %v", name, rev, wire, err)
			}
			for _, member := range tc.always {
				if !strings.Contains(string(wire), member) {
					t.Errorf("%s in %s: %s lacks %s", name, rev, wire, member)
				}
			}
			for member, since := range newer {
				want := rev >= since
				for _, never := range tc.lacks {
					want = want && member != never
				}
				// The results that carry _meta of their own do so in all revisions.
				if name == "contents" && strings.HasPrefix(member, `"_meta"`) {
					continue
				}
				if strings.Contains(string(wire), member) != want {
					t.Errorf("%s in %s: %s; has %s = %v", name, rev, wire, member, !want)
				}
			}
		}
	}
}

func TestFeatureJSON_RoundTrip(t *testing.T) {
	audio := mcp.PromptMessage{Role: mcp.RoleAssistant, Content: mcp.AudioContent{Data: []byte("x"), MIMEType: "audio/wav"}}
	for _, v := range []any{
		&full.resource, &full.template, &full.prompt, &full.prompt.Arguments[0], &audio,
		&mcp.ResourceContents{URI: "a:b", Text: "t", Meta: mcp.Meta{"example.com/k": "v"}}, &mcp.ResourceContents{URI: "a:b", MIMEType: "x/y", Blob: []byte{}},
		&mcp.Completion{Values: []string{"a"}, Total: 3, HasMore: true}, &mcp.Completion{Values: []string{}},
	} {
		wire, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		again := reflect.New(reflect.TypeOf(v).Elem()).Interface()
		if err := json.Unmarshal(wire, again); err != nil || !reflect.DeepEqual(again, v) {
			t.Errorf("%s is read as %+v, %v; it was %+v", wire, again, err, v)
		}
		for _, broken := range []string{`5`, `{"name":5,"uri":5,"uriTemplate":5,"values":5,"role":5}`} {
			if err := json.Unmarshal([]byte(broken), again); err == nil {
				t.Errorf("%s is read as a %T", broken, v)
			}
		}
	}
	for _, result := range []protocol.Result{
		&mcp.ReadResult{Contents: []mcp.ResourceContents{{URI: "a:b", Text: "t"}}, Cache: protocol.CacheHint{TTLMillis: 7, Public: true}, Meta: mcp.Meta{"example.com/k": "v"}},
		&mcp.PromptResult{Description: "d", Messages: []mcp.PromptMessage{mcp.UserText("u"), mcp.AssistantText("a"), audio}, Meta: mcp.Meta{"example.com/k": "v"}},
		&mcp.CompleteResult{Completion: mcp.Completion{Values: []string{"a"}}, Meta: mcp.Meta{"example.com/k": "v"}},
	} {
		for _, rev := range protocol.Revisions() {
			wire, err := result.AppendJSON(nil, rev)
			again := reflect.New(reflect.TypeOf(result).Elem()).Interface()
			if err == nil {
				err = json.Unmarshal(wire, again)
			}
			if read, ok := again.(*mcp.ReadResult); ok && !rev.Modern() && read.Cache == (protocol.CacheHint{}) {
				read.Cache = protocol.CacheHint{TTLMillis: 7, Public: true} // sessions have no such thing
			}
			if prompt, ok := again.(*mcp.PromptResult); ok && rev < protocol.Rev20250326 {
				prompt.Messages[2] = audio // it is text there
			}
			if err != nil || !reflect.DeepEqual(again, result) {
				t.Errorf("%s: %s is read as %+v, %v", rev, wire, again, err)
			}
		}
		if err := json.Unmarshal([]byte(`{"contents":5,"messages":5,"completion":5}`), result); err == nil {
			t.Errorf("nonsense is read as a %T", result)
		}
	}
}

func TestEmbeddedResource_MisplacedAnnotations(t *testing.T) {
	var m mcp.PromptMessage
	err := json.Unmarshal([]byte(`{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":"t","annotations":{"priority":1}}}}`), &m)
	embedded, ok := m.Content.(mcp.EmbeddedResource)
	if err != nil || !ok || embedded.Annotations == nil || *embedded.Annotations.Priority != 1 || embedded.Resource.Text != "t" {
		t.Errorf("%+v, %v", m, err)
	}
	if err := json.Unmarshal([]byte(`{"role":"user","content":{"type":"resource","resource":5}}`), &m); err == nil {
		t.Error("a number was taken for a resource")
	}
}

func TestResource_Link(t *testing.T) {
	wire, err := json.Marshal(mcp.PromptMessage{Role: mcp.RoleUser, Content: full.resource.Link()})
	if err != nil || !strings.Contains(string(wire), `{"type":"resource_link","uri":"a:b","name":"n`) || !strings.Contains(string(wire), `"size":0,"icons":[`) {
		t.Errorf("%s, %v", wire, err)
	}
	if wire, _ := json.Marshal(mcp.PromptMessage{Role: mcp.RoleUser}); string(wire) != `{"role":"user","content":{"type":"text","text":""}}` {
		t.Errorf("a message without content is %s", wire)
	}
}

// However many values a completer returns, no more than 100 are sent.
func TestCompletion_Truncated(t *testing.T) {
	for _, tc := range []struct {
		values, total int
		hasMore       bool
		want          string
	}{
		{0, 0, false, `{"values":[]}`},
		{1, 0, true, `{"values":["v"],"hasMore":true}`},
		{1, 1, false, `{"values":["v"],"total":1}`},
		{1, 2, false, `{"values":["v"],"total":2,"hasMore":true}`},
		{100, 0, false, `"v"]}`},
		{101, 0, false, `"v"],"total":101,"hasMore":true}`},
		{101, 500, false, `"v"],"total":500,"hasMore":true}`},
	} {
		c := mcp.Completion{Total: tc.total, HasMore: tc.hasMore}
		for range tc.values {
			c.Values = append(c.Values, "v")
		}
		wire, err := json.Marshal(c)
		if err != nil || !strings.HasSuffix(string(wire), tc.want) || strings.Count(string(wire), `"v"`) != min(tc.values, 100) {
			t.Errorf("%d of %d: %s, %v", tc.values, tc.total, wire, err)
		}
	}
}

// Null is a value that structured content may have in 2026-07-28; before, only
// objects are.
func TestToolResult_StructuredNull(t *testing.T) {
	for structured, since := range map[string]protocol.Revision{"": "never", "null": protocol.Rev20260728, "[]": protocol.Rev20260728, "0": protocol.Rev20260728, "{}": protocol.Rev20250618} {
		for _, rev := range protocol.Revisions() {
			in := mcp.ToolResult{}
			if structured != "" {
				in.Structured = json.RawMessage(structured)
			}
			wire, err := in.AppendJSON(nil, rev)
			var out mcp.ToolResult
			if err == nil {
				err = json.Unmarshal(wire, &out)
			}
			if has := strings.Contains(string(wire), `"structuredContent":`+structured); err != nil || structured != "" && has != (rev >= since) || has && string(out.Structured) != structured {
				t.Errorf("%q in %s: %s, read as %q, %v", structured, rev, wire, out.Structured, err)
			}
		}
	}
}

// A hint that is not given is not the same as one that is false.
func TestToolAnnotations_Absent(t *testing.T) {
	in := mcp.Tool{Name: "t", InputSchema: json.RawMessage(`{}`), Annotations: &mcp.ToolAnnotations{Idempotent: ptr(false)}}
	wire, err := json.Marshal(in)
	var out mcp.Tool
	if err == nil {
		err = json.Unmarshal(wire, &out)
	}
	if err != nil || !strings.Contains(string(wire), `"annotations":{"idempotentHint":false}`) || out.Annotations.Destructive != nil || out.Annotations.Idempotent == nil {
		t.Errorf("%s, %+v, %v", wire, out.Annotations, err)
	}
}

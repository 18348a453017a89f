package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// asker is a server whose tool asks one question and tells what it was answered.
func asker(method, params string) fake {
	return fake{"tools/call": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		question := protocol.InputRequest{Method: method, Params: json.RawMessage(params)}
		var answer json.RawMessage
		if req.Asker != nil {
			answers, err := req.Asker.Ask(ctx, map[string]protocol.InputRequest{"q": question})
			if err != nil {
				return nil, err
			}
			answer = answers["q"]
		} else {
			var round struct {
				InputResponses map[string]json.RawMessage
			}
			if err := json.Unmarshal(req.Params, &round); err != nil {
				return nil, err
			}
			if answer = round.InputResponses["q"]; answer == nil {
				return &protocol.InputRequired{Requests: map[string]protocol.InputRequest{"q": question}, State: "s"}, nil
			}
		}
		return mcp.Text(string(answer)), nil
	}}
}

// answered calls the tool of an asker.
func answered(t *testing.T, srv fake, opts mcp.ClientOptions) string {
	t.Helper()
	text, err := mcp.Call[string](t.Context(), mcptest.Connect(t, srv, &opts), "ask", nil)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// The client fills in the defaults of a form that the user has left out, and
// nothing else.
func TestClientAnswer_FormDefaults(t *testing.T) {
	const form = `{"message":"?","requestedSchema":{"type":"object","required":["s"],"properties":{"s":{"type":"string","default":"d"},"n":{"type":"integer","default":9007199254740993},"b":{"type":"boolean","default":false},"m":{"type":"array","items":{"enum":["x","y"]},"default":["x"]},"o":{"type":"string"},"z":{"type":"string","default":null}}}}`
	for name, tc := range map[string]struct {
		form   string
		answer mcp.Answer[json.RawMessage]
		want   string
	}{
		"nothing":               {form, mcp.Answer[json.RawMessage]{Action: mcp.Accept}, `{"action":"accept","content":{"b":false,"m":["x"],"n":9007199254740993,"s":"d"}}`},
		"null":                  {form, mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`null`)}, `{"action":"accept","content":{"b":false,"m":["x"],"n":9007199254740993,"s":"d"}}`},
		"an empty object":       {form, mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{}`)}, `{"action":"accept","content":{"b":false,"m":["x"],"n":9007199254740993,"s":"d"}}`},
		"some":                  {form, mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"s":"", "n":1, "more":9007199254740993}`)}, `{"action":"accept","content":{"b":false,"m":["x"],"more":9007199254740993,"n":1,"s":""}}`},
		"all":                   {form, mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"s":"<&>","n":1,"b":true,"m":[],"o":"o","z":"z"}`)}, `{"action":"accept","content":{"b":true,"m":[],"n":1,"o":"o","s":"<&>","z":"z"}}`},
		"declined":              {form, mcp.Answer[json.RawMessage]{Action: mcp.Decline, Value: json.RawMessage(`{"s":"x"}`)}, `{"action":"decline"}`},
		"cancelled":             {form, mcp.Answer[json.RawMessage]{Action: mcp.Cancel}, `{"action":"cancel"}`},
		"not answered":          {form, mcp.Answer[json.RawMessage]{}, `{"action":"cancel"}`},
		"a form without fields": {`{"message":"?","requestedSchema":{"type":"object"}}`, mcp.Answer[json.RawMessage]{Action: mcp.Accept}, `{"action":"accept","content":{}}`},
		"a form that is wrong":  {`{"message":"?","requestedSchema":{"properties":[]}}`, mcp.Answer[json.RawMessage]{Action: mcp.Accept}, `{"action":"accept","content":{}}`},
		"no form":               {`{"message":"?"}`, mcp.Answer[json.RawMessage]{Action: mcp.Accept}, `{"action":"accept","content":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
				got := answered(t, asker("elicitation/create", tc.form), mcp.ClientOptions{
					Revision: rev, Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) { return tc.answer, nil },
				})
				if got != tc.want {
					t.Errorf("answered %s\nwant     %s", got, tc.want)
				}
			})
		})
	}
}

// Questions of all kinds are answered by who was set for them.
func TestClientAnswer_EveryKind(t *testing.T) {
	all := mcp.ClientOptions{
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(fmt.Sprintf(`{"asked":%q}`, form.Message))}, nil
		},
		ElicitURL: func(_ context.Context, message, url string) (mcp.Action, error) {
			if message != "go" || url != "https://example.com/" {
				return "", fmt.Errorf("asked %q to %q", message, url)
			}
			return mcp.Accept, nil
		},
		Sample: func(_ context.Context, params mcp.SampleParams) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: fmt.Sprint(params.MaxTokens)}}, Model: "m"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///r", Name: "r"}}, nil },
	}
	none := mcp.ClientOptions{}
	failing := mcp.ClientOptions{
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{}, errors.New("no user")
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return nil, errors.New("no disk") },
	}
	odd := mcp.ClientOptions{
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: "perhaps"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil },
	}
	list := mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`["x"]`)}, nil
	}}
	for _, tc := range []struct {
		name, method, params string
		opts                 mcp.ClientOptions
		want                 string // of which an error need only have a part
	}{
		{"a form", "elicitation/create", `{"mode":"form","message":"who","requestedSchema":{}}`, all, `{"action":"accept","content":{"asked":"who"}}`},
		{"a page", "elicitation/create", `{"mode":"url","message":"go","url":"https://example.com/"}`, all, `{"action":"accept"}`},
		{"another page", "elicitation/create", `{"mode":"url","message":"go","url":"https://example.net/"}`, all, `https://example.net/`},
		{"a mode of the future", "elicitation/create", `{"mode":"dance","message":"go"}`, all, `"dance"`},
		{"a page without who could open it", "elicitation/create", `{"mode":"url","message":"go","url":"x"}`, list, `"url"`},
		{"nonsense", "elicitation/create", `[]`, all, `Invalid params of elicitation/create`},
		{"a sample", "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":15}`, all, `{"role":"assistant","content":{"type":"text","text":"15"},"model":"m"}`},
		{"roots", "roots/list", `{}`, all, `{"roots":[{"uri":"file:///r","name":"r"}]}`},
		{"no roots", "roots/list", `{}`, odd, `{"roots":[]}`},
		{"something else", "tools/call", `{}`, all, `does not offer tools/call`},
		{"a form to nobody", "elicitation/create", `{}`, none, `does not offer elicitation/create`},
		{"a sample of nobody", "sampling/createMessage", `{}`, none, `does not offer sampling/createMessage`},
		{"roots of nobody", "roots/list", `{}`, none, `does not offer roots/list`},
		{"a form that nobody can fill in", "elicitation/create", `{}`, failing, `no user`},
		{"roots that cannot be found", "roots/list", `{}`, failing, `no disk`},
		{"an odd action", "elicitation/create", `{}`, odd, `"perhaps"`},
		{"content that is no object", "elicitation/create", `{"requestedSchema":{}}`, list, `must be a JSON object`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
				tc.opts.Revision = rev
				got := answered(t, asker(tc.method, tc.params), tc.opts)
				if got != tc.want && (!strings.HasPrefix(got, "error: ") || !strings.Contains(got, tc.want)) {
					t.Errorf("answered %s\nwant     %s", got, tc.want)
				}
			})
		})
	}
}

// What a client can do it says, in the way of each revision, and nothing more.
func TestConnect_DeclaresCapabilities(t *testing.T) {
	elicit := func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{}, nil
	}
	opts := mcp.ClientOptions{
		Elicit:     elicit,
		ElicitURL:  func(context.Context, string, string) (mcp.Action, error) { return mcp.Cancel, nil },
		Sample:     func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) { return nil, nil },
		Roots:      func(context.Context) ([]mcp.Root, error) { return nil, nil },
		Extensions: map[string]json.RawMessage{"com.example/a": json.RawMessage(`{"x":1}`), "com.example/b": nil},
	}
	const extensions = `"experimental":{"` + protocol.StructuredCapability + `":{}},"extensions":{"com.example/a":{"x":1},"com.example/b":{}}`
	for rev, want := range map[protocol.Revision]string{
		protocol.Rev20241105: `{` + extensions + `,"roots":{"listChanged":true},"sampling":{}}`,
		protocol.Rev20250326: `{` + extensions + `,"roots":{"listChanged":true},"sampling":{}}`,
		protocol.Rev20250618: `{"elicitation":{},` + extensions + `,"roots":{"listChanged":true},"sampling":{}}`,
		protocol.Rev20251125: `{"elicitation":{"form":{},"url":{}},` + extensions + `,"roots":{"listChanged":true},"sampling":{}}`,
		protocol.Rev20260728: `{"elicitation":{"form":{},"url":{}},` + extensions + `,"roots":{},"sampling":{}}`,
	} {
		opts.Revision = rev
		var got []byte
		client := mcptest.Connect(t, fake{"tools/call": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
			var err error
			got, err = json.Marshal(req.Meta.Capabilities())
			return &mcp.ToolResult{}, err
		}}, &opts)
		if _, err := client.CallTool(t.Context(), "t", nil, nil); err != nil || string(got) != want {
			t.Errorf("%s: declared %s, %v\nwant %s", rev, got, err, want)
		}
	}
	for id, settings := range map[string]string{"example": `{}`, "/a": `{}`, "a/": `{}`, "com.example/a": `[]`, "com.example/b": `{`, "com.example/c": ``} {
		_, err := mcp.Connect(t.Context(), inMemory(fake{}), mcp.Implementation{}, &mcp.ClientOptions{Extensions: map[string]json.RawMessage{id: json.RawMessage(settings)}})
		if err == nil || !strings.Contains(err.Error(), id) {
			t.Errorf("the extension %q with settings %s: %v", id, settings, err)
		}
	}
}

// A server may ask to be asked later, but not for ever, and must ask for
// something.
func TestClientAnswer_QuestionsWithoutResult(t *testing.T) {
	for name, tc := range map[string]struct {
		answer mcp.Handler
		took   time.Duration
		want   string
	}{
		"later": {func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
			if strings.Contains(string(req.Params), `"requestState":"once more"`) {
				return mcp.Text("now"), nil
			}
			return protocol.RawResult(`{"resultType":"input_required","requestState":"once more"}`), nil
		}, time.Second, "now"},
		"for ever":     {says(`{"resultType":"input_required","requestState":""}`), 16 * time.Second, "asked 16 times without answering"},
		"for nothing":  {says(`{"resultType":"input_required"}`), 0, "asks for none"},
		"for nonsense": {says(`{"resultType":"input_required","inputRequests":[]}`), 0, "reading the server's questions"},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				began := time.Now()
				got := answered(t, fake{"tools/call": tc.answer}, mcp.ClientOptions{})
				if !strings.Contains(got, tc.want) || time.Since(began) != tc.took {
					t.Errorf("after %v: %s", time.Since(began), got)
				}
			})
		})
	}
}

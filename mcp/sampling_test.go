package mcp_test

//lint:file-ignore SA1019 deprecated parts of the protocol work in every revision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// words returns content with one text.
func words(s string) []mcp.Content { return []mcp.Content{mcp.TextContent{Text: s}} }

// sampler returns a server whose tool "ask" asks the model with params and returns its words.
func sampler(t *testing.T, params mcp.SampleParams) *mcp.Server {
	return newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Sample(ctx, "q", params)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s by %s, %s, %s", answer.Text(), answer.Model, answer.Role, answer.StopReason), nil
	}))
}

// The params and the answer of Sample arrive as they were sent. A revision that lacks messages of
// several blocks gets one message for each block.
func TestSample(t *testing.T) {
	params := mcp.SampleParams{
		Messages: []mcp.SampleMessage{
			{Role: mcp.RoleUser, Content: []mcp.Content{mcp.TextContent{Text: "Look:"}, &mcp.ImageContent{Data: []byte{1, 2}, MIMEType: "image/png"}}},
			{Role: mcp.RoleAssistant, Content: words("A cat.")},
		},
		Prompt: "Which colour?", SystemPrompt: "Be brief.", MaxTokens: 50, Temperature: new(0.0), StopSequences: []string{"\n", "<end>"},
		ModelPreferences: mcp.ModelPreferences{Hints: []string{"small", "large"}, Cost: 1, Speed: 0.5},
		IncludeContext:   "thisServer", Metadata: json.RawMessage(`{"a":1}`),
	}
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		want := params
		want.Prompt = ""
		picture := mcp.ImageContent{Data: []byte{1, 2}, MIMEType: "image/png"}
		want.Messages = []mcp.SampleMessage{
			{Role: mcp.RoleUser, Content: []mcp.Content{mcp.TextContent{Text: "Look:"}, picture}},
			{Role: mcp.RoleAssistant, Content: words("A cat.")}, {Role: mcp.RoleUser, Content: words("Which colour?")},
		}
		if rev < protocol.Rev20251125 {
			first := []mcp.SampleMessage{{Role: mcp.RoleUser, Content: words("Look:")}, {Role: mcp.RoleUser, Content: []mcp.Content{picture}}}
			want.Messages = append(first, want.Messages[1:]...)
		}
		for _, supported := range []bool{true, false} {
			if !supported && rev >= protocol.Rev20251125 {
				want.IncludeContext = ""
			}
			client := mcptest.Connect(t, sampler(t, params), &mcp.ClientOptions{
				Revision: rev, SampleContext: supported,
				Sample: func(_ context.Context, got mcp.SampleParams) (*mcp.SampleResult, error) {
					if !reflect.DeepEqual(got, want) {
						t.Errorf("asked %+v\nwant  %+v", got, want)
					}
					return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: "Red,"}, &mcp.TextContent{Text: "I think."}}, Model: "m", StopReason: "endTurn"}, nil
				},
			})
			if got, err := mcp.Call[string](t.Context(), client, "ask", nil); err != nil || got != "Red,\nI think. by m, assistant, endTurn" {
				t.Errorf("answered %q, %v", got, err)
			}
		}
	})
}

// A model uses the tools of the server in rounds. Clients without the capability, and revisions
// without it, give an error that names it.
func TestSample_Tools(t *testing.T) {
	srv := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
		params := mcp.SampleParams{Prompt: "6 × 7?", Tools: []mcp.Tool{{Name: "multiply", Description: "Multiplies."}}, ToolChoice: mcp.ToolChoiceRequired}
		first, err := mcp.Sample(ctx, "first", params)
		if err != nil {
			return "", err
		}
		use := first.ToolUses()[0]
		second, err := mcp.Sample(ctx, "second", mcp.SampleParams{
			Messages: []mcp.SampleMessage{
				{Role: mcp.RoleUser, Content: words("6 × 7?")},
				{Role: first.Role, Content: first.Content},
				{Role: mcp.RoleUser, Content: []mcp.Content{&mcp.ToolResultContent{ToolUseID: use.ID, Content: words(use.Name + string(use.Input) + " = 42"), Structured: json.RawMessage(`{"n":42}`)}}},
			},
			Tools: params.Tools,
		})
		if err != nil {
			return "", err
		}
		return second.Text(), nil
	}))
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		for _, declared := range []bool{true, false} {
			client := mcptest.Connect(t, srv, &mcp.ClientOptions{
				Revision: rev, SampleTools: declared,
				Sample: func(_ context.Context, p mcp.SampleParams) (*mcp.SampleResult, error) {
					if len(p.Messages) == 1 {
						if len(p.Tools) != 1 || string(p.Tools[0].InputSchema) != `{"type":"object"}` || p.ToolChoice != mcp.ToolChoiceRequired || p.MaxTokens != 1024 {
							t.Errorf("asked %+v", p)
						}
						return &mcp.SampleResult{StopReason: "toolUse", Content: []mcp.Content{mcp.TextContent{Text: "Let me see."}, mcp.ToolUseContent{ID: "u1", Name: "multiply", Input: json.RawMessage(`{"a":6}`)}}}, nil
					}
					result, _ := p.Messages[2].Content[0].(mcp.ToolResultContent)
					return &mcp.SampleResult{Content: words(fmt.Sprint(result.ToolUseID, " ", result.Content, string(result.Structured), result.IsError))}, nil
				},
			})
			got, err := mcp.Call[string](t.Context(), client, "ask", nil)
			if declared && rev >= protocol.Rev20251125 {
				if want := `u1 [{multiply{"a":6} = 42 <nil> map[]}]{"n":42}false`; err != nil || got != want {
					t.Errorf("answered %q, %v; want %q", got, err, want)
				}
				continue
			}
			var failure *mcp.ToolFailure
			var protocol *protocol.Error
			if !errors.As(err, &failure) && !errors.As(err, &protocol) || !strings.Contains(err.Error(), "sampling.tools") {
				t.Errorf("answered %q, %v", got, err)
			}
		}
	})
}

// A nil result rejects the request. In a session the handler learns it; in revision 2026-07-28,
// which has no answer for it, the call ends at the client.
func TestSample_Rejected(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		client := mcptest.Connect(t, sampler(t, mcp.SampleParams{Prompt: "?"}), &mcp.ClientOptions{
			Revision: rev, Sample: func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) { return nil, nil },
		})
		_, err := mcp.Call[string](t.Context(), client, "ask", nil)
		var failure *mcp.ToolFailure
		var protocol *protocol.Error
		switch {
		case rev.Modern() && (!errors.As(err, &protocol) || protocol.Code != -1):
			t.Errorf("the call ends with %v", err)
		case !rev.Modern() && (!errors.As(err, &failure) || failure.ErrorCode() != "DECLINED"):
			t.Errorf("the handler returns %v", err)
		}
	})
}

// Params that no client accepts are an error before they are sent.
func TestSamplingQuestion_InvalidParams(t *testing.T) {
	user := func(blocks ...mcp.Content) []mcp.SampleMessage {
		return []mcp.SampleMessage{{Role: mcp.RoleUser, Content: blocks}}
	}
	use := func(ids ...string) mcp.SampleMessage {
		m := mcp.SampleMessage{Role: mcp.RoleAssistant}
		for _, id := range ids {
			m.Content = append(m.Content, mcp.ToolUseContent{ID: id, Name: "t"})
		}
		return m
	}
	result := func(ids ...string) mcp.SampleMessage {
		m := mcp.SampleMessage{Role: mcp.RoleUser}
		for _, id := range ids {
			m.Content = append(m.Content, mcp.ToolResultContent{ToolUseID: id})
		}
		return m
	}
	for want, p := range map[string]mcp.SampleParams{
		"no messages":                  {MaxTokens: 5},
		"maxTokens is -1":              {Prompt: "?", MaxTokens: -1},
		"finite":                       {Prompt: "?", Temperature: new(math.NaN())},
		"speedPriority is 1.5":         {Prompt: "?", ModelPreferences: mcp.ModelPreferences{Speed: 1.5}},
		"costPriority is NaN":          {Prompt: "?", ModelPreferences: mcp.ModelPreferences{Cost: math.NaN()}},
		`includeContext is "all"`:      {Prompt: "?", IncludeContext: "all"},
		`toolChoice is "any"`:          {Prompt: "?", ToolChoice: "any"},
		"metadata":                     {Prompt: "?", Metadata: json.RawMessage(`[]`)},
		"a tool has no name":           {Prompt: "?", Tools: []mcp.Tool{{}}},
		"offered twice":                {Prompt: "?", Tools: []mcp.Tool{{Name: "a"}, {Name: "a"}}},
		"the input schema":             {Prompt: "?", Tools: []mcp.Tool{{Name: "a", InputSchema: json.RawMessage(`{`)}}},
		`the role is "system"`:         {Messages: []mcp.SampleMessage{{Role: "system", Content: words("?")}}},
		"it has no content":            {Messages: user()},
		"a block of content is nil":    {Messages: user(nil)},
		"send it as text":              {Messages: user(mcp.ResourceLink{URI: "a:b"})},
		"in a message of the assist":   {Messages: user(mcp.ToolUseContent{ID: "1", Name: "t"})},
		"names no tool":                {Messages: user(mcp.ToolUseContent{ID: "1"})},
		"has no id":                    {Messages: user(mcp.ToolUseContent{Name: "t"})},
		"the input of the tool use":    {Messages: user(mcp.ToolUseContent{ID: "1", Name: "t", Input: json.RawMessage(`5`)})},
		"the structured content":       {Messages: user(&mcp.ToolResultContent{ToolUseID: "1", Structured: json.RawMessage(`5`)})},
		"belongs to no tool use":       {Messages: []mcp.SampleMessage{result("1")}},
		`"2" belongs to no tool use`:   {Messages: []mcp.SampleMessage{use("1"), result("1", "2")}},
		`"3" of the message before`:    {Messages: []mcp.SampleMessage{use("1", "3"), result("1")}},
		"two tool uses":                {Messages: []mcp.SampleMessage{use("1", "1"), result("1", "1")}},
		"of the last message":          {Messages: []mcp.SampleMessage{use("1")}},
		"mixed with other content":     {Messages: []mcp.SampleMessage{use("1"), {Role: mcp.RoleUser, Content: append(words("x"), mcp.ToolResultContent{ToolUseID: "1"})}}},
		"in a message of the user":     {Messages: []mcp.SampleMessage{use("1"), {Role: mcp.RoleAssistant, Content: result("1").Content}}},
		"content of sampling alone":    {Messages: []mcp.SampleMessage{use("1"), {Role: mcp.RoleUser, Content: []mcp.Content{mcp.ToolResultContent{ToolUseID: "1", Content: use("2").Content}}}}},
		"block of content is nil (2)":  {Messages: user((*mcp.ToolResultContent)(nil))},
		"a block of content is nil(3)": {Messages: user((*mcp.ToolUseContent)(nil))},
	} {
		want, _, _ = strings.Cut(want, "(")
		if _, err := mcp.SamplingQuestion("q", p); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%+v: %v; want %q", p, err, want)
		}
	}
	// A tool or a prompt cannot return a tool use.
	srv := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Content: use("1").Content}, nil
	}))
	if wire, err := dispatch(t, srv, "tools/call", `{"name":"t"}`); err != nil || !strings.Contains(wire, "INVALID_RESULT") {
		t.Errorf("a result with a tool use: %s, %v", wire, err)
	}
}

// rawAnswer is the client of a session that answers each question with these bytes.
type rawAnswer string

func (a rawAnswer) Ask(_ context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	answers := make(map[string]json.RawMessage)
	for key := range questions {
		answers[key] = json.RawMessage(a)
	}
	return answers, nil
}

// The answer of a client is checked. A session reports an invalid one; in revision 2026-07-28 it
// counts as no answer, and the question is asked again.
func TestSample_HostileAnswers(t *testing.T) {
	const message = `{"role":"assistant","model":"m","content":`
	srv := sampler(t, mcp.SampleParams{Prompt: "?"})
	caps := protocol.ClientCapabilities{Sampling: new(protocol.SamplingCapability)}
	for answer, want := range map[string]string{
		message + `{"type":"text","text":"yes"}}`:                                           "yes by m, assistant, ",
		message + `[{"type":"text","text":"yes"},{"type":"hologram"}],"stopReason":"moon"}`: "yes by m, assistant, moon",
		message + `[]}`:                    " by m, assistant, ",
		``:                                 "INVALID_ANSWER",
		`null`:                             "INVALID_ANSWER",
		`[]`:                               "INVALID_ANSWER",
		`{"role":"assistant","model":"m"}`: "INVALID_ANSWER",
		`{"role":"system","model":"m","content":[]}`:           "INVALID_ANSWER",
		`{"model":"m","content":{"type":"text","text":"yes"}}`: "INVALID_ANSWER",
		message + `null}`:                     "INVALID_ANSWER",
		message + `"yes"}`:                    "INVALID_ANSWER",
		message + `[5]}`:                      "INVALID_ANSWER",
		message + `{"text":"yes"}}`:           "INVALID_ANSWER",
		message + `{"type":"text","text":5}}`: "INVALID_ANSWER",
		message + `{"type":"image","data":"%","mimeType":"x"}}`:  "INVALID_ANSWER",
		message + `{"type":"tool_use","id":"1","name":"t"}}`:     "none were offered",
		message + `{"type":"tool_result","toolUseId":"1"}}`:      "INVALID_ANSWER",
		message + `{"type":"tool_use","id":"1","name":["t"]}}`:   "INVALID_ANSWER",
		message + `[{"type":"tool_use","id":"1","input":"all"}]`: "INVALID_ANSWER",
	} {
		result, err := srv.Dispatch(t.Context(), &protocol.Request{
			ID: "1", Method: "tools/call", Params: []byte(`{"name":"ask"}`), Asker: rawAnswer(answer),
			Meta: protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(&protocol.SessionMeta{Capabilities: caps}),
		})
		if err != nil {
			t.Fatal(err)
		}
		wire, err := result.AppendJSON(nil, protocol.Rev20251125)
		if err != nil || !strings.Contains(string(wire), want) {
			t.Errorf("%s: %s, %v", answer, wire, err)
		}
		if !json.Valid([]byte(answer)) {
			continue
		}
		params := `{"name":"ask","inputResponses":{"q":` + answer + `},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}`
		meta, err := protocol.ReadMeta([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		result, err = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(params), Meta: meta})
		if _, asks := result.(*protocol.InputRequired); err != nil || asks != !strings.Contains(want, " by m") {
			t.Errorf("2026-07-28: %s: %v, %v", answer, result, err)
		}
	}
}

// A client refuses invalid requests before Sample sees them, and keeps unknown blocks.
func TestClientSample_HostileParams(t *testing.T) {
	const ask = `{"maxTokens":5,"messages":[{"role":"user","content":`
	for params, want := range map[string]string{
		ask + `{"type":"text","text":"hi"}}]}`:                                                   "1 message, 5 tokens",
		ask + `[{"type":"hologram","depth":9007199254740993}]}]}`:                                `{"type":"hologram","depth":9007199254740993}`,
		`{"maxTokens":1e300,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`: "1 message, 2147483647 tokens",
		`{"maxTokens":5,"messages":[]}`:                                                          "it has no messages",
		`{"messages":[]}`:                                                                        "maxTokens",
		`{"maxTokens":0.5,"messages":[]}`:                                                        "maxTokens",
		`{"maxTokens":-1e300,"messages":[]}`:                                                     "maxTokens",
		`{"maxTokens":"5","messages":[]}`:                                                        "reading a sampling request",
		`[]`:                                                                                     "reading a sampling request",
		ask + `"hi"}]}`:                                                                          "not an object with a type",
		ask + `[]}]}`:                                                                            "no content",
		`{"maxTokens":5,"messages":[{"role":"root","content":{"type":"text","text":"hi"}}]}`:           `the role is`,
		ask + `{"type":"text","text":"hi"}}],"tools":[{"name":"t","inputSchema":{}}]}`:                 "does not declare that its model uses tools",
		ask + `{"type":"text","text":"hi"}}],"toolChoice":{"mode":"auto"}}`:                            "does not declare that its model uses tools",
		ask + `{"type":"tool_result","toolUseId":"1","content":[]}}]}`:                                 "does not declare that its model uses tools",
		ask + `{"type":"text","text":"hi"}}],"modelPreferences":{"costPriority":7}}`:                   "costPriority",
		ask + `{"type":"text","text":"hi"}}],"modelPreferences":{"hints":[{},{"name":"m","x":1}]}}`:    "hints [m]",
		ask + `{"type":"text","text":"hi"}}],"includeContext":"everything"}`:                           "includeContext",
		ask + `{"type":"text","text":"hi"}}],"temperature":"hot"}`:                                     "reading a sampling request",
		ask + `{"type":"text","text":"hi"}}],"metadata":[]}`:                                           "metadata",
		ask + `{"type":"text","text":"hi"}}],"unknown":{"future":true},"_meta":{"x":1},"task":{}}`:     "1 message, 5 tokens",
		ask + `{"type":"text","text":"hi"}}],"metadata":null,"temperature":null,"stopSequences":null}`: "1 message, 5 tokens",
	} {
		for _, rev := range []protocol.Revision{protocol.Rev20251125, protocol.Latest} {
			got := answered(t, asker("sampling/createMessage", params), mcp.ClientOptions{
				Revision: rev,
				Sample: func(_ context.Context, p mcp.SampleParams) (*mcp.SampleResult, error) {
					noun := "messages"
					if len(p.Messages) == 1 {
						noun = "message"
					}
					answer := fmt.Sprintf("%d %s, %d tokens, hints %v", len(p.Messages), noun, p.MaxTokens, p.ModelPreferences.Hints)
					var unknown mcp.UnknownContent
					if len(p.Messages) > 0 {
						unknown, _ = p.Messages[0].Content[0].(mcp.UnknownContent)
					}
					return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: answer}, unknownOr(unknown)}}, nil
				},
			})
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s: %s; want %q", rev, params, got, want)
			}
		}
	}
}

// unknownOr returns an unknown block, or a text in place of an empty one.
func unknownOr(block mcp.UnknownContent) mcp.Content {
	if block.Raw == nil {
		return mcp.TextContent{}
	}
	return block
}

// An invalid result of ClientOptions.Sample is an error of the call.
func TestClientSample_InvalidResult(t *testing.T) {
	for want, result := range map[string]mcp.SampleResult{
		`the role is "robot"`:       {Role: "robot"},
		"a block of content is nil": {Content: []mcp.Content{nil}},
		"none were offered":         {Content: []mcp.Content{mcp.ToolUseContent{ID: "1", Name: "t"}}},
		"one block in revision":     {Content: []mcp.Content{mcp.TextContent{Text: "a"}, mcp.ImageContent{Data: []byte{1}}}},
	} {
		opts := mcp.ClientOptions{
			Revision: protocol.Rev20250618, Sample: func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) { return &result, nil },
		}
		got := answered(t, asker("sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":1}`), opts)
		if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, want) {
			t.Errorf("%+v: %s; want %q", result, got, want)
		}
	}
}

// The decoders of both directions accept any bytes, and what they have decoded encodes as valid JSON.
func FuzzSampling(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"x"}]}]}],"maxTokens":5,"tools":[{"name":"t","inputSchema":{}}]}`))
	f.Add([]byte(`{"role":"assistant","content":{"type":"tool_use","id":"1","name":"t","input":{}},"model":"m","_meta":{"a":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var params mcp.SampleParams
		if err := json.Unmarshal(data, &params); err == nil {
			if wire, err := json.Marshal(params); err == nil {
				var again mcp.SampleParams
				if err := json.Unmarshal(wire, &again); err != nil {
					t.Errorf("%s: %v", wire, err)
				}
			}
		}
		var result mcp.SampleResult
		if err := json.Unmarshal(data, &result); err == nil {
			if wire, err := json.Marshal(result); err == nil {
				var again mcp.SampleResult
				if err := json.Unmarshal(wire, &again); err != nil || again.Text() != result.Text() {
					t.Errorf("%s: %v", wire, err)
				}
			}
		}
	})
}

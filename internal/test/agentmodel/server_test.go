package agentmodel_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
)

// post sends a request and returns the response.
func post(t *testing.T, url, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// exchange is a request in the form of an API after a tool call, with the response to the next call.
type exchange struct {
	api           agentmodel.API
	path, request string
	news          []agentmodel.Block
	call          []string // parts of the response
}

var exchanges = []exchange{
	{
		agentmodel.Anthropic, "/v1/messages",
		`{"model":"m","stream":true,"tools":[{"name":"mcp__files__read","description":"Reads.","input_schema":{}}],"messages":[
			{"role":"user","content":"the task"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"mcp__files__read","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":[{"type":"text","text":"gone"},
				{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAEC"}}]},{"type":"text","text":"note"}]}]}`,
		[]agentmodel.Block{{Result: true, Failed: true, Text: "gone"}, {Result: true, Failed: true, Type: "image/png", Data: []byte{0, 1, 2}}, {Text: "note"}},
		[]string{"event: message_start", `"name":"mcp__files__read"`, `"partial_json":"{\"path\":\"a\"}"`, `"text":"I read."`, `"stop_reason":"tool_use"`, "event: message_stop"},
	},
	{
		agentmodel.Anthropic, "/v1/messages",
		`{"model":"m","messages":[{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_result","content":"the task"}]}]}`,
		[]agentmodel.Block{{Result: true, Text: "the task"}},
		[]string{`"type":"message"`, `"name":"mcp__files__read"`},
	},
	{
		agentmodel.Responses, "/v1/responses",
		`{"model":"m","tools":[{"type":"tool_search"},{"type":"web_search"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"the task"}]},
			{"type":"function_call","call_id":"1"},{"type":"function_call_output","call_id":"1","output":"plain"},
			{"type":"tool_search_output","tools":[{"type":"namespace","name":"mcp__files","tools":[{"type":"function","name":"read","description":"Reads."}]}]},
			{"type":"function_call_output","call_id":"2","output":[{"type":"input_image","image_url":"data:image/png;base64,AAEC"}]}]}`,
		[]agentmodel.Block{
			{Result: true, Text: "plain"},
			{Result: true, Text: `[{"type":"namespace","name":"mcp__files","tools":[{"type":"function","name":"read","description":"Reads."}]}]`},
			{Result: true, Type: "image/png", Data: []byte{0, 1, 2}},
		},
		[]string{"event: response.created", `"namespace":"mcp__files"`, `"name":"read"`, "event: response.completed"},
	},
	{
		agentmodel.Chat, "/v1/chat/completions",
		`{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"files_read","description":"Reads."}}],"messages":[
			{"role":"user","content":"the task"},{"role":"assistant","tool_calls":[]},{"role":"tool","content":"text"},
			{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAEC"}},{"type":"file","name":"f"}]}]}`,
		[]agentmodel.Block{{Result: true, Text: "text"}, {Type: "image/png", Data: []byte{0, 1, 2}}, {Type: "file", Text: `{"type":"file","name":"f"}`}},
		[]string{`"name":"files_read"`, `"finish_reason":"tool_calls"`, "data: [DONE]"},
	},
	{
		agentmodel.Chat, "/v1/chat/completions", `{"model":"m","messages":[{"role":"tool","content":"the task"}]}`,
		[]agentmodel.Block{{Result: true, Text: "the task"}},
		[]string{`"object":"chat.completion"`, `"name":"mcp__files__read"`},
	},
	{
		agentmodel.Google, "/v1beta/models/m:streamGenerateContent",
		`{"tools":[{"functionDeclarations":[{"name":"mcp_files_read","description":"Reads."}]}],"contents":[
			{"role":"user","parts":[{"text":"the task"}]},{"role":"model","parts":[{"functionCall":{"name":"mcp_files_read"}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"mcp_files_read","response":{"error":"gone","output":{"a":1}},
				"parts":[{"inlineData":{"mimeType":"image/png","data":"AAEC"}}]}}]}]}`,
		[]agentmodel.Block{{Result: true, Failed: true, Text: "gone"}, {Result: true, Text: `{"a":1}`}, {Result: true, Type: "image/png", Data: []byte{0, 1, 2}}},
		[]string{"data: ", `"name":"mcp_files_read"`, `"args":{"path":"a"}`},
	},
	{
		agentmodel.Google, "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"the task"},{"functionResponse":{}}]}]}`,
		[]agentmodel.Block{{Text: "the task"}},
		[]string{`{"candidates"`, `"name":"mcp_files_read"`},
	},
}

func TestStart_EachAPI(t *testing.T) {
	for _, e := range exchanges {
		t.Run(string(e.api), func(t *testing.T) {
			var got *agentmodel.Request
			url := agentmodel.Start(t, func(r *agentmodel.Request) agentmodel.Step {
				got = r
				return agentmodel.Step{Text: "I read.", Server: "files", Tool: "read", Args: map[string]string{"path": "a"}}
			})
			response := post(t, url+e.path, e.request)
			if got == nil || got.API != e.api {
				t.Fatalf("the request is %+v, and its answer %s", got, response)
			}
			if diff := cmp.Diff(e.news, got.News); diff != "" {
				t.Errorf("news (-want +got):\n%s", diff)
			}
			if strings.Contains(e.request, "Reads.") && got.Find("files", "read") == nil {
				t.Errorf("the tools %+v lack read of files", got.Tools)
			}
			for _, part := range e.call {
				if !strings.Contains(response, part) {
					t.Errorf("the response lacks %s:\n%s", part, response)
				}
			}
		})
	}
}

func TestStart_OtherRequests(t *testing.T) {
	url := agentmodel.Start(t, agentmodel.Play("the task", nil))
	for path, want := range map[string]string{
		"/v1/messages/count_tokens": "input_tokens", "/v1beta/models/m:countTokens": "totalTokens", "/v1/models": "data", "/telemetry": "lacks",
	} {
		if got := post(t, url+path, "{}"); !strings.Contains(got, want) {
			t.Errorf("%s answers %s", path, got)
		}
	}
	if got := post(t, url+"/v1/messages", "no JSON"); !strings.Contains(got, "decode a request") {
		t.Errorf("a request without JSON gets %s", got)
	}
}

func TestPlay_StepByResults(t *testing.T) {
	play := agentmodel.Play("the task", []agentmodel.Step{{Text: "first"}, {Text: "last"}})
	for results, want := range []string{"first", "last", "last"} {
		if got := play(&agentmodel.Request{Body: []byte("the task"), Results: results}); got.Text != want {
			t.Errorf("after %d results the step is %+v", results, got)
		}
	}
	if got := play(&agentmodel.Request{Body: []byte("a title")}); got.Text != "OK" {
		t.Errorf("another request gets %+v", got)
	}
}

func TestStart_PatchAndSearch(t *testing.T) {
	steps := []agentmodel.Step{{Tool: "apply_patch", Patch: "*** Begin Patch"}}
	url := agentmodel.Start(t, func(*agentmodel.Request) agentmodel.Step { return steps[0] })
	if got := post(t, url+"/v1/responses", `{"input":"x"}`); !strings.Contains(got, `"type":"custom_tool_call"`) || !strings.Contains(got, `"input":"*** Begin Patch"`) {
		t.Errorf("a patch is %s", got)
	}
	steps[0] = agentmodel.Step{Tool: "tool_search", Args: map[string]string{"query": "files"}}
	if got := post(t, url+"/v1/responses", `{"tools":[{"type":"tool_search"}],"input":"x"}`); !strings.Contains(got, `"type":"tool_search_call"`) {
		t.Errorf("a search is %s", got)
	}
}

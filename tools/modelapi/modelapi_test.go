package modelapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/modelapi"
)

func definitions() []mcp.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)
	return []mcp.Tool{{Name: "read_file", Description: "Reads a file.", InputSchema: schema}, {Name: "now", InputSchema: json.RawMessage(`{"type":"object"}`)}}
}

func TestForms(t *testing.T) {
	const schema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`
	for name, tc := range map[string]struct {
		form func([]mcp.Tool) ([]json.RawMessage, error)
		want string
	}{
		"OpenAI Responses": {modelapi.OpenAIResponses, `[{"type":"function","name":"read_file","description":"Reads a file.","parameters":` + schema + `,"strict":false},` +
			`{"type":"function","name":"now","parameters":{"type":"object"},"strict":false}]`},
		"OpenAI Chat": {modelapi.OpenAIChat, `[{"type":"function","function":{"name":"read_file","description":"Reads a file.","parameters":` + schema + `}},` +
			`{"type":"function","function":{"name":"now","parameters":{"type":"object"}}}]`},
		"Anthropic": {modelapi.Anthropic, `[{"name":"read_file","description":"Reads a file.","input_schema":` + schema + `},{"name":"now","input_schema":{"type":"object"}}]`},
		"Gemini": {modelapi.Gemini, `[{"functionDeclarations":[{"name":"read_file","description":"Reads a file.","parametersJsonSchema":` + schema + `},` +
			`{"name":"now","parametersJsonSchema":{"type":"object"}}]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := tc.form(definitions())
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(objects)
			if err != nil || string(got) != tc.want {
				t.Errorf("got  %s %v\nwant %s", got, err, tc.want)
			}
			if none, err := tc.form(nil); err != nil || len(none) != 0 {
				t.Errorf("without tools: %s %v", none, err)
			}
		})
	}
}

func TestForms_NamesThatTheAPIRefuses(t *testing.T) {
	tools := []mcp.Tool{{Name: "files.read", InputSchema: json.RawMessage(`{}`)}, {Name: strings.Repeat("n", 129), InputSchema: json.RawMessage(`{}`)}, {Name: "ok", InputSchema: json.RawMessage(`{}`)}}
	for name, tc := range map[string]struct {
		form    func([]mcp.Tool) ([]json.RawMessage, error)
		refused int
	}{"OpenAI Responses": {modelapi.OpenAIResponses, 2}, "OpenAI Chat": {modelapi.OpenAIChat, 2}, "Anthropic": {modelapi.Anthropic, 2}, "Gemini": {modelapi.Gemini, 1}} {
		_, err := tc.form(tools)
		if err == nil || strings.Count(err.Error(), "takes no tool with the name") != tc.refused || !strings.Contains(err.Error(), "tools.Profile.Names") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestText(t *testing.T) {
	result := &mcp.ToolResult{Content: []mcp.Content{
		mcp.TextContent{Text: "two lines\nof text"},
		mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
		mcp.AudioContent{Data: []byte("12"), MIMEType: "audio/wav"},
		mcp.ResourceLink{URI: "file:///a"},
		mcp.EmbeddedResource{Resource: mcp.ResourceContents{URI: "file:///b", Text: "inside"}},
		mcp.EmbeddedResource{Resource: mcp.ResourceContents{URI: "file:///c", Blob: []byte{1}}},
	}}
	const want = "two lines\nof text\n[image, image/png, 3 bytes]\n[audio, audio/wav, 2 bytes]\n[resource file:///a]\ninside\n[resource file:///c, 1 bytes]"
	if got := modelapi.Text(result); got != want {
		t.Errorf("got %q", got)
	}
	if got := modelapi.Text(&mcp.ToolResult{}); got != "" {
		t.Errorf("an empty result: %q", got)
	}
}

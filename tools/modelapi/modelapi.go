// Package modelapi writes tools in the forms in which the APIs of language models receive them, and results of calls as text.
// Each function returns JSON objects for the member "tools" of a request, in the order of the tools:
//
//   - [OpenAIResponses]: POST /v1/responses, {"type":"function","name":…,"parameters":…}
//   - [OpenAIChat]: POST /v1/chat/completions, {"type":"function","function":{…}}, which many other servers of models know
//   - [Anthropic]: POST /v1/messages, {"name":…,"input_schema":…}
//   - [Gemini]: models/…:generateContent, one object {"functionDeclarations":[…]}
//
// The schema of the arguments is sent as it is. Arguments are checked when the tool is called, so that no API has to enforce it:
// the "strict" mode of OpenAI, which takes schemas without optional arguments only, is off.
package modelapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp"
)

// OpenAIResponses returns tools for the Responses API of OpenAI.
func OpenAIResponses(tools []mcp.Tool) ([]json.RawMessage, error) {
	return each(tools, openAIName, func(t mcp.Tool) any {
		return struct {
			Type string `json:"type"`
			openAIFunction
			Strict bool `json:"strict"` // the default of this API is true
		}{"function", openAIFunctionOf(t), false}
	})
}

// OpenAIChat returns tools for the Chat Completions API of OpenAI.
func OpenAIChat(tools []mcp.Tool) ([]json.RawMessage, error) {
	return each(tools, openAIName, func(t mcp.Tool) any {
		return struct {
			Type     string         `json:"type"`
			Function openAIFunction `json:"function"`
		}{"function", openAIFunctionOf(t)}
	})
}

// openAIFunction is a function in both APIs of OpenAI.
type openAIFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func openAIFunctionOf(t mcp.Tool) openAIFunction {
	return openAIFunction{t.Name, t.Description, t.InputSchema}
}

// Anthropic returns tools for the Messages API of Anthropic.
func Anthropic(tools []mcp.Tool) ([]json.RawMessage, error) {
	return each(tools, anthropicName, func(t mcp.Tool) any {
		return struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			InputSchema json.RawMessage `json:"input_schema"`
		}{t.Name, t.Description, t.InputSchema}
	})
}

// Gemini returns tools for the Gemini API: one object with all functions, or none without tools.
func Gemini(tools []mcp.Tool) ([]json.RawMessage, error) {
	functions, err := each(tools, geminiName, func(t mcp.Tool) any {
		return struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			Schema      json.RawMessage `json:"parametersJsonSchema"`
		}{t.Name, t.Description, t.InputSchema}
	})
	if err != nil || len(functions) == 0 {
		return nil, err
	}
	object, err := json.Marshal(map[string]any{"functionDeclarations": functions})
	return []json.RawMessage{object}, err
}

// The names of functions that the APIs accept.
var (
	openAIName    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	geminiName    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)
)

// each returns the form of every tool, or all names that the API refuses.
func each(tools []mcp.Tool, names *regexp.Regexp, form func(mcp.Tool) any) ([]json.RawMessage, error) {
	var problems *multierror.Error
	var all []json.RawMessage
	for _, t := range tools {
		if !names.MatchString(t.Name) {
			problems = multierror.Append(problems, fmt.Errorf("the API takes no tool with the name %q (%s): give it another one with tools.Profile.Names", t.Name, names))
			continue
		}
		object, err := json.Marshal(form(t))
		if err != nil {
			problems = multierror.Append(problems, fmt.Errorf("tool %q: %w", t.Name, err))
			continue
		}
		all = append(all, object)
	}
	return all, problems.ErrorOrNil()
}

// Text returns the result of a call as text for a model. A block that is not text becomes one line in brackets with its type
// and size, since the APIs have different places for it.
func Text(r *mcp.ToolResult) string {
	var parts []string
	for _, block := range r.Blocks() {
		switch b := block.(type) {
		case mcp.TextContent:
			parts = append(parts, b.Text)
		case mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[image, %s, %d bytes]", b.MIMEType, len(b.Data)))
		case mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[audio, %s, %d bytes]", b.MIMEType, len(b.Data)))
		case mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[resource %s]", b.URI))
		case mcp.EmbeddedResource:
			if b.Resource.Blob == nil {
				parts = append(parts, b.Resource.Text)
			} else {
				parts = append(parts, fmt.Sprintf("[resource %s, %d bytes]", b.Resource.URI, len(b.Resource.Blob)))
			}
		default:
			parts = append(parts, fmt.Sprintf("[content of an unknown type %T]", block))
		}
	}
	return strings.Join(parts, "\n")
}

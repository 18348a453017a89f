package agentmodel

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Request is a request of a program for the next turn of the model.
type Request struct {
	API    API
	Model  string
	Stream bool   // the program wants server-sent events
	Body   []byte // the request as it was sent
	// Tools are the tools that the model may call, those of MCP servers and of the program itself, in order. They
	// include the ones that a search for tools has found (OpenAI responses).
	Tools []Tool
	// Results is the number of tool results in the conversation.
	Results int
	// News are the blocks after the model's last turn: the last tool result, and anything that the program adds to it.
	News []Block
}

// Tool is the definition of a tool as the model gets it.
type Tool struct {
	Name string
	// Namespace is the group of the tool (OpenAI responses); a call repeats it.
	Namespace   string
	Description string
	Definition  json.RawMessage
}

// Block is a piece of a conversation that a model reads.
type Block struct {
	// Result reports that the block belongs to a tool result. Other blocks belong to a message of the user or of the program.
	Result bool
	Failed bool   // the result is marked as an error
	Text   string // the text, or the JSON of a block of an unknown type
	Type   string // the media type of Data, or the name of an unknown type; empty for text
	Data   []byte // an image or another medium, decoded
}

// Find returns the tool of an MCP server, or of the program itself if server is empty. Programs prefix names with the server in
// different ways: the name must end with tool, and it or the namespace must contain server. Find returns nil without a match.
func (r *Request) Find(server, tool string) *Tool {
	for i, t := range r.Tools {
		if server == "" && t.Name == tool || server != "" && strings.HasSuffix(t.Name, tool) && strings.Contains(t.Namespace+"/"+strings.TrimSuffix(t.Name, tool), server) {
			return &r.Tools[i]
		}
	}
	return nil
}

// toolSearch is the type and the name of the tool with which a model searches for tools (OpenAI responses).
const toolSearch = "tool_search"

// message is the union of the elements of a conversation in all APIs.
type message struct {
	Type    string // OpenAI responses
	Role    string
	Content json.RawMessage // text or parts
	Output  json.RawMessage // OpenAI responses: text or parts of a tool result
	Tools   json.RawMessage // OpenAI responses: the definitions that a search for tools has found
	Parts   []part          // Google
}

// part is the union of parts of a message in all APIs.
type part struct {
	raw json.RawMessage

	Type             string
	Text             *string
	Content          json.RawMessage // Anthropic: text or parts of a tool result
	IsError          bool            `json:"is_error"`
	Source           struct{ Data, MediaType string }
	ImageURL         json.RawMessage `json:"image_url"`
	InlineData       *inlineData
	FunctionResponse *struct {
		Response map[string]json.RawMessage
		Parts    []part
	}
}

type inlineData struct {
	MIMEType string `json:"mimeType"`
	Data     string
}

// UnmarshalJSON decodes a part. It keeps the JSON of the part, and media types in the spelling of Anthropic.
func (p *part) UnmarshalJSON(data []byte) error {
	type plain part
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return err
	}
	p.raw = append(json.RawMessage(nil), data...)
	var anthropic struct {
		Source struct {
			MediaType string `json:"media_type"`
		}
	}
	if json.Unmarshal(data, &anthropic) == nil {
		p.Source.MediaType = anthropic.Source.MediaType
	}
	return nil
}

// parse decodes a request.
func parse(api API, body []byte) (*Request, error) {
	var wire struct {
		Model    string
		Stream   bool
		Messages []message
		Input    json.RawMessage
		Contents []message
		Tools    []json.RawMessage
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return nil, fmt.Errorf("decode a request to %s: %w", api, err)
	}
	r := &Request{API: api, Model: wire.Model, Stream: wire.Stream, Body: body}
	for _, tool := range wire.Tools {
		r.Tools = append(r.Tools, parseTools(tool, "")...)
	}
	var messages []message
	switch api {
	case Google:
		messages = wire.Contents
	case Responses:
		if len(wire.Input) > 0 && wire.Input[0] == '[' {
			if err := json.Unmarshal(wire.Input, &messages); err != nil {
				return nil, fmt.Errorf("decode the input of a request to %s: %w", api, err)
			}
		}
	default:
		messages = wire.Messages
	}
	for _, m := range messages {
		if m.fromModel() {
			r.News = nil
			continue
		}
		if m.Tools != nil {
			var found []json.RawMessage
			if err := json.Unmarshal(m.Tools, &found); err != nil {
				return nil, fmt.Errorf("decode the tools in a request to %s: %w", api, err)
			}
			for _, tool := range found {
				r.Tools = append(r.Tools, parseTools(tool, "")...)
			}
		}
		r.News = append(r.News, m.blocks()...)
		r.Results += m.results()
	}
	return r, nil
}

// fromModel reports whether a message is a turn of the model.
func (m message) fromModel() bool {
	switch m.Type {
	case "function_call", "custom_tool_call", "tool_search_call", "reasoning":
		return true
	}
	return m.Role == "assistant" || m.Role == "model"
}

// results returns the number of tool results in a message.
func (m message) results() (n int) {
	if m.Role == "tool" || strings.HasSuffix(m.Type, "_output") {
		return 1
	}
	for _, p := range append(parts(m.Content), m.Parts...) {
		if p.Type == "tool_result" || p.FunctionResponse != nil {
			n++
		}
	}
	return n
}

// parts decodes the content of a message: an array of parts, or a text.
func parts(content json.RawMessage) []part {
	var list []part
	if json.Unmarshal(content, &list) == nil {
		return list
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []part{{Text: &text}}
	}
	return nil
}

// blocks returns the blocks of a message.
func (m message) blocks() (all []Block) {
	result := m.Role == "tool" || strings.HasSuffix(m.Type, "_output")
	for _, list := range [][]part{parts(m.Content), parts(m.Output), m.Parts} {
		for _, p := range list {
			all = append(all, p.blocks(result, false)...)
		}
	}
	if m.Tools != nil {
		all = append(all, Block{Result: result, Text: string(m.Tools)})
	}
	return all
}

// blocks returns the blocks of a part; result and failed describe the message around it.
func (p part) blocks(result, failed bool) (all []Block) {
	media := func(kind, data string) Block {
		decoded, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			decoded = []byte(data)
		}
		return Block{Result: result, Failed: failed, Type: kind, Data: decoded}
	}
	switch {
	case p.Type == "tool_result":
		for _, inner := range parts(p.Content) {
			all = append(all, inner.blocks(true, p.IsError)...)
		}
		return all
	case p.FunctionResponse != nil:
		response := p.FunctionResponse.Response
		for _, name := range slices.Sorted(maps.Keys(response)) {
			b := Block{Result: true, Failed: name == "error"}
			if json.Unmarshal(response[name], &b.Text) != nil {
				b.Text = string(response[name])
			}
			all = append(all, b)
		}
		for _, inner := range p.FunctionResponse.Parts {
			all = append(all, inner.blocks(true, false)...)
		}
		return all
	case p.Text != nil:
		return []Block{{Result: result, Failed: failed, Text: *p.Text}}
	case p.InlineData != nil:
		return []Block{media(p.InlineData.MIMEType, p.InlineData.Data)}
	case p.Source.Data != "":
		return []Block{media(p.Source.MediaType, p.Source.Data)}
	case p.ImageURL != nil:
		var url string
		var nested struct{ URL string }
		if json.Unmarshal(p.ImageURL, &url) != nil && json.Unmarshal(p.ImageURL, &nested) == nil {
			url = nested.URL
		}
		kind, data, _ := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
		return []Block{media(kind, data)}
	}
	return []Block{{Result: result, Failed: failed, Type: p.Type, Text: string(p.raw)}}
}

// parseTools decodes an element of the list of tools: one tool, or several in a namespace or a declaration of Google.
func parseTools(data json.RawMessage, namespace string) (all []Tool) {
	var wire struct {
		Type                 string
		Name                 string
		Description          string
		Function             json.RawMessage
		Tools                []json.RawMessage
		FunctionDeclarations []json.RawMessage
	}
	if json.Unmarshal(data, &wire) != nil {
		return nil
	}
	switch {
	case wire.Type == "namespace":
		for _, tool := range wire.Tools {
			all = append(all, parseTools(tool, wire.Name)...)
		}
		return all
	case wire.FunctionDeclarations != nil:
		for _, tool := range wire.FunctionDeclarations {
			all = append(all, parseTools(tool, "")...)
		}
		return all
	case wire.Function != nil:
		all = parseTools(wire.Function, "")
		for i := range all {
			all[i].Definition = data
		}
		return all
	case wire.Type == toolSearch:
		wire.Name = toolSearch
	case wire.Name == "":
		return nil
	}
	return []Tool{{Name: wire.Name, Namespace: namespace, Description: wire.Description, Definition: data}}
}

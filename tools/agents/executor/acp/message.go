package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// version is the supported version of the protocol.
const version = 1

// Error codes of JSON-RPC, and of the protocol: codeLogin means that a login is required,
// codeNotFound that a resource does not exist.
const (
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeLogin          = -32000
	codeNotFound       = -32002
)

// wireError is a JSON-RPC error.
type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// String returns the message followed by data.details and data.message, where many programs
// put the actual cause.
func (e *wireError) String() string {
	text := e.Message
	var data struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	if len(e.Data) > 0 && json.Unmarshal(e.Data, &data) == nil {
		for _, more := range []string{data.Details, data.Message} {
			if more != "" {
				text += ": " + more
			}
		}
	}
	if text == "" {
		text = "error " + strconv.Itoa(e.Code)
	}
	return text
}

// message is a received JSON-RPC message: a request, a notification or a response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

// parse decodes a JSON-RPC 2.0 message. ok is false for any other text.
func parse(line []byte) (m message, ok bool) {
	if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" {
		return m, false
	}
	return m, m.Method != "" || len(m.ID) > 0
}

// encode returns a message as one line, with its line end. It panics for a value that JSON
// cannot represent, which the callers never pass.
func encode(m any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		panic(fmt.Sprintf("a message cannot be encoded: %v", err))
	}
	return b.Bytes()
}

// Messages that the client sends. An answer is a successful response, a refusal an error
// response.
type (
	request struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	notification struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	answer struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}
	refusal struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *wireError      `json:"error"`
	}
)

// content is a content block of the protocol: text, a resource link, or another type by its
// name.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"`
}

// words returns the text of the block, its URI, or the type in brackets.
func (c content) words() string {
	switch {
	case c.Type == "text":
		return c.Text
	case c.URI != "":
		return c.URI
	case c.Type != "":
		return "[" + c.Type + "]"
	}
	return ""
}

// choice is a configuration option of a session (SessionConfigOption): a setting with a
// list of values.
type choice struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Type     string          `json:"type"`
	Current  json.RawMessage `json:"currentValue"`
	Options  []option        `json:"options"`
}

// option is a value of a choice, or a group of values.
type option struct {
	Value   string   `json:"value"`
	Name    string   `json:"name"`
	Options []option `json:"options"`
}

// opened is the result of session/new, session/load and session/resume.
type opened struct {
	Session string `json:"sessionId"`
	Modes   struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct { // list of older programs, without configuration options
		Current   string `json:"currentModelId"`
		Available []struct {
			ID   string `json:"modelId"`
			Name string `json:"name"`
		} `json:"availableModels"`
	} `json:"models"`
	Choices []json.RawMessage `json:"configOptions"` // decoded one by one, so that an unknown kind of option does not invalidate the others
}

// choice returns the first configuration option of a category; its values form a list.
func (o *opened) choice(category string) (c choice, ok bool) {
	for _, raw := range o.Choices {
		c = choice{}
		if json.Unmarshal(raw, &c) == nil && c.Category == category && c.Type == "select" {
			return c, true
		}
	}
	return choice{}, false
}

// values returns all options of a choice, including the options inside groups.
func (c choice) values() []option {
	var all []option
	for _, o := range c.Options {
		if o.Value != "" {
			all = append(all, o)
		}
		all = append(all, choice{Options: o.Options}.values()...)
	}
	return all
}

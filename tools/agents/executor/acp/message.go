package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// version is that of the protocol.
const version = 1

// Codes of errors.
const (
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeLogin          = -32000
	codeNotFound       = -32002
)

// wireError is an error of the protocol.
type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// String is the error for people. Programs put what was really wrong into its data.
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

// message is anything that is sent: a request, a notification or a response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

// parse reads a message; false means that it is none.
func parse(line []byte) (m message, ok bool) {
	if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" {
		return m, false
	}
	return m, m.Method != "" || len(m.ID) > 0
}

// encode is a message as a line. What it is made of can always be encoded.
func encode(m any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		panic(fmt.Sprintf("a message cannot be encoded: %v", err))
	}
	return b.Bytes()
}

// Messages that this client sends.
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

// content is a block of content.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"`
}

// words are what a block says, in text.
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

// choice is a setting of a session of which one value is chosen.
type choice struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Type     string          `json:"type"`
	Current  json.RawMessage `json:"currentValue"`
	Options  []option        `json:"options"`
}

// option is a value of a choice, or a group of them.
type option struct {
	Value   string   `json:"value"`
	Name    string   `json:"name"`
	Options []option `json:"options"`
}

// opened is the answer to session/new, session/load and session/resume.
type opened struct {
	Session string `json:"sessionId"`
	Modes   struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct { // before there were choices
		Current   string `json:"currentModelId"`
		Available []struct {
			ID   string `json:"modelId"`
			Name string `json:"name"`
		} `json:"availableModels"`
	} `json:"models"`
	Choices []json.RawMessage `json:"configOptions"` // each by itself: one that is not known spoils no other
}

// choice is the setting of a category.
func (o *opened) choice(category string) (c choice, ok bool) {
	for _, raw := range o.Choices {
		c = choice{}
		if json.Unmarshal(raw, &c) == nil && c.Category == category && c.Type == "select" {
			return c, true
		}
	}
	return choice{}, false
}

// values are all options of a choice, those of groups too.
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

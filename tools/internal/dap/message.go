package dap

import (
	"encoding/json"
	"fmt"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

// The types of messages ("ProtocolMessage").
const (
	typeRequest  = "request"
	typeResponse = "response"
	typeEvent    = "event"
)

// message is any message ("Base Protocol").
type message struct {
	Seq  int    `json:"seq"`
	Type string `json:"type"`

	Command   string `json:"command,omitempty"`   // of requests and responses
	Arguments any    `json:"arguments,omitempty"` // of requests

	RequestSeq int    `json:"request_seq,omitempty"` // of responses
	Success    *bool  `json:"success,omitempty"`
	Message    string `json:"message,omitempty"`

	Event string          `json:"event,omitempty"`
	Body  json.RawMessage `json:"body,omitempty"`
}

// encode is a message with its header.
func (m *message) encode() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", m.Command, err)
	}
	return frame.Of(body), nil
}

// answer is the result of a request.
type answer struct {
	body json.RawMessage
	err  error // a *Refusal
}

// answered reads a response.
func answered(m *message) answer {
	if m.Success == nil || !*m.Success {
		var body protocol.ErrorResponseBody
		_ = json.Unmarshal(m.Body, &body) // the message alone is enough
		return answer{err: refusal(m.Command, m.Message, body.Error)}
	}
	return answer{body: m.Body}
}

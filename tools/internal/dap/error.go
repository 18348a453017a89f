package dap

import (
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

// ErrClosed is a session that was ended by its owner.
var ErrClosed = childrpc.ErrClosed

// Error is a failure of an adapter, as opposed to its refusal of a request, which is a *Refusal.
type Error = childrpc.Error

// Refusal is a request that an adapter has answered with an error.
type Refusal struct {
	Command string
	Message string
}

func (e *Refusal) Error() string { return e.Message }

// maxRefusal bounds the message of a Refusal, in bytes.
const maxRefusal = 2000

// refusal reads the answer to a request that failed ("ErrorResponse").
func refusal(command, message string, e *protocol.ErrorMessage) *Refusal {
	if e != nil && e.Format != "" {
		message = e.Format
		for name, value := range e.Variables {
			message = strings.ReplaceAll(message, "{"+name+"}", value)
		}
	}
	if message = strings.TrimSpace(message); message == "" {
		message = "it refuses " + command + " without a reason"
	}
	return &Refusal{Command: command, Message: truncate.Cut(message, maxRefusal)}
}

package dap

import (
	"errors"
	"fmt"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
)

// ErrClosed is a session that was ended by its owner.
var ErrClosed = errors.New("it was ended")

// Error is a failure of an adapter, as opposed to its refusal of a request, which is a *Refusal.
type Error struct {
	Adapter string // its name
	Doing   string // what it was asked; may be empty
	Gone    bool   // that it is gone
	Words   string // the end of what it wrote beside the protocol
	Err     error
}

func (e *Error) Error() string {
	if e.Doing == "" {
		return fmt.Sprintf("%s: %v", e.Adapter, e.Err)
	}
	return fmt.Sprintf("%s, %s: %v", e.Adapter, e.Doing, e.Err)
}

// Unwrap answers the cause.
func (e *Error) Unwrap() error { return e.Err }

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

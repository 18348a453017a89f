package lsp

import (
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

// ErrClosed is a session that was ended by its owner.
var ErrClosed = childrpc.ErrClosed

// Error is a failure of a server, as opposed to its refusal of a request, which is a *ResponseError.
type Error = childrpc.Error

// ResponseError is an error that a server has answered.
type ResponseError struct {
	Server  string
	Method  string
	Code    int64
	Message string
}

func (e *ResponseError) Error() string { return fmt.Sprintf("%s: %s", e.Server, e.Message) }

// The codes of answers that tell to ask again (LSP 3.17, "Base Protocol").
const (
	codeMethodNotFound  = -32601
	codeContentModified = -32801
	codeServerCancelled = -32802
)

// IsRetryable tells whether a server has refused a request only because something changed meanwhile.
func IsRetryable(err error) bool {
	refused, ok := errors.AsType[*ResponseError](err)
	return ok && (refused.Code == codeContentModified || refused.Code == codeServerCancelled)
}

// IsMethodNotFound reports whether a server has refused a request because it does not know the method.
func IsMethodNotFound(err error) bool {
	refused, ok := errors.AsType[*ResponseError](err)
	return ok && refused.Code == codeMethodNotFound
}

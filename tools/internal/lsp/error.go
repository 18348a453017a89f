package lsp

import (
	"errors"
	"fmt"
)

// Error is a failure of a server, as opposed to its refusal of a request, which is a *ResponseError.
type Error struct {
	Server string // its name
	Doing  string // what it was asked; may be empty
	Gone   bool   // that it is gone
	Words  string // the end of what it wrote to standard error
	Err    error
}

func (e *Error) Error() string {
	if e.Doing == "" {
		return fmt.Sprintf("%s: %v", e.Server, e.Err)
	}
	return fmt.Sprintf("%s, %s: %v", e.Server, e.Doing, e.Err)
}

// Unwrap answers the cause.
func (e *Error) Unwrap() error { return e.Err }

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

// Again tells whether a server has refused a request only because something changed meanwhile.
func Again(err error) bool {
	refused, ok := errors.AsType[*ResponseError](err)
	return ok && (refused.Code == codeContentModified || refused.Code == codeServerCancelled)
}

package mcp

import (
	"errors"
	"strings"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// isProtocolError reports whether the error of a tool is sent as a protocol error: it is a *protocol.Error, or
// its chain has an error with a method ProtocolError() *protocol.Error, for example *auth.Challenge. An error
// that merely wraps a *protocol.Error is none.
func isProtocolError(err error) bool {
	if _, ok := err.(*protocol.Error); ok { // not errors.As: the chain does not count
		return true
	}
	var declared interface{ ProtocolError() *protocol.Error }
	return errors.As(err, &declared)
}

// protocolErrorOf returns the protocol error for the error of a prompt, a resource or a completer
// that wraps one: with the code and the data of the wrapped error, and the text of err. It returns
// nil if err wraps none.
func protocolErrorOf(err error) error {
	var wrapped *protocol.Error
	switch {
	case isProtocolError(err):
		return err // a transport may need the errors around it
	case !errors.As(err, &wrapped):
		return nil
	}
	own := *wrapped
	own.Message = err.Error()
	return &own
}

// ResourceNotFound returns the error for a resource that does not exist (2026-07-28,
// server/resources, "Error Handling").
func ResourceNotFound(uri string) *protocol.Error {
	e := protocol.Errorf(protocol.CodeInvalidParams, "Resource not found: %q", uri).WithData(map[string]any{"uri": uri})
	e.LegacyCode = protocol.CodeResourceNotFoundOld
	return e
}

// ToolError is a failure for the model: a stable code, a message and the next step.
type ToolError struct {
	Code    string // Code is stable, in capitals, for example FILE_NOT_FOUND.
	Message string // Message describes the failure.
	Next    string // Next names the next step; may be empty.
	Err     error  // Err is the cause, for errors.Is and errors.As; may be nil.
}

// Error returns the message without the code.
func (e *ToolError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *ToolError) Unwrap() error { return e.Err }

// ErrorCode returns the code.
func (e *ToolError) ErrorCode() string { return e.Code }

// NextStep returns the next step.
func (e *ToolError) NextStep() string { return e.Next }

// ErrorResult returns the result for a tool that fails with err, including the code, next step and
// details of err. Middleware uses it to respond in place of the tool.
func ErrorResult(err error) *ToolResult { return errorResult(err) }

// errorResult converts the error of a handler to a result for the model.
func errorResult(err error) *ToolResult {
	text, parts := errorParts(err)
	result := &ToolResult{Content: []Content{TextContent{Text: text}}, IsError: true}
	if parts != nil {
		result.Meta = Meta{protocol.ErrorMeta: parts}
	}
	return result
}

// ErrorCode returns the error code of a result with an error, or "" if it has none.
func (r *ToolResult) ErrorCode() string {
	parts, _ := r.Meta[protocol.ErrorMeta].(map[string]any)
	code, _ := parts["code"].(string)
	return code
}

// errorParts returns an error as text for the model, and its parts, nil if there are none. Code,
// next step and details come from the optional methods ErrorCode, NextStep and ErrorDetails of any
// error in the chain.
func errorParts(err error) (text string, parts map[string]any) {
	parts = make(map[string]any)
	text = err.Error()
	if code := errorCode(err); code != "" {
		parts["code"] = code
		if !strings.HasPrefix(text, code) {
			text = code + ": " + text
		}
	}
	var next interface{ NextStep() string }
	if errors.As(err, &next) && next.NextStep() != "" {
		parts["nextStep"] = next.NextStep()
		text += "\nNext step: " + next.NextStep()
	}
	var detailed interface{ ErrorDetails() map[string]any }
	if errors.As(err, &detailed) {
		for key, value := range detailed.ErrorDetails() {
			parts[key] = value
		}
	}
	if len(parts) == 0 {
		return text, nil
	}
	parts["message"] = err.Error()
	return text, parts
}

// errorCode returns the code of the first error in the chain with a method ErrorCode, or "".
func errorCode(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}

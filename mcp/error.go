package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The error codes of JSON-RPC 2.0 §5.1 and of MCP 2026-07-28 (basic, "Error
// Codes"). Codes of applications belong outside −32768…−32000.
const (
	CodeParse                = -32700
	CodeInvalidRequest       = -32600
	CodeMethodNotFound       = -32601
	CodeInvalidParams        = -32602
	CodeInternal             = -32603
	CodeHeaderMismatch       = -32020 // an HTTP header contradicts the message
	CodeMissingCapability    = -32021 // data.requiredCapabilities names what the client did not declare
	CodeUnsupportedRevision  = -32022 // data.supported and data.requested
	CodeResourceNotFoundOld  = -32002 // of revisions up to 2025-11-25; received, never sent to modern peers
	CodeURLElicitationNeeded = -32042 // of revision 2025-11-25 alone
)

// Error is a protocol error: the request could not be served as a request. A
// handler returns one only for that; what a model should read and react to is
// any other error, which becomes a tool result with isError.
type Error struct {
	Code    int64
	Message string
	Data    json.RawMessage // any JSON value; absent when nil

	oldCode int64 // up to 2025-11-25, where that differs
}

func (e *Error) Error() string { return e.Message }

// CodeFor is the code that the error has in a revision.
func (e *Error) CodeFor(rev Revision) int64 {
	if e.oldCode != 0 && !rev.Modern() {
		return e.oldCode
	}
	return e.Code
}

// ResourceNotFound is the error for a resource that does not exist (2026-07-28,
// server/resources, "Error Handling").
func ResourceNotFound(uri string) *Error {
	e := Errorf(CodeInvalidParams, "Resource not found: %q", uri).withData(map[string]any{"uri": uri})
	e.oldCode = CodeResourceNotFoundOld
	return e
}

// Errorf returns a protocol error with a formatted message.
func Errorf(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// withData returns the error with v as its data.
func (e *Error) withData(v any) *Error {
	if data, err := marshal(nil, v); err == nil {
		e.Data = data
	}
	return e
}

// ToolError is a failure that a model reads, in the form that it learns most
// from: a stable code, what was wrong, and what to do next.
type ToolError struct {
	Code    string // stable, in capitals, such as FILE_NOT_FOUND
	Message string // what was wrong
	Next    string // the next step; may be empty
	Err     error  // the cause, for errors.Is and errors.As; may be nil
}

func (e *ToolError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *ToolError) Unwrap() error { return e.Err }

// ErrorCode returns the code.
func (e *ToolError) ErrorCode() string { return e.Code }

// NextStep returns the next step.
func (e *ToolError) NextStep() string { return e.Next }

// ErrorMeta is the _meta key under which the parts of a tool error are given to
// programs, as a map[string]any with the members "code", "message", "nextStep"
// and whatever ErrorDetails has; the model reads the text.
const ErrorMeta = "io.github.dougu-go/error"

// ErrorResult is the result that a model reads of an error: what a tool answers
// that returns err, with the code, next step and details that the error has. It
// is for middleware that answers a call instead of its tool.
func ErrorResult(err error) *ToolResult { return errorResult(err) }

// errorResult turns what a handler returned into the result that a model reads.
func errorResult(err error) *ToolResult {
	text, parts := errorParts(err)
	result := &ToolResult{Content: []Content{TextContent{Text: text}}, IsError: true}
	if parts != nil {
		result.Meta = Meta{ErrorMeta: parts}
	}
	return result
}

// ErrorCode is the code of the error that the result is, where it says one, and
// else empty.
func (r *ToolResult) ErrorCode() string {
	parts, _ := r.Meta[ErrorMeta].(map[string]any)
	code, _ := parts["code"].(string)
	return code
}

// errorParts is an error as text to read, and its parts if it says more than
// that. Code, next step and details come from the optional methods ErrorCode,
// NextStep and ErrorDetails of any error in the chain.
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

// errorCode is the code that an error in the chain has, or "".
func errorCode(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}

// UnsupportedRevision is the error for a request in a revision that is not
// spoken, or not request by request.
func UnsupportedRevision(requested Revision) *Error {
	e := Errorf(CodeUnsupportedRevision, "Unsupported protocol version %q", string(requested))
	return e.withData(map[string]any{"supported": revisions, "requested": requested})
}

package protocol

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Error codes of JSON-RPC 2.0 §5.1 and of MCP 2026-07-28 (basic, "Error Codes"). Applications must
// use codes outside −32768…−32000.
const (
	CodeParse                = -32700 // invalid JSON
	CodeInvalidRequest       = -32600 // JSON that is no request
	CodeMethodNotFound       = -32601 // unknown or unsupported method
	CodeInvalidParams        = -32602 // invalid params, unknown tool, prompt or resource
	CodeInternal             = -32603 // failure of the server
	CodeHeaderMismatch       = -32020 // an HTTP header contradicts the message
	CodeMissingCapability    = -32021 // data.requiredCapabilities lists the missing capabilities
	CodeUnsupportedRevision  = -32022 // data.supported and data.requested list revisions
	CodeResourceNotFoundOld  = -32002 // up to 2025-11-25; not sent to modern peers
	CodeURLElicitationNeeded = -32042 // 2025-11-25 only
)

// Error is a protocol error: the server could not process the request. Handlers return it only in
// that case. Any other error of a tool becomes a result with isError, which the model reads; so does
// an error that wraps a *Error, for example one of another server.
type Error struct {
	Code    int64           // Code is one of the Code constants or a code of the application.
	Message string          // Message is one sentence for people.
	Data    json.RawMessage // Data is any JSON value; nil if absent.

	// LegacyCode is the code in revisions up to 2025-11-25; 0 means Code.
	LegacyCode int64
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// CodeFor returns the code of the error in revision rev.
func (e *Error) CodeFor(rev Revision) int64 {
	if e.LegacyCode != 0 && !rev.Modern() {
		return e.LegacyCode
	}
	return e.Code
}

// Errorf returns a protocol error with a formatted message.
func Errorf(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithData sets the data of e to the JSON of v, and returns e. A v that does not encode changes nothing.
func (e *Error) WithData(v any) *Error {
	if data, err := jsonx.AppendValue(nil, v); err == nil {
		e.Data = data
	}
	return e
}

// UnsupportedRevision returns the error for a request of an unsupported revision. Its data lists
// the supported revisions.
func UnsupportedRevision(requested Revision) *Error {
	e := Errorf(CodeUnsupportedRevision, "Unsupported protocol version %q", string(requested))
	return e.WithData(map[string]any{"supported": revisions, "requested": requested})
}

// ErrorMeta is the _meta key for the parts of a tool error. Its value is a map[string]any with the
// members "code", "message", "nextStep" and the members of ErrorDetails. Programs read it; the
// model reads the text.
const ErrorMeta = "io.github.dougu-go/error"

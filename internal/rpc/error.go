package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// The codes that JSON-RPC 2.0 §5.1 defines.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// ErrClosed is returned to callers of a connection that has ended, or is about
// to.
var ErrClosed = errors.New("the connection is closed")

// ErrUnsent marks the error of a request that the peer has not carried out: it was not sent, or it was refused as a whole.
var ErrUnsent = errors.New("nothing was sent")

// ErrRefused marks an ErrUnsent that the peer has answered, so that the same request would be refused again.
var ErrRefused = errors.New("the request was refused")

// ErrNotSent is an ErrClosed of which the peer has seen nothing.
var ErrNotSent = fmt.Errorf("%w, %w", ErrClosed, ErrUnsent)

// ErrRequestLost marks the error of a request whose connection broke before the answer came. It overrides ErrUnsent in the
// same chain.
var ErrRequestLost = errors.New("the connection broke before the server's answer came; the request may have taken effect")

// Error is a JSON-RPC error object.
type Error struct {
	Code    int64
	Message string
	Data    json.RawMessage // absent when nil
}

func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// Append appends the error object.
func (e *Error) Append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, e.Code, 10)
	dst = append(dst, `,"message":`...)
	dst = jsonx.AppendQuoted(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, '}')
}

func parseError(err error) *Error {
	return &Error{Code: CodeParse, Message: "Parse error: " + err.Error()}
}

func invalidRequest(why string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: "Invalid request: " + why}
}

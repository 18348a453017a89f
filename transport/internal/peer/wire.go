package peer

import (
	"context"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// WireError converts err for a peer of the revision. An error that is not an
// *protocol.Error becomes an internal error.
func WireError(err error, rev protocol.Revision) *rpc.Error {
	var e *protocol.Error
	if errors.As(err, &e) {
		return &rpc.Error{Code: e.CodeFor(rev), Message: e.Message, Data: e.Data}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, rpc.ErrClosed) {
		return &rpc.Error{Code: protocol.CodeInternal, Message: "The request was cancelled"}
	}
	return &rpc.Error{Code: protocol.CodeInternal, Message: "Internal error: " + err.Error()}
}

// ReceivedError is an error that a peer has answered with.
func ReceivedError(e *rpc.Error) *protocol.Error {
	return &protocol.Error{Code: e.Code, Message: e.Message, Data: e.Data}
}

// CancelledID returns the request id of notifications/cancelled (2026-07-28,
// basic/patterns/cancellation). It returns false if there is none.
func CancelledID(params []byte) (rpc.ID, bool) {
	members := jsonx.Object(params)
	for members.Next() {
		if string(members.Key()) == "requestId" {
			return rpc.ID(members.Value()), true
		}
	}
	return "", false
}

// CancelParams are the params of notifications/cancelled.
func CancelParams(id rpc.ID, reason string) []byte {
	params := append([]byte(`{"requestId":`), id...)
	params = jsonx.AppendQuoted(append(params, `,"reason":`...), reason)
	return append(params, '}')
}

func uriParams(uri string) []byte {
	return append(jsonx.AppendQuoted([]byte(`{"uri":`), uri), '}')
}

// IsIdempotent reports whether a request may be sent a second time when it is not
// known whether the first has arrived.
func IsIdempotent(method string) bool {
	return strings.HasSuffix(method, "/list") || method == "resources/read" || method == "server/discover" || method == "ping"
}

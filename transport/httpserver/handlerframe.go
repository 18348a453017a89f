package httpserver

import (
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// keptBuffer is the largest buffer that is kept for reuse.
const keptBuffer = 256 << 10

// buffers are where outgoing messages are put together. No handler can reach
// one.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// putBuffer is the end of a buffer from which something was written, or not. After
// a failure HTTP/2 may still be reading it: then it is not used again.
func putBuffer(b *[]byte, err error) {
	if err == nil && cap(*b) <= keptBuffer {
		buffers.Put(b)
	}
}

// appendNotification appends a notification as a revision has it.
func appendNotification(dst []byte, n mcp.Notification, rev mcp.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"jsonrpc":"2.0","method":`...), n.Method())
	dst = n.AppendParams(append(dst, `,"params":`...), rev)
	return append(dst, '}')
}

// appendAnswer appends the response to a request, and returns the error that it
// carries, if any.
func appendAnswer(dst []byte, id mcp.ID, result mcp.Result, failure error, rev mcp.Revision) ([]byte, *rpc.Error) {
	start := len(dst)
	if failure == nil {
		dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
		out, err := appendResult(append(dst, `,"result":`...), result, rev)
		if err == nil {
			return append(out, '}'), nil
		}
		failure = mcp.Errorf(mcp.CodeInternal, "Internal error: the result could not be encoded: %v", err)
	}
	e := peer.WireError(failure, rev)
	return rpc.AppendError(dst[:start], rpc.ID(id), false, e), e
}

// appendResult appends a result. That it panics, or that there is none, is an
// error of the request.
func appendResult(dst []byte, result mcp.Result, rev mcp.Revision) (out []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = dst, fmt.Errorf("%v", v)
		}
	}()
	return result.AppendJSON(dst, rev)
}

// appendEvent appends the event that carries the message at the end of dst,
// which begins at start, and returns the event alone.
func appendEvent(dst []byte, start int, id string) (all, event []byte) {
	end := len(dst)
	all = sse.Event{ID: id, Data: dst[start:end]}.Append(dst)
	return all, all[end:]
}

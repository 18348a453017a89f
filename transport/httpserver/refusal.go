package httpserver

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// refusal is why a request is not served: an HTTP status and a JSON-RPC error.
type refusal struct {
	status    int
	id        rpc.ID // of the message; empty when it could not be read, or has none
	nullID    bool   // write it as null then, as older revisions do
	err       *rpc.Error
	allow     string // methods, for status 405
	closeConn bool   // closes the connection after the response
}

func refuse(status int, code int64, format string, args ...any) *refusal {
	return &refusal{status: status, err: &rpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// refuseError is a refusal with a protocol error.
func refuseError(status int, id rpc.ID, err error, rev protocol.Revision) *refusal {
	return &refusal{status: status, id: id, err: peer.WireError(err, rev)}
}

// of names the message that is refused.
func (r *refusal) of(id rpc.ID) *refusal {
	r.id = id
	return r
}

// write sends the refusal.
func (r *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	if r.allow != "" {
		h.Set("Allow", r.allow)
	}
	if r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests {
		h.Set("Retry-After", "1")
	}
	if r.closeConn {
		h.Set("Connection", "close")
	}
	body := append(rpc.AppendError(nil, r.id, r.nullID, r.err), '\n')
	setJSON(h, len(body))
	w.WriteHeader(r.status)
	_, _ = w.Write(body) // the client may have left
}

// setJSON sets the headers of a response that is one JSON text.
func setJSON(h http.Header, size int) {
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(size))
}

// busy is the refusal when a limit is reached.
func busy(status int, format string, args ...any) *refusal {
	return refuse(status, protocol.CodeInternal, "The server is busy: "+format, args...)
}

// leaving is the refusal once the handler is shut down.
func shuttingDown() *refusal {
	return refuse(http.StatusServiceUnavailable, protocol.CodeInternal, "The server is shutting down")
}

package httpserver

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

const (
	// firstBody is what is set aside for a body before any of it has come.
	firstBody = 64 << 10
	// prefixRead is how much of a body that is too large is read to find out
	// which request it was.
	prefixRead = 4 << 10
)

// checkContent refuses bodies that are not plain JSON.
func checkContent(h http.Header) *refusal {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse(http.StatusUnsupportedMediaType, mcp.CodeInvalidRequest, "The body must not be encoded; send it without Content-Encoding")
	}
	kind := h.Get("Content-Type")
	if kind == "" || kind == "application/json" {
		return nil
	}
	if media, _, err := mime.ParseMediaType(kind); err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, mcp.CodeInvalidRequest, "The Content-Type must be application/json")
	}
	return nil
}

// body is what an HTTP request has brought. It is not reused: what is made from
// it may point into it for as long as it likes.
type body struct {
	data  []byte
	taken int64 // of the budget for large bodies
}

// bodies reads the bodies of requests and bounds what they hold together. Small
// ones do not count: their number is bounded already.
type bodies struct {
	opts *Options
	held atomic.Int64
}

// release is the end of a request whose body was read.
func (b *bodies) release(read *body) {
	if read.taken > 0 {
		b.held.Add(-read.taken)
	}
}

// read reads the body of a request. release must be called even if it is refused.
func (b *bodies) read(ctl *http.ResponseController, r *http.Request, into *body) *refusal {
	if refused := checkContent(r.Header); refused != nil {
		return refused
	}
	// Where the connection has no deadlines, the server must have its own.
	_ = ctl.SetReadDeadline(time.Now().Add(b.opts.BodyTimeout))
	defer ctl.SetReadDeadline(time.Time{})
	limit := b.opts.MaxMessage
	if r.ContentLength > int64(limit) {
		return tooLarge(r, limit)
	}
	err := b.fill(into, r.Body, r.ContentLength)
	switch {
	case err != nil:
		return b.unread(into, err)
	case len(into.data) > limit:
		return refuseLarge(into.data, limit)
	}
	return nil
}

// unread is the refusal of a body that could not be read to its end.
func (b *bodies) unread(into *body, err error) *refusal {
	var refused *refusal
	switch {
	case errors.Is(err, errBodies):
		refused = busy(http.StatusServiceUnavailable, "large messages are being served; send this one again later")
	case errors.Is(err, os.ErrDeadlineExceeded):
		refused = refuse(http.StatusRequestTimeout, mcp.CodeInvalidRequest, "The body of the request did not arrive within %v", b.opts.BodyTimeout)
	default:
		refused = refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "The body of the request could not be read")
	}
	refused.id, refused.hangUp = idIn(into.data), true
	return refused
}

// errBodies is returned when large bodies hold too much together.
var errBodies = errors.New("too much is being read")

// fill reads a body of size bytes, which is negative when unknown, but not much
// more than is allowed. What is set aside follows what has come.
func (b *bodies) fill(into *body, r io.Reader, size int64) error {
	first := int64(512)
	if size >= 0 {
		first = max(min(size, firstBody), 1)
	}
	data := make([]byte, 0, first)
	defer func() { into.data = data }()
	for len(data) <= b.opts.MaxMessage && (size < 0 || int64(len(data)) < size) {
		if len(data) == cap(data) {
			grown := 2 * int64(cap(data))
			if size >= 0 {
				grown = min(grown, size)
			}
			if grown > firstBody && !b.take(into, grown) {
				return errBodies
			}
			data = append(make([]byte, 0, grown), data...)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take counts what a body is about to hold.
func (b *bodies) take(into *body, size int64) bool {
	more := size - into.taken
	if b.held.Add(more) > int64(b.opts.MaxBodies) {
		b.held.Add(-more)
		return false
	}
	into.taken = size
	return true
}

// tooLarge refuses a body for the size that it announces. A client that waits
// for leave to send it is not given any.
func tooLarge(r *http.Request, limit int) *refusal {
	var prefix []byte
	if r.Header.Get("Expect") == "" {
		prefix = make([]byte, prefixRead)
		n, _ := r.Body.Read(prefix) // what has come by now will do
		prefix = prefix[:n]
	}
	return refuseLarge(prefix, limit)
}

func refuseLarge(beginning []byte, limit int) *refusal {
	refused := refuse(http.StatusRequestEntityTooLarge, mcp.CodeInvalidRequest,
		"Invalid request: the message is over the limit of %d bytes; send less at once, or raise the limit of the server", limit)
	refused.id, refused.hangUp = idIn(beginning), true
	return refused
}

// idIn finds the id in the beginning of a message.
func idIn(beginning []byte) rpc.ID {
	prefix := beginning[:min(len(beginning), prefixRead)]
	members := jsonx.Object(prefix)
	for members.Next() {
		value := members.Value()
		if string(members.Key()) != "id" || &value[len(value)-1] == &prefix[len(prefix)-1] {
			continue // the last thing that was read may go on
		}
		m, err := rpc.Parse(append(append([]byte(`{"jsonrpc":"2.0","method":"","id":`), value...), '}'))
		if err == nil {
			return m.ID
		}
	}
	return ""
}

func isArray(body []byte) bool {
	i := jsonx.Space(body, 0)
	return i < len(body) && body[i] == '['
}

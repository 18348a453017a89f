package streamhttp

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
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

// readMessage reads the body of a request. It is not reused: what is made from
// it may point into it for as long as it likes.
func readMessage(ctl *http.ResponseController, r *http.Request, opts *Options) ([]byte, *refusal) {
	if refused := checkContent(r.Header); refused != nil {
		return nil, refused
	}
	// Where the connection has no deadlines, the server must have its own.
	_ = ctl.SetReadDeadline(time.Now().Add(opts.BodyTimeout))
	defer ctl.SetReadDeadline(time.Time{})
	limit := opts.MaxMessage
	if r.ContentLength > int64(limit) {
		return nil, tooLarge(r, limit)
	}
	body, err := readUpTo(r.Body, r.ContentLength, limit)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		refused := refuse(http.StatusRequestTimeout, mcp.CodeInvalidRequest, "The body of the request did not arrive within %v", opts.BodyTimeout)
		refused.hangUp = true
		return nil, refused
	case err != nil:
		refused := refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "The body of the request could not be read")
		refused.hangUp = true
		return nil, refused
	case len(body) > limit:
		return nil, refuseLarge(body[:min(len(body), prefixRead)], limit)
	}
	return body, nil
}

// readUpTo reads a body of size bytes, which is negative when unknown, but not
// much more than limit. What is set aside follows what has come.
func readUpTo(r io.Reader, size int64, limit int) ([]byte, error) {
	first := int64(512)
	if size >= 0 {
		first = min(size, firstBody)
	}
	body := make([]byte, 0, max(first, 1))
	for len(body) <= limit && (size < 0 || int64(len(body)) < size) {
		if len(body) == cap(body) {
			grown := 2 * int64(cap(body))
			if size >= 0 {
				grown = min(grown, size)
			}
			body = append(make([]byte, 0, grown), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return body, nil
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

func refuseLarge(prefix []byte, limit int) *refusal {
	refused := refuse(http.StatusRequestEntityTooLarge, mcp.CodeInvalidRequest,
		"Invalid request: the message is over the limit of %d bytes; send less at once, or raise the limit of the server", limit)
	refused.id, refused.hangUp = idIn(prefix), true
	return refused
}

// idIn finds the id in the beginning of a message.
func idIn(prefix []byte) rpc.ID {
	members := jsonx.Object(prefix)
	for members.Next() {
		if string(members.Key()) != "id" {
			continue
		}
		m, err := rpc.Parse(append(append([]byte(`{"jsonrpc":"2.0","method":"","id":`), members.Value()...), '}'))
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

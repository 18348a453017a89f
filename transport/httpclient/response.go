package httpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/transport"
)

const (
	// drainTimeout is how long a response may take to end after its last message,
	// so that its connection can serve again.
	drainTimeout = time.Second
	// maxDrain bounds the bytes that are read for that.
	maxDrain = 64 << 10
	// maxEventID is the longest event id that is sent back, in bytes.
	maxEventID = 4 << 10
)

// contentType is the media type of a response without its parameters, in lower
// case.
func contentType(resp *http.Response) string {
	value := resp.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(value); err == nil {
		return kind
	}
	kind, _, _ := strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// read hands the frames of a response to each until that reports that the
// answer was among them. Without an answer and without an error, a stream ended
// that may go on elsewhere.
func (w *wire) read(resp *http.Response, cur *cursor, each func(frame []byte) bool) (answered bool, err error) {
	switch kind := contentType(resp); kind {
	case "application/json":
		body, err := readBody(resp, w.max)
		if err != nil {
			return false, err
		}
		if !each(body) {
			return false, fmt.Errorf("the server's response does not answer the request: %s", printable(string(body)))
		}
		return true, nil
	case "text/event-stream":
		return w.readEvents(resp, cur, each)
	default:
		return false, unexpectedStatus(resp, fmt.Sprintf("and the content type %q, where a message or a stream of events answers a request", kind))
	}
}

func readBody(resp *http.Response, max int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(max)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRequestLost, err)
	case len(body) > max:
		return nil, fmt.Errorf("the server's answer: %w", &transport.TooLargeError{Size: int64(len(body)), Limit: max})
	}
	return body, nil
}

func (w *wire) readEvents(resp *http.Response, cur *cursor, each func(frame []byte) bool) (answered bool, err error) {
	events := sse.NewReader(resp.Body, w.max)
	events.SetLastID(cur.lastID)
	fresh := false // something new has come
	defer func() {
		if id := events.LastID(); id != cur.lastID {
			fresh, cur.lastID = true, usableID(id)
		}
		if retry := events.Retry(); retry > 0 {
			cur.retry = retry
		}
		cur.failed = 0
		if cur.empty++; fresh {
			cur.empty = 0
		}
	}()
	for {
		event, err := events.Next()
		switch {
		case errors.Is(err, sse.ErrTooLarge):
			return false, fmt.Errorf("the server's answer is over the limit of %d bytes: %w", w.max, err)
		case err != nil:
			w.log.Debug("a stream of the server has ended", "reason", err)
			return false, nil
		case event.Name != "message":
		case len(event.Data) > 0: // an event without data has only the id for resuming
			fresh = true
			if each(event.Data) {
				return true, nil
			}
		}
	}
}

// usableID is id if it can be a header's value, else empty.
func usableID(id string) string {
	if len(id) > maxEventID {
		return ""
	}
	for _, c := range []byte(id) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return ""
		}
	}
	return id
}

// messages calls each for the message of a frame or, if batches is true, for all
// messages of an array. A malformed message comes with its error.
func messages(frame []byte, batches bool, each func(*rpc.Message, *rpc.Error)) {
	if i := jsonx.Space(frame, 0); !batches || i == len(frame) || frame[i] != '[' {
		m, err := rpc.Parse(frame)
		each(&m, err)
		return
	}
	elements := jsonx.Array(frame)
	for elements.Next() {
		m, err := rpc.Parse(elements.Value())
		each(&m, err)
	}
}

// drain ends a response whose messages have been read; cancel ends it at once.
func drain(body io.ReadCloser, cancel context.CancelCauseFunc) {
	timer := group.AfterFunc(drainTimeout, func() { cancel(nil) })
	defer timer.Stop()
	discard(body)
	cancel(nil)
}

// discard reads the rest of a body, so that its connection can be reused, and
// closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDrain) // an error is the end of the body
	_ = body.Close()
}

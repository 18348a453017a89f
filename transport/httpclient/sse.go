package httpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// sseHandshake bounds how long an HTTP+SSE server may take to tell where to post
// to.
const sseHandshake = 30 * time.Second

var errNoEndpoint = errors.New("the stream does not tell where to post to, with an event named endpoint")

// sseConn is a connection to an HTTP+SSE server.
type sseConn struct {
	protocol.Conn
	stream *sseStream
}

// connectSSE connects to a server that has HTTP+SSE alone (2024-11-05,
// basic/transports, "HTTP with SSE"): the first event of its stream says where
// to post to.
func connectSSE(ctx context.Context, wire *wire, host *protocol.Host) (protocol.Conn, error) {
	s, err := openSSE(ctx, wire)
	if err != nil {
		return nil, err
	}
	s.modern = host.Revision.Modern()
	conn, err := transport.ConnectStream(ctx, s, host, &wire.opts)
	if err != nil {
		return nil, errors.Join(err, s.wait())
	}
	return &sseConn{Conn: conn, stream: s}, nil
}

// Notify implements protocol.Notifier.
func (c *sseConn) Notify(ctx context.Context, n protocol.Notification) error {
	if notifier, ok := c.Conn.(protocol.Notifier); ok {
		return notifier.Notify(ctx, n)
	}
	return fmt.Errorf("sending %s: the connection cannot send notifications", n.Method())
}

// Close implements protocol.Conn.
func (c *sseConn) Close() error { return errors.Join(c.Conn.Close(), c.stream.wait()) }

// openSSE opens a server's stream and reads the endpoint from it.
func openSSE(ctx context.Context, wire *wire) (*sseStream, error) {
	s := &sseStream{
		wire: wire, slots: make(chan struct{}, ssePosts),
		frames: make(chan []byte), ended: make(chan struct{}),
	}
	s.run, s.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { s.stop(context.Cause(ctx)) })
	defer unhook()
	timer := group.AfterFunc(sseHandshake, func() { s.stop(errNoEndpoint) })
	defer timer.Stop()
	resp, err := wire.get(s.run, make(http.Header, 2))
	if err != nil {
		s.stop(nil)
		return nil, err
	}
	s.body, s.events = resp.Body, sse.NewReader(resp.Body, wire.max)
	base := wire.url
	if resp.Request != nil && resp.Request.URL != nil {
		base = resp.Request.URL // after redirects
	}
	if s.endpoint, err = readEndpoint(s.events, base); err != nil {
		if s.run.Err() != nil {
			err = context.Cause(s.run)
		}
		_ = s.Close()
		return nil, err
	}
	s.group.Go(s.pump)
	return s, nil
}

// readEndpoint reads the address for messages. It must have the origin of the
// stream, so that messages reach no other server.
func readEndpoint(events *sse.Reader, base *url.URL) (*url.URL, error) {
	event, err := events.Next()
	if err != nil || event.Name != "endpoint" {
		return nil, errNoEndpoint
	}
	endpoint, err := base.Parse(string(bytes.TrimSpace(event.Data)))
	if err != nil {
		return nil, fmt.Errorf("the endpoint to post to: %w", err)
	}
	endpoint.Fragment, endpoint.RawFragment = "", ""
	if !sameOrigin(base, endpoint) {
		return nil, fmt.Errorf("the endpoint to post to is at another origin, %s://%s, where nothing is sent", endpoint.Scheme, endpoint.Host)
	}
	if endpoint.User == nil {
		endpoint.User = base.User
	}
	return endpoint, nil
}

const (
	// sseAcceptTimeout is the time after which the next message is sent although
	// the server has not accepted the previous one: some servers respond to a
	// POST only after they have served the message.
	sseAcceptTimeout = time.Second
	// ssePosts is how many messages may wait to be accepted.
	ssePosts = 256
)

// sseStream is the client's side of HTTP+SSE as a transport.Stream: one stream
// of events from the server, and one POST for each message to it.
type sseStream struct {
	wire     *wire
	run      context.Context // ends with the stream
	stop     context.CancelCauseFunc
	body     io.Closer
	events   *sse.Reader
	endpoint *url.URL
	group    group.Group
	slots    chan struct{}
	modern   bool // ask whether the server is

	frames chan []byte   // for Read
	ended  chan struct{} // closed when no more come
	err    error         // why; read after ended
}

// pump reads the server's stream.
func (s *sseStream) pump() {
	defer close(s.ended)
	for {
		event, err := s.events.Next()
		switch {
		case err != nil:
			s.err = err
			if cause := context.Cause(s.run); cause != nil && !errors.Is(cause, context.Canceled) {
				s.err = cause
			}
			return
		case event.Name == "message":
			s.put(bytes.Clone(event.Data))
		}
	}
}

func (s *sseStream) put(frame []byte) {
	select {
	case s.frames <- frame:
	case <-s.run.Done():
	}
}

// Read implements transport.Stream.
func (s *sseStream) Read() ([]byte, error) {
	select {
	case frame := <-s.frames:
		return frame, nil
	case <-s.ended:
		return nil, s.err
	}
}

// Write implements transport.Stream.
func (s *sseStream) Write(frames []byte) error {
	for frame := range bytes.Lines(frames) {
		if err := s.write(bytes.Clone(bytes.TrimSpace(frame))); err != nil {
			return err
		}
	}
	return nil
}

// write posts one message and waits, but not for long, until it is accepted, so
// that messages arrive in order. Whether the server is modern is not asked by
// itself: these are not.
func (s *sseStream) write(frame []byte) error {
	m, malformed := rpc.Parse(frame)
	if malformed == nil && m.Method == "server/discover" && !s.modern {
		s.group.Go(func() { s.refuse(m.ID, protocol.CodeMethodNotFound, "HTTP+SSE is for servers that have sessions") })
		return nil
	}
	if !take(s.run, s.slots) {
		return io.ErrClosedPipe
	}
	accepted := make(chan struct{})
	s.group.Go(func() {
		defer func() { <-s.slots }()
		defer close(accepted)
		err := s.wire.tell(s.run, s.endpoint, frame, make(http.Header, 3))
		if err != nil && s.run.Err() == nil {
			s.failed(&m, err)
		}
	})
	timer := time.NewTimer(sseAcceptTimeout)
	defer timer.Stop()
	select {
	case <-accepted:
	case <-timer.C:
	case <-s.run.Done():
		return io.ErrClosedPipe
	}
	return nil
}

// failed handles a message that the server has not accepted. A request fails with
// err. If the session is gone, the stream ends.
func (s *sseStream) failed(m *rpc.Message, err error) {
	var status *StatusError
	switch gone := errors.As(err, &status) && (status.Code == http.StatusNotFound || status.Code == http.StatusGone); {
	case gone:
		s.stop(fmt.Errorf("the server has forgotten the session: %w", err))
		_ = s.body.Close()
	case m.Kind == rpc.Request:
		s.refuse(m.ID, protocol.CodeInternal, err.Error())
	default:
		s.wire.log.Warn("a message to the server could not be sent", "reason", err)
	}
}

// refuse answers a request in the server's place.
func (s *sseStream) refuse(id rpc.ID, code int64, why string) {
	s.put(rpc.AppendError(nil, id, false, &rpc.Error{Code: code, Message: why}))
}

// Close implements transport.Stream.
func (s *sseStream) Close() error {
	s.stop(nil)
	return s.body.Close()
}

// wait returns when everything has ended that the stream has started, after
// Close.
func (s *sseStream) wait() error {
	defer s.wire.close()
	if !s.group.WaitFor(closeTimeout) {
		return errors.New("closing the connection: a message is still being sent")
	}
	return nil
}

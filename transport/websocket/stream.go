package websocket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/transport"
)

const (
	// keptBuffer is the largest buffer that serves another message.
	keptBuffer  = 64 << 10
	firstBuffer = 4 << 10
	// fragment is the most that is sent at once: between fragments pings are
	// answered, however large the message is and however slowly it goes.
	fragment   = 64 << 10
	prefixKept = 4 << 10
	// overrun is the part of a message over the limit that is read, as a multiple
	// of the limit, so that the sender finishes sending and reads the response.
	overrun = 4
	// closeTimeout bounds the closing handshake.
	closeTimeout = 2 * time.Second
)

var (
	errBinary   = errors.New("a binary message: every message is text")
	errEncoding = errors.New("a text message is not UTF-8")
	errTooLarge = errors.New("a message was over the limit")
	// errLost means that a connection has ended without a closing handshake.
	errLost = errors.New("the connection was lost")
)

// buffers hold messages while they are looked at. None outlives its message, so
// that an idle connection has none.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, firstBuffer); return &b }}

// stream carries one JSON-RPC message in every text message.
type stream struct {
	conn *websocket.Conn
	max  int // of a message that is read, in bytes
	// wire, if set, buffers output to write it at once.
	wire *wire
	// network is the underlying connection; nil if it is not known.
	network net.Conn
	pings   pinger

	buf  *[]byte // of the last frame
	over error   // error that ends the reading

	heard   atomic.Bool // anything from the peer since it was last reset
	writing atomic.Bool
	closed  atomic.Bool
	code    atomic.Int32 // with which to close
}

// newStream makes the stream of a connection that is closed with the code
// regular unless something goes wrong.
func newStream(conn *websocket.Conn, network net.Conn, max int, regular websocket.StatusCode) *stream {
	conn.SetReadLimit(-1) // it is read here up to max
	s := &stream{conn: conn, network: network, max: max}
	s.code.Store(int32(regular))
	return s
}

// Read implements transport.Stream.
func (s *stream) Read() ([]byte, error) {
	s.drop()
	if s.over != nil {
		return nil, s.over
	}
	kind, message, err := s.conn.Reader(context.Background())
	if err != nil {
		return nil, s.end(err)
	}
	if kind != websocket.MessageText {
		return nil, s.refuse(websocket.StatusUnsupportedData, errBinary)
	}
	s.buf = buffers.Get().(*[]byte)
	frame, err := s.readAll(message, (*s.buf)[:0])
	*s.buf = frame
	switch {
	case err != nil:
		return nil, err
	case !utf8.Valid(frame):
		return nil, s.refuse(websocket.StatusInvalidFramePayloadData, errEncoding)
	}
	return frame, nil
}

// drop lets the buffer of the last frame go.
func (s *stream) drop() {
	if s.buf != nil && cap(*s.buf) <= keptBuffer {
		buffers.Put(s.buf)
	}
	s.buf = nil
}

// readAll reads a message to its end, or to the limit.
func (s *stream) readAll(message io.Reader, frame []byte) ([]byte, error) {
	for {
		if len(frame) == cap(frame) {
			frame = append(frame, 0)[:len(frame)]
		}
		n, err := message.Read(frame[len(frame):min(cap(frame), s.max+1)])
		frame = frame[:len(frame)+n]
		s.heard.Store(true)
		switch {
		case len(frame) > s.max:
			return frame, s.tooLarge(message, frame)
		case errors.Is(err, io.EOF):
			return frame, nil
		case err != nil:
			return frame, s.end(err)
		}
	}
}

// tooLarge lets a message over the limit be answered; it is the last.
func (s *stream) tooLarge(message io.Reader, frame []byte) error {
	more, _ := io.Copy(io.Discard, io.LimitReader(message, overrun*int64(s.max)))
	s.over = s.refuse(websocket.StatusMessageTooBig, errTooLarge)
	return &transport.TooLargeError{Size: int64(len(frame)) + more, Limit: s.max, Prefix: bytes.Clone(frame[:min(len(frame), prefixKept)])}
}

// refuse chooses the code that the connection is closed with.
func (s *stream) refuse(code websocket.StatusCode, why error) error {
	s.code.Store(int32(code))
	return why
}

// end returns the error of a failed read for the connection.
func (s *stream) end(err error) error {
	switch code := websocket.CloseStatus(err); {
	case code == websocket.StatusNormalClosure, code == websocket.StatusGoingAway, code == websocket.StatusNoStatusRcvd:
		return io.EOF
	case code != -1:
		return fmt.Errorf("the peer closed the connection: %w", err)
	case errors.Is(err, net.ErrClosed):
		return io.EOF // by this side
	case isLost(err):
		return fmt.Errorf("%w: %v", errLost, err) // not an io.EOF, which is a regular end
	}
	return s.refuse(websocket.StatusProtocolError, err)
}

// isLost reports whether the network has failed, or the peer has gone without a
// word, rather than that it does something wrong.
func isLost(err error) bool {
	var failure net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) || errors.As(err, &failure)
}

// Write implements transport.Stream.
func (s *stream) Write(frames []byte) error {
	s.writing.Store(true)
	defer s.writing.Store(false)
	if s.wire == nil {
		return s.writeAll(frames)
	}
	s.wire.hold()
	err := s.writeAll(frames)
	return errors.Join(err, s.wire.release())
}

func (s *stream) writeAll(frames []byte) error {
	for len(frames) > 0 {
		end := bytes.IndexByte(frames, '\n')
		if err := s.writeOne(frames[:end]); err != nil {
			return err
		}
		frames = frames[end+1:]
	}
	return nil
}

// writeOne sends a message, in fragments if it is large.
func (s *stream) writeOne(message []byte) error {
	ctx := context.Background() // Close unblocks the call
	if len(message) <= fragment {
		return s.conn.Write(ctx, websocket.MessageText, message)
	}
	w, err := s.conn.Writer(ctx, websocket.MessageText)
	for err == nil && len(message) > 0 {
		n := min(len(message), fragment)
		_, err = w.Write(message[:n])
		message = message[n:]
	}
	if err != nil {
		return err
	}
	return w.Close()
}

// Close implements transport.Stream. It says goodbye, and waits a moment for the
// peer to do so too. While something is being written that the peer does not
// take it cannot, and the connection is cut.
func (s *stream) Close() error {
	defer s.pings.stop()
	s.closed.Store(true)
	if s.writing.Load() {
		s.cut()
		return nil
	}
	late := group.AfterFunc(closeTimeout, s.cut)
	defer late.Stop()
	_ = s.conn.Close(websocket.StatusCode(s.code.Load()), s.reason()) // the peer may have gone
	return nil
}

// abandon closes a stream that is still open after a panic.
func (s *stream) abandon() {
	if !s.closed.Load() {
		s.code.Store(int32(websocket.StatusInternalError))
		_ = s.Close()
	}
}

// CloseUnblocksRead says that Close ends a Read under way; see transport.Stream.
func (s *stream) CloseUnblocksRead() bool { return true }

// cut ends the connection at once, which unblocks everything.
func (s *stream) cut() {
	if s.network != nil {
		_ = s.network.Close()
		return
	}
	_ = s.conn.CloseNow()
}

// reason returns the text of the close frame.
func (s *stream) reason() string {
	switch websocket.StatusCode(s.code.Load()) {
	case websocket.StatusUnsupportedData:
		return "messages are text"
	case websocket.StatusInvalidFramePayloadData:
		return "messages are UTF-8"
	case websocket.StatusMessageTooBig:
		return fmt.Sprintf("messages have at most %d bytes", s.max)
	}
	return ""
}

package msgrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

// Message types of MessagePack-RPC.
const (
	request      = 0
	response     = 1
	notification = 2
)

// WriteTimeout is the timeout of a write. After it the connection ends.
const WriteTimeout = 10 * time.Second

// ErrClosed is returned by calls after the connection has ended.
var ErrClosed = errors.New("the connection has ended")

// Error is the error response of a call. Message is the text of the response, which is not trusted.
type Error struct {
	Method, Message string
}

// Error returns "method: message".
func (e *Error) Error() string { return e.Method + ": " + e.Message }

// Pipe is the byte stream under a connection.
type Pipe interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// Conn is a client connection. Its methods may be called concurrently.
type Conn struct {
	pipe   Pipe
	notify func(method string, params []byte)

	writing sync.Mutex // held while a message is written

	mu      sync.Mutex
	lastID  uint32                   // id of the last request
	pending map[uint32]chan<- answer // calls without a response, by id
	cause   error                    // reason of the end; nil while the connection is open
	done    chan struct{}
}

// answer is a response. raw is the result, or the error if failed.
type answer struct {
	failed bool
	raw    []byte
}

// New returns a connection on pipe. Run must be called to receive messages. notify is called for each notification, on the
// goroutine of Run, and must not block. It may keep params, which are a MessagePack array.
func New(pipe Pipe, notify func(method string, params []byte)) *Conn {
	return &Conn{pipe: pipe, notify: notify, pending: map[uint32]chan<- answer{}, done: make(chan struct{})}
}

// Run reads messages until the connection ends, and returns the reason. It must be called once.
func (c *Conn) Run() error {
	in := NewReader(c.pipe)
	for {
		raw, err := in.Read()
		if err == nil {
			err = c.handle(raw)
		}
		if err != nil {
			return c.end(err)
		}
	}
}

// Close ends the connection. Pending calls return ErrClosed.
func (c *Conn) Close() { _ = c.end(ErrClosed) }

// Done returns a channel that is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// end ends the connection. It keeps and returns the first cause, so it also reads the cause of a
// connection that has ended.
func (c *Conn) end(cause error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = cause
		close(c.done)
		_ = c.pipe.Close()
	}
	return c.cause
}

// handle handles a message that Reader has validated.
func (c *Conn) handle(raw []byte) error {
	in := msgpack.NewDecoder(bytes.NewReader(raw))
	n, err := in.DecodeArrayLen()
	if err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	kind, err := in.DecodeInt()
	if err != nil {
		return fmt.Errorf("decode message type: %w", err)
	}
	switch {
	case kind == response && n == 4:
		return c.respond(in)
	case kind == notification && n == 3:
		method, params, err := decodeNotification(in)
		if err == nil {
			c.notify(method, params)
		}
		return err
	case kind == request && n == 4:
		id, err := in.DecodeUint32()
		if err != nil {
			return fmt.Errorf("decode request id: %w", err)
		}
		return c.send(response, id, "this client has no methods", nil)
	}
	return fmt.Errorf("message of type %d has %d elements", kind, n)
}

// decodeNotification decodes the method and the parameters of a notification.
func decodeNotification(in *msgpack.Decoder) (method string, params []byte, err error) {
	if method, err = in.DecodeString(); err != nil {
		return "", nil, fmt.Errorf("decode method of notification: %w", err)
	}
	rest, err := in.DecodeRaw()
	return method, bytes.Clone(rest), err
}

// respond delivers a response to the call that waits for it.
func (c *Conn) respond(in *msgpack.Decoder) error {
	id, err := in.DecodeUint32()
	if err != nil {
		return fmt.Errorf("decode response id: %w", err)
	}
	fault, err := in.DecodeRaw()
	if err != nil {
		return err
	}
	a := answer{failed: !isNil(fault), raw: bytes.Clone(fault)}
	if !a.failed {
		value, err := in.DecodeRaw()
		if err != nil {
			return err
		}
		a.raw = bytes.Clone(value)
	}
	c.mu.Lock()
	waiting := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- a // the channel has a buffer of 1
	}
	return nil
}

func isNil(raw []byte) bool { return len(raw) == 1 && raw[0] == 0xc0 }

// Call sends a request, waits for the response and decodes the result into result, unless that is nil. An error response is an
// *Error. If the connection ends, the error is ErrClosed. If ctx ends first, the method may still be running.
func (c *Conn) Call(ctx context.Context, method string, params []any, result any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	waiting := make(chan answer, 1)
	c.mu.Lock()
	c.lastID++
	id := c.lastID
	c.pending[id] = waiting
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()
	if params == nil {
		params = []any{}
	}
	if err := c.send(request, id, method, params); err != nil {
		return err
	}
	select {
	case a := <-waiting:
		return a.decode(method, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.done:
		return fmt.Errorf("%w: %w", ErrClosed, c.end(ErrClosed))
	}
}

// decode returns the error of a response, or decodes its result.
func (a answer) decode(method string, result any) error {
	if a.failed {
		return &Error{method, reason(a.raw)}
	}
	if result == nil {
		return nil
	}
	if err := Decode(a.raw, result); err != nil {
		return fmt.Errorf("decode response of %s: %w", method, err)
	}
	return nil
}

// reason returns the text of an error response. Neovim sends [type, text].
func reason(raw []byte) string {
	var text string
	if Decode(raw, &text) == nil {
		return text
	}
	var both []Raw
	if Decode(raw, &both) == nil && len(both) == 2 && both[1].DecodeInto(&text) {
		return text
	}
	return "no reason given"
}

// Decode decodes the MessagePack value raw into v.
func Decode(raw []byte, v any) error { return msgpack.Unmarshal(raw, v) }

// Raw is a MessagePack value that is decoded later.
type Raw []byte

// DecodeMsgpack implements msgpack.CustomDecoder. It copies the encoded value.
func (r *Raw) DecodeMsgpack(in *msgpack.Decoder) error {
	raw, err := in.DecodeRaw()
	*r = Raw(bytes.Clone(raw))
	return err
}

// DecodeInto decodes the value into v and reports success. It is false for an empty Raw.
func (r Raw) DecodeInto(v any) bool { return len(r) > 0 && Decode(r, v) == nil }

// send writes a message with these elements: type, id, method and parameters of a request, or type,
// id, error and result of a response. A write error ends the connection.
func (c *Conn) send(parts ...any) error {
	raw, err := msgpack.Marshal(parts)
	if err != nil {
		return err
	}
	if len(raw) > MaxMessage {
		return ErrTooLong
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.pipe.SetWriteDeadline(time.Now().Add(WriteTimeout)); err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, c.end(err))
	}
	if _, err := c.pipe.Write(raw); err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, c.end(err)) // part of a message may have been written
	}
	return nil
}

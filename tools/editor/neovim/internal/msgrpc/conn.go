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

// The kinds of messages.
const (
	request      = 0
	response     = 1
	notification = 2
)

// WritePatience is how long the other side may take to read what it is sent. One that takes longer has gone.
const WritePatience = 10 * time.Second

// ErrClosed is a connection that has ended.
var ErrClosed = errors.New("the connection has ended")

// Error is a call that the other side refuses. The message is as it said it.
type Error struct {
	Method, Message string
}

func (e *Error) Error() string { return e.Method + ": " + e.Message }

// Pipe is what messages travel on.
type Pipe interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// Conn is a connection. Its methods may be called from several goroutines.
type Conn struct {
	pipe   Pipe
	notify func(method string, params []byte)

	writing sync.Mutex // held while a message is sent

	mu      sync.Mutex
	last    uint32
	pending map[uint32]chan<- answer
	cause   error // why it has ended
	done    chan struct{}
}

// answer is a response; raw is the value that belongs to it.
type answer struct {
	failed bool
	raw    []byte
}

// New makes a connection, which answers nothing before Run. notify is told of notifications, where messages are read, with their
// parameters as MessagePack, which it may keep; it must not wait.
func New(pipe Pipe, notify func(method string, params []byte)) *Conn {
	return &Conn{pipe: pipe, notify: notify, pending: map[uint32]chan<- answer{}, done: make(chan struct{})}
}

// Run reads messages until the connection ends, and answers why.
func (c *Conn) Run() error {
	in := NewReader(c.pipe)
	for {
		raw, err := in.Read()
		if err == nil {
			err = c.take(raw)
		}
		if err != nil {
			return c.end(err)
		}
	}
}

// Close ends the connection.
func (c *Conn) Close() { _ = c.end(ErrClosed) }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// end ends the connection once, for the first cause.
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

// take handles one message, which Reader has checked.
func (c *Conn) take(raw []byte) error {
	in := msgpack.NewDecoder(bytes.NewReader(raw))
	n, err := in.DecodeArrayLen()
	if err != nil {
		return fmt.Errorf("a message is not understood: %w", err)
	}
	kind, err := in.DecodeInt()
	if err != nil {
		return fmt.Errorf("a message is of no kind: %w", err)
	}
	switch {
	case kind == response && n == 4:
		return c.respond(in)
	case kind == notification && n == 3:
		method, params, err := called(in)
		if err == nil {
			c.notify(method, params)
		}
		return err
	case kind == request && n == 4:
		id, err := in.DecodeUint32()
		if err != nil {
			return fmt.Errorf("a request has no number: %w", err)
		}
		return c.send(response, id, "there are no methods here", nil)
	}
	return fmt.Errorf("a message of the kind %d has %d parts", kind, n)
}

func called(in *msgpack.Decoder) (method string, params []byte, err error) {
	if method, err = in.DecodeString(); err != nil {
		return "", nil, fmt.Errorf("a notification has no name: %w", err)
	}
	rest, err := in.DecodeRaw()
	return method, bytes.Clone(rest), err
}

// respond gives a response to who waits for it.
func (c *Conn) respond(in *msgpack.Decoder) error {
	id, err := in.DecodeUint32()
	if err != nil {
		return fmt.Errorf("a response has no number: %w", err)
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
		waiting <- a // it has room for one
	}
	return nil
}

func isNil(raw []byte) bool { return len(raw) == 1 && raw[0] == 0xc0 }

// Call calls a method and decodes what it answers into result, unless that is nil. A call that is refused is an *Error, and one
// that the end of the connection has cut off ErrClosed. When ctx ends first the method may still be running.
func (c *Conn) Call(ctx context.Context, method string, params []any, result any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	waiting := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id := c.last
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
		return a.into(method, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.done:
		return fmt.Errorf("%w: %w", ErrClosed, c.end(ErrClosed))
	}
}

func (a answer) into(method string, result any) error {
	if a.failed {
		return &Error{method, reason(a.raw)}
	}
	if result == nil {
		return nil
	}
	if err := Decode(a.raw, result); err != nil {
		return fmt.Errorf("the answer of %s is not understood: %w", method, err)
	}
	return nil
}

// reason is the text of an error: Neovim says [kind, text].
func reason(raw []byte) string {
	var text string
	if Decode(raw, &text) == nil {
		return text
	}
	var both []Raw
	if Decode(raw, &both) == nil && len(both) == 2 && both[1].Into(&text) {
		return text
	}
	return "it does not say why"
}

// Decode decodes MessagePack into v.
func Decode(raw []byte, v any) error { return msgpack.Unmarshal(raw, v) }

// Raw is a value that is decoded later.
type Raw []byte

// DecodeMsgpack keeps the value as it is.
func (r *Raw) DecodeMsgpack(in *msgpack.Decoder) error {
	raw, err := in.DecodeRaw()
	*r = Raw(bytes.Clone(raw))
	return err
}

// Into decodes the value, and tells whether there is one of that kind.
func (r Raw) Into(v any) bool { return len(r) > 0 && Decode(r, v) == nil }

// send sends a message.
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
	if err := c.pipe.SetWriteDeadline(time.Now().Add(WritePatience)); err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, c.end(err))
	}
	if _, err := c.pipe.Write(raw); err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, c.end(err)) // half a message may be on its way
	}
	return nil
}

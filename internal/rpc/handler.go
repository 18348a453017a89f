package rpc

import (
	"context"
	"log/slog"
	"time"
)

// Disposition selects the goroutine that runs a request.
type Disposition uint8

const (
	// Queue runs the request on its own goroutine as soon as the connection's
	// concurrency limit allows.
	Queue Disposition = iota
	// Inline runs the request on the reader, before the next message is read. It is for requests that never wait.
	Inline
	// Detached runs the request on its own goroutine outside the concurrency limit. It is for requests that stay open
	// and do little work.
	Detached
)

// Handler implements the methods of one connection.
type Handler interface {
	// Accept is called on the reader for every request, in order, before the next message is read. It must not block.
	// It can store data for Serve in call.State.
	Accept(call *Call) Disposition
	// Serve handles a request: it appends the result to dst, or returns an error. If Cancel has cancelled ctx, the
	// result is discarded.
	Serve(ctx context.Context, call *Call, dst []byte) ([]byte, *Error)
	// Notified is called on the reader for every notification, in order. It
	// must not block, nor keep m.
	Notified(m *Message)
	// AllowBatch reports whether the peer may send arrays of messages now.
	AllowBatch() bool
	// NullID reports whether an error response to a request with an unreadable id has "id":null, as JSON-RPC 2.0
	// requires. In later revisions of MCP it has no id.
	NullID() bool
}

// Options are the limits of a connection. The zero value has the defaults.
type Options struct {
	// Concurrency is the limit of requests that run at once. The default is 32.
	Concurrency int
	// QueueLength is the limit of waiting requests; further ones are refused as busy. The default is 1024.
	QueueLength int
	// QueueBytes is the limit of the parameters of all waiting requests, in bytes. The default is 64 MiB.
	QueueBytes int
	// Detached is the limit of detached requests. The default is 64.
	Detached int
	// BatchLength is the limit of messages in a batch. The default is 256.
	BatchLength int
	// Backlog is the limit of unwritten bytes; above it senders wait for the peer to read. The default is 32 MiB.
	Backlog int
	// Stall is the timeout of one write, after which the connection fails. The default is 30 s.
	Stall time.Duration
	// Drain is the time for running requests after the peer has ended its stream; then they are cancelled. The
	// default is 2 s.
	Drain time.Duration
	// Hurried is for programs that end with the context of Run. Requests have 200 ms to finish and 100 ms after their
	// cancellation, regardless of Drain. The peer has 200 ms to read the queued output.
	Hurried bool
	// LastInput is for programs that end with their input, within one second. The default of Drain is 250 ms,
	// cancelled requests have 100 ms, and a peer that reads nothing has 550 ms in total.
	LastInput bool
	// Log receives errors that no caller can receive. The default discards them.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	setDefault(&o.Concurrency, 32)
	setDefault(&o.QueueLength, 1024)
	setDefault(&o.QueueBytes, 64<<20)
	setDefault(&o.Detached, 64)
	setDefault(&o.BatchLength, 256)
	setDefault(&o.Backlog, 32<<20)
	setDefault(&o.Stall, 30*time.Second)
	if o.LastInput {
		setDefault(&o.Drain, inputDrain)
	}
	setDefault(&o.Drain, 2*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T int | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

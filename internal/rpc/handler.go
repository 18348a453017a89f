package rpc

import (
	"context"
	"log/slog"
	"time"
)

// Disposition says how a request is run.
type Disposition uint8

const (
	// Queue runs the request on its own goroutine as soon as the connection's
	// concurrency limit allows.
	Queue Disposition = iota
	// Inline runs it on the reader, before the next message is read: for what
	// answers at once and never waits.
	Inline
	// Detached runs it on its own goroutine outside the concurrency limit: for
	// what stays open for long and hardly works.
	Detached
)

// Handler gives the messages of one connection their meaning.
type Handler interface {
	// Accept is called on the reader for every request, in order, before
	// anything after it is read. It must not block. What it leaves in
	// call.State is Serve's.
	Accept(call *Call) Disposition
	// Serve answers a request: it appends the result to dst, or returns an
	// error. When ctx was cancelled by Cancel, what it returns goes nowhere.
	Serve(ctx context.Context, call *Call, dst []byte) ([]byte, *Error)
	// Notified is called on the reader for every notification, in order. It
	// must not block, nor keep m.
	Notified(m *Message)
	// AllowBatch reports whether the peer may send arrays of messages now.
	AllowBatch() bool
	// NullID reports whether an error that answers no readable id has
	// "id":null, as JSON-RPC 2.0 wants, or no id at all, as later revisions of
	// MCP do.
	NullID() bool
}

// Options bound a connection. The zero value has the defaults.
type Options struct {
	// Concurrency is how many requests run at once. Default 32.
	Concurrency int
	// QueueLength is how many requests may wait for their turn; further ones
	// are refused as busy. Default 1024.
	QueueLength int
	// QueueBytes bounds the parameters of waiting requests together.
	// Default 64 MiB.
	QueueBytes int
	// Detached is how many requests may be open outside that limit. Default 64.
	Detached int
	// BatchLength is how many messages a batch may hold. Default 256.
	BatchLength int
	// Backlog is how many bytes may wait to be written before senders wait for
	// the peer to read. Default 32 MiB.
	Backlog int
	// Stall is how long one write may take before the peer is given up.
	// Default 30 s.
	Stall time.Duration
	// Drain is how long running requests may take to end after the peer has
	// finished sending, before they are cancelled. Default 2 s.
	Drain time.Duration
	// Hurried says that the program is to end when the context of Run does. Then
	// requests have 200 ms to end and 100 ms more once they are cancelled, whatever
	// Drain is, and the peer has 200 ms to read the output that is due.
	Hurried bool
	// LastInput says that the program is to end when its input does. Then Drain is
	// 250 ms by default, cancelled requests have 100 ms, and a peer that reads nothing
	// has 550 ms in all: the program ends within a second.
	LastInput bool
	// Log receives what has no caller to be returned to. Default: discarded.
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

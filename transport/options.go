package transport

import (
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
)

// Options bound what a connection may cost. The zero value, or nil, has the
// defaults.
type Options struct {
	// MaxMessage is the largest message that is read, in bytes. A larger one is
	// answered with an error, and the connection goes on. Default 16 MiB.
	MaxMessage int
	// Concurrency is how many requests of the peer run at once. Default 32.
	Concurrency int
	// QueueLength is how many more may wait; others are refused as busy.
	// Default 1024.
	QueueLength int
	// QueueBytes bounds the parameters of those that wait. Default 64 MiB.
	QueueBytes int
	// Stall is how long a peer may leave what was written to it unread before
	// it is given up. Default 30 s.
	Stall time.Duration
	// Drain is how long requests may take to end once the peer has finished
	// sending, or the context has ended, before they are cancelled. Default 2 s.
	// On stdio and listeners it is 200 ms at most once the context has ended.
	// On stdio, where the end of the input is that of the program, the default
	// is 250 ms: with it ServeStdio and ServeIO end 550 ms after the input, unless
	// the peer goes on reading.
	Drain time.Duration
	// Verify, if set, is asked by ServeListener and Listen who a peer is: the
	// first line that it sends must be "Authorization: Bearer " and a token,
	// within 10 s and 4 KiB. It returns the principal, or false for a token that
	// is not known, and must take the same time for all of those. The tokens of
	// package security/auth have such a method.
	Verify func(token string) (principal string, ok bool)
	// Log receives what concerns the connection. Default: slog.Default(). It
	// must not write to standard output.
	Log *slog.Logger
}

func (o *Options) orDefault() *Options {
	if o != nil && o.Log != nil {
		return o
	}
	opts := new(Options)
	if o != nil {
		*opts = *o
	}
	opts.Log = slog.Default()
	return opts
}

func (o *Options) rpc() rpc.Options {
	return rpc.Options{
		Concurrency: o.Concurrency, QueueLength: o.QueueLength, QueueBytes: o.QueueBytes,
		Stall: o.Stall, Drain: o.Drain, Log: o.Log,
	}
}

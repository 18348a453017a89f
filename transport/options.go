package transport

import (
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
)

// Options limit the memory and the time that a connection may use. Nil and
// fields with their zero value select the defaults.
type Options struct {
	// MaxMessage is the size in bytes of the largest message that is read. A
	// larger message is skipped and answered with an error; the connection
	// stays open. Default 16 MiB.
	MaxMessage int
	// Concurrency is the number of requests of the peer that run at the same
	// time. Default 32.
	Concurrency int
	// QueueLength is the number of requests that may wait to run. Further
	// requests are refused as busy. Default 1024.
	QueueLength int
	// QueueBytes limits the parameters of all waiting requests together, in
	// bytes. Default 64 MiB.
	QueueBytes int
	// Stall is the time after which a connection ends if the peer does not read
	// the written messages. Default 30 s.
	Stall time.Duration
	// Drain is the time in which running requests may end after the peer has
	// closed its input or the context has ended. Slower requests are cancelled.
	// Default 2 s. On stdio and listeners it is at most 200 ms after the end of
	// the context.
	//
	// On stdio the default is 250 ms, because the end of the input ends the
	// program: ServeStdio and ServeIO return 550 ms after the end of the input,
	// unless the peer continues to read.
	Drain time.Duration
	// Verify, if set, authenticates the peers of ServeListener and Listen. The
	// first line of a connection must be "Authorization: Bearer " and a token,
	// within 10 s and 4 KiB. Verify returns the principal of the token, or
	// false for an unknown token. It must take the same time for all unknown
	// tokens. The tokens of package security/auth have a method of this form.
	Verify func(token string) (principal string, ok bool)
	// Log receives warnings and errors of the connection. It must not write to
	// standard output. Default: slog.Default().
	Log *slog.Logger
}

// orDefault returns options with a logger: o itself if it has one. The other
// defaults are set by package rpc.
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

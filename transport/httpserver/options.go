package httpserver

import (
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// Options configure a Handler: the accepted hosts and origins, and the limits.
// Nil and fields with their zero value select the defaults.
type Options struct {
	// Hosts are the accepted values of the Host header, for example
	// "example.com" or "example.com:8443". "*" accepts all. If empty, a server
	// on a loopback address accepts the names of the machine itself only, and
	// another server accepts all names.
	Hosts []string
	// Origins are the sites whose pages may send requests, for example
	// "https://app.example.com". The server's own origin is always accepted.
	// "*" accepts all.
	Origins []string
	// MaxMessage is the size in bytes of the largest accepted message. Default
	// 16 MiB.
	MaxMessage int
	// MaxBodies limits the bodies of all running requests together, in bytes.
	// Bodies of up to 64 KiB do not count. Beyond the limit a request is refused
	// with status 503. Default 256 MiB; the least value is MaxMessage.
	MaxBodies int
	// Concurrency is the number of requests that are served at the same time.
	// Further requests are refused with status 503. A suspended call does not
	// count, but all calls of sessions together are limited to eight times
	// Concurrency. Default 1024.
	Concurrency int
	// SessionConcurrency is the number of calls of one legacy session that run at
	// the same time. 128 more may wait; further calls are refused with status
	// 429. Default 32.
	SessionConcurrency int
	// MaxSessions is the number of legacy sessions. A further session ends the
	// session that has been idle longest. If no session is idle, initialize is
	// refused with status 503. Default 10,000.
	MaxSessions int
	// MaxStreams is the number of open streams of changes. Further streams are
	// refused with status 503. Default 10,000.
	MaxStreams int
	// SessionIdle is the time without an HTTP request after which a session
	// ends. Default 30 minutes.
	SessionIdle time.Duration
	// StreamAfter is the time after which a response without a result becomes an
	// event stream, so that proxies do not close the connection. Default 10 s.
	StreamAfter time.Duration
	// KeepAlive is the interval of comments in a quiet event stream. Default
	// 15 s.
	KeepAlive time.Duration
	// Stall is the time after which a response ends if the client does not read
	// it. Default 30 s.
	Stall time.Duration
	// BodyTimeout is the time in which the body of a request must arrive.
	// Default 30 s.
	BodyTimeout time.Duration
	// Retry is the delay after which a client of revision 2025-11-25 is asked to
	// resume a broken stream. Default 1 s.
	Retry time.Duration
	// Events stores the events with which legacy clients resume streams.
	// Default: a store of NewMemoryStore(nil). If Shared is set, Shared replaces
	// it.
	Events EventStore
	// Shared, if set, shares sessions with all Handlers that have the same
	// Shared: each of them serves the sessions of all. MaxSessions then limits
	// the sessions that this Handler holds; an evicted session continues at the
	// other Handlers. If nil, a session belongs to one Handler.
	Shared Shared
	// Log receives problems that no response can report. Default: slog.Default().
	Log *slog.Logger
}

// Handler implements transport.Route.
func (o Options) Handler(d protocol.Dispatcher) transport.Handler { return NewHandler(d, &o) }

func (o *Options) orDefault() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	orElse(&opts.MaxMessage, rpc.DefaultMaxMessage)
	orElse(&opts.MaxBodies, 256<<20)
	opts.MaxBodies = max(opts.MaxBodies, opts.MaxMessage)
	orElse(&opts.Concurrency, 1024)
	orElse(&opts.SessionConcurrency, 32)
	orElse(&opts.MaxSessions, 10_000)
	orElse(&opts.MaxStreams, 10_000)
	orElse(&opts.SessionIdle, 30*time.Minute)
	orElse(&opts.StreamAfter, 10*time.Second)
	orElse(&opts.KeepAlive, 15*time.Second)
	orElse(&opts.Stall, 30*time.Second)
	orElse(&opts.BodyTimeout, 30*time.Second)
	orElse(&opts.Retry, time.Second)
	if opts.Shared != nil {
		opts.Events = opts.Shared
	}
	if opts.Events == nil {
		opts.Events = NewMemoryStore(nil)
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	return opts
}

func orElse[T int | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

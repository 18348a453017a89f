package httpserver

import (
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// Options limit the resources of a Handler and the hosts and pages that it answers. The zero value,
// or nil, has the defaults.
type Options struct {
	// Hosts are the names that the server answers to, such as "example.com" or
	// "example.com:8443"; "*" stands for any. When empty, a server on a loopback
	// address answers to the names of the machine itself only, and another one
	// to any name.
	Hosts []string
	// Origins are the sites whose pages may send requests, such as
	// "https://app.example.com", beside the server's own; "*" stands for all.
	Origins []string
	// MaxMessage is the largest message that is read, in bytes. Default 16 MiB.
	MaxMessage int
	// MaxBodies is how much the bodies of all requests that are being served may
	// hold together, in bytes; those of up to 64 KiB do not count. One more is
	// refused with status 503. Default 256 MiB, and at least MaxMessage.
	MaxBodies int
	// Concurrency is how many requests are served at once; others are refused
	// with status 503. One that waits for its client's answer does not count,
	// unless there are eight times as many. Default 1024.
	Concurrency int
	// SessionConcurrency is how many of them belong to one session of an older
	// revision; some more wait, others are refused with status 429. Default 32.
	SessionConcurrency int
	// MaxSessions is how many sessions of older revisions there are; one more
	// ends the one that has been idle longest. Default 10,000.
	MaxSessions int
	// MaxStreams is how many streams of changes are open at once; others are
	// refused with status 503. Default 10,000.
	MaxStreams int
	// SessionIdle is how long a session without any HTTP request lives.
	// Default 30 minutes.
	SessionIdle time.Duration
	// StreamAfter is how long a request may take before its response becomes a
	// stream, so that what stands between sees that it is alive. Default 10 s.
	StreamAfter time.Duration
	// KeepAlive is how often a stream says something. Default 15 s.
	KeepAlive time.Duration
	// Stall is how long a client may leave what was written to it unread before
	// its response is given up. Default 30 s.
	Stall time.Duration
	// BodyTimeout is how long the body of a request may take to arrive.
	// Default 30 s.
	BodyTimeout time.Duration
	// Retry is how long a client of revision 2025-11-25 is asked to wait before
	// it comes back for the rest of a stream that broke. Default 1 s.
	Retry time.Duration
	// Events keeps what clients of older revisions can come back for. Default:
	// a NewMemoryStore of the Handler's own. Where Shared is set it is that.
	Events EventStore
	// Shared lets other Handlers serve the sessions that this one opens, and the
	// other way round. Without it a session belongs to this Handler alone.
	// MaxSessions is then how many are known here at once; one that is forgotten
	// here has not ended.
	Shared Shared
	// Log receives problems that no response can report. Default: slog.Default().
	Log *slog.Logger
}

// Handler implements transport.Route.
func (o Options) Handler(d mcp.Dispatcher) transport.Handler { return NewHandler(d, &o) }

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

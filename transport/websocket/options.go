package websocket

import (
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

const (
	subprotocol       = "mcp"
	defaultMaxConns   = 16384
	defaultMaxMessage = 16 << 20
	defaultPing       = 30 * time.Second
)

// Options are the limits and the access rules of a Handler. The zero value, or nil, has the defaults.
type Options struct {
	// Hosts are the allowed names of the server, such as "example.com"; "*" allows every name. If it is empty, a
	// server on a loopback address allows only names of this machine, and another server allows every name.
	Hosts []string
	// Origins are the sites whose pages may connect in addition to the server's own, such as
	// "https://app.example.com". "*" allows all.
	Origins []string
	// MaxConns is how many connections are open at once; others are refused
	// with status 503. Default 16384.
	MaxConns int
	// Ping is how often a silent client is asked whether it is still there, and
	// how long it may take to answer. Default 30 s; negative: never.
	Ping time.Duration
	// Connection bounds each connection; nil has the defaults. MaxMessage is
	// 16 MiB, and a larger message ends its connection. Log is that of the
	// Handler too. Verify is not used.
	Connection *transport.Options
}

// Handler implements transport.Route.
func (o Options) Handler(d protocol.Dispatcher) transport.Handler { return NewHandler(d, &o) }

func (o *Options) orDefault() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.MaxConns <= 0 {
		opts.MaxConns = defaultMaxConns
	}
	opts.Ping = pingOrDefault(opts.Ping)
	opts.Connection = connectionOrDefault(opts.Connection)
	return opts
}

func (o *Options) policy() *origin.Policy {
	return &origin.Policy{Hosts: o.Hosts, Origins: o.Origins}
}

func pingOrDefault(ping time.Duration) time.Duration {
	if ping == 0 {
		return defaultPing
	}
	return ping
}

func connectionOrDefault(o *transport.Options) *transport.Options {
	var opts transport.Options
	if o != nil {
		opts = *o
	}
	if opts.MaxMessage <= 0 {
		opts.MaxMessage = defaultMaxMessage
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	return &opts
}

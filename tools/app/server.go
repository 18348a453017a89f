package app

import (
	"log/slog"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/internal/calllog"
)

// Server is an mcp.Server that logs its calls. Start.NewServer makes it.
type Server struct {
	*mcp.Server
	calls *calllog.Log
}

// NewServer returns a server with four defaults for opts, which may be nil. Log is the log
// of Start, Tasks runs tasks if -tasks is set, Structured is the value of -structured, and
// Authorize grants clients the rights of their tokens.
//
// The server logs the name, duration and outcome of every tool call, never the result.
func (s Start) NewServer(info mcp.Implementation, opts *mcp.ServerOptions) *Server {
	var o mcp.ServerOptions
	if opts != nil {
		o = *opts
	}
	if o.Log == nil {
		o.Log = s.Log
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Tasks == nil {
		o.Tasks = s.Tasks
	}
	if o.Structured == "" {
		o.Structured = s.Structured
	}
	if o.Authorize == nil {
		o.Authorize = auth.Authorize
	}
	server := &Server{Server: mcp.NewServer(info, &o), calls: calllog.New(o.Log, new(redact.Redactor).JSON)}
	server.Use(server.calls.Requests, auth.RequireRead)
	return server
}

// LogCalls is a middleware of tools. Put it first, for example in tools.Profile.Wrap. It
// logs the arguments of calls at level debug, without secrets. A client that asked for logs
// receives the logs of its own calls.
func (s *Server) LogCalls(next mcp.RawHandler) mcp.RawHandler {
	return s.calls.Tools(next)
}

// Serves reports whether the command serves clients. Other commands must not create files.
func (s Start) Serves() bool { return s.Command == serveName }

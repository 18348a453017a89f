package app

import (
	"log/slog"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/internal/calllog"
)

// Server is an mcp.Server for a program of an App, see Start.NewServer.
type Server struct {
	*mcp.Server
	calls *calllog.Log
}

// NewServer returns a server that runs tasks with the flag -tasks, grants clients the rights of their tokens, and logs
// every call of a tool: its name, its time and its outcome, never its result. The fields Log, Tasks and Authorize of opts come
// before these defaults. opts may be nil.
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
	if o.Authorize == nil {
		o.Authorize = auth.Authorize
	}
	server := &Server{Server: mcp.NewServer(info, &o), calls: calllog.New(o.Log, new(redact.Redactor).JSON)}
	server.Use(server.calls.Requests, auth.RequireRead)
	return server
}

// LogCalls is a middleware of tools, for example for tools.Profile.Wrap, where it stands first. With it the arguments of calls are logged
// at level debug, without secrets, and a client that asked for logs receives the logs of its own calls.
func (s *Server) LogCalls(next mcp.RawHandler) mcp.RawHandler {
	return s.calls.Tools(next)
}

// Serves reports whether the command serves clients. Other commands leave nothing behind.
func (s Start) Serves() bool { return s.Command == serveName }

package searchservice

import (
	"context"
	"errors"
	"io"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/calllog"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// sharedInstructions describe the tools to models in programs that have other tools, too.
const sharedInstructions = "Search before you read: searchDocuments ranks code and documents together. getProjectContext describes the project and its changes."

// instructions are sent to models and describe the use of all tools together.
const instructions = "Search before you read: searchDocuments ranks code and documents together, by words, names or \"exact text\"; findSimilarCode finds code similar to a given piece. " +
	"getProjectContext describes the project and its changes. Paths are relative to the project's root."

// createIssues is the largest number of calls of createIssue per session and minute.
const createIssues = 5

// Server serves a Service to several clients. It adds access control, metrics, logging and error
// reports.
type Server struct {
	*mcp.Server
	service     *Service
	tokens      *auth.Tokens // nil without authentication
	control     *access.Control
	recorder    *telemetry.Recorder
	watch       *watch
	stopUpdates func() // stops notifications about changed resources
	installed   *tools.Installation
	stderr      io.Writer
}

// NewServer returns a server for s and takes over its Close. After an error the caller must still
// call Close on the returned Server.
func NewServer(s *Service, p Purpose, outputSchemas bool) (*Server, error) {
	c := s.Config()
	srv := &Server{service: s, recorder: telemetry.NewRecorder(), stderr: p.Stderr}
	var err error
	if srv.tokens, err = c.tokens(); err != nil {
		return srv, err
	}
	limits := c.access(srv.tokens, s)
	if err := limits.Check(); err != nil {
		return srv, err
	}
	srv.control = access.New(limits)
	srv.Server = mcp.NewServer(mcp.Implementation{
		Name: c.Server.Name, Version: c.Server.Version, Description: c.Server.Description,
	}, &mcp.ServerOptions{Instructions: instructions, Log: s.log, Authorize: srv.control.Authorize, Tasks: p.Tasks, Structured: p.Structured})
	if srv.watch, err = newWatch(srv, p.Serves); err != nil {
		return srv, err
	}
	calls := calllog.New(s.log, new(redact.Redactor).JSON)
	faults := errorclass.Middleware(errorclass.Options{Language: errorclass.Language(c.Logging.Language), OnError: srv.watch.fault})
	srv.Use(srv.recorder.Requests, faults, calls.Requests, srv.control.Middleware(), auth.RequireRead)
	srv.installed, err = tools.Install(srv.Server, programName, tools.Profile{
		OtherSpelling: true, NoOutputSchemas: !outputSchemas, Timeout: milliseconds(c.Connection.Timeout),
		Wrap: []mcp.ToolMiddleware{calls.Tools, srv.recorder.Middleware},
	}, s.set)
	srv.stopUpdates = s.set.Updated(srv.ResourceUpdated)
	return srv, err
}

// access returns the access rules and limits of the settings.
func (c Config) access(tokens *auth.Tokens, s *Service) access.Options {
	o := access.Options{
		// An empty list of clients admits none. Clients without a token can always read.
		Allowed: append([]string{}, c.Security.AllowedClients...), Default: append([]string{mcp.PermissionRead}, c.Security.Permissions...),
		MaxConnections: c.Connection.MaxConnections, Idle: milliseconds(c.Connection.IdleTimeout),
		PerMinute: c.Security.RateLimiting.MaxRequestsPerMinute, PerHour: c.Security.RateLimiting.MaxRequestsPerHour,
		Tools: map[string]int{"createIssue": createIssues}, Log: s.log,
	}
	if !c.Security.RateLimiting.Enabled {
		o.PerMinute, o.PerHour, o.Tools = -1, -1, nil
	}
	if tokens != nil && c.Transport.TCP { // TCP connections carry the principal of a token, not the token
		o.Grants = tokens.Grants()
	}
	return o
}

// Close waits for running calls, then closes the server and its Service.
func (s *Server) Close(ctx context.Context) error {
	var failed []error
	if s.stopUpdates != nil {
		s.stopUpdates()
	}
	if s.installed != nil {
		failed = append(failed, s.installed.Close(ctx))
	}
	if s.watch != nil {
		failed = append(failed, s.watch.close(ctx))
	}
	return errors.Join(append(failed, s.service.Close(ctx))...)
}

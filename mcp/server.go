package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Handler serves one request.
type Handler func(ctx context.Context, req *Request) (Result, error)

// Middleware wraps what serves requests, whatever their method.
type Middleware func(Handler) Handler

// ServerOptions configure a Server. The zero value, or nil, has the defaults.
type ServerOptions struct {
	// Instructions tell a model how to use the server as a whole.
	Instructions string
	// PageSize is how many items a page of a list has. Default 1000, since many
	// clients never ask for a second page.
	PageSize int
	// Cache is what is said of lists (2026-07-28). Default: stale at once,
	// private.
	Cache CacheHint
	// StateKeys seal requestState: each has 32 bytes, the first seals, all
	// open. Servers that share keys can continue each other's calls. Default: a
	// random key.
	StateKeys [][]byte
	// Spent remembers which consents that Confirm has asked for were used. Servers
	// that share StateKeys should share it, and keep it over restarts as long as
	// the keys. Default: the memory of this server; a consent then counts at the
	// server that has asked for it, and another one with the same keys asks again.
	Spent SpentStore
	// StateTTL is how long a client may take to answer. Default 10 minutes.
	StateTTL time.Duration
	// Extensions are the extensions of the protocol that the server offers, by
	// their ids such as "com.example/feature", with their settings: JSON objects,
	// {} for none (2026-07-28, basic/versioning, "Extension Negotiation").
	// Default: none. See SupportsExtension.
	Extensions map[string]json.RawMessage
	// Authorize, if set, decides whether the sender of a request may use a tool:
	// nil lets it. A tool with an error is left out of the sender's tools/list,
	// whose receivers are told to keep it to themselves, and a call of it ends
	// with the error, before its arguments are looked at: a *Error as a protocol
	// error, any other as one that the model reads. It is asked for every tool of
	// a list and every call, concurrently, and must depend on nothing but who asks
	// and the tool (2026-07-28, server/tools). Default: everybody may use
	// everything.
	Authorize func(ctx context.Context, req *Request, tool ServerTool) error
	// Tasks, if set, runs the calls of tools that have ToolOptions.Task as tasks,
	// for clients that can take them, and declares the extension
	// io.modelcontextprotocol/tasks; to sessions of 2025-11-25 it declares the
	// tasks of that revision. It is the caller's to close, before what its tasks
	// use. See package mcp/tasks.
	Tasks TaskRunner
	// Log receives panics and what nobody else can be told. Default:
	// slog.Default().
	Log *slog.Logger
}

// Server offers tools, resources and prompts. It is a Dispatcher: package transport connects it to
// peers of any revision, or it is asked in process. All methods may be called
// concurrently.
type Server struct {
	opts   ServerOptions
	ident  atomic.Pointer[identity]
	seal   *sealer
	reg    atomic.Pointer[registry]
	serve  atomic.Pointer[Handler]
	err    error
	closed chan struct{}

	mu         sync.Mutex // of changes to what is below, and to reg and serve
	middleware []Middleware
	listeners  map[*listener]struct{}
	closeOnce  sync.Once
}

// NewServer returns a server without features. opts may be nil.
func NewServer(info Implementation, opts *ServerOptions) *Server {
	s := &Server{closed: make(chan struct{}), listeners: make(map[*listener]struct{})}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.PageSize <= 0 {
		s.opts.PageSize = 1000
	}
	if s.opts.StateTTL <= 0 {
		s.opts.StateTTL = 10 * time.Minute
	}
	if s.opts.Log == nil {
		s.opts.Log = slog.Default()
	}
	if s.opts.Tasks != nil {
		s.opts.Extensions = merged(s.opts.Extensions, map[string]json.RawMessage{TasksExtension: json.RawMessage(`{}`)})
	}
	s.ident.Store(identify(info))
	s.seal, s.err = newSealer(s.opts.StateKeys, s.opts.StateTTL, s.opts.Spent)
	s.err = errors.Join(s.err, checkExtensions(s.opts.Extensions))
	s.reg.Store(newRegistry(s))
	s.Use()
	return s
}

// identity is who a server says it is.
type identity struct {
	info Implementation
	self json.RawMessage // name and version, for the _meta of every result
}

func identify(info Implementation) *identity {
	return &identity{info, mustMarshal(nil, Implementation{Name: info.Name, Version: info.Version})}
}

func (s *Server) self() json.RawMessage { return s.ident.Load().self }

// SetInfo changes who the server says it is: in every later answer of revision
// 2026-07-28, and to sessions that begin later.
func (s *Server) SetInfo(info Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ident.Store(identify(info))
	s.reg.Store(s.reg.Load().renewed(s))
}

// Err returns what is wrong with the options, or nil. A server with an error
// answers every request with it.
func (s *Server) Err() error { return s.err }

// AddTool registers a typed tool under its own name as owner: see NewTool and
// Server.Replace.
func AddTool[In, Out any](s *Server, t Tool, h func(context.Context, In) (Out, error)) error {
	return s.Replace("tool "+t.Name, Features{Tools: []ServerTool{NewTool(t, h)}})
}

// Replace exchanges everything that owner has registered, atomically: a request
// sees all of the old or all of the new. All problems are reported at once, and
// then nothing changes. Clients that listen get one notification for each list
// that has changed.
func (s *Server) Replace(owner string, f Features) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.reg.Load()
	next, err := old.replace(owner, f, s)
	if err != nil {
		return fmt.Errorf("registering the features of %q: %w", owner, err)
	}
	s.reg.Store(next)
	for _, list := range old.changed(next) {
		for l := range s.listeners {
			l.changed(list)
		}
	}
	return nil
}

// Remove takes away everything that owner has registered.
func (s *Server) Remove(owner string) error { return s.Replace(owner, Features{}) }

// Tools returns the tools that are listed now, in order.
func (s *Server) Tools() []Tool { return s.reg.Load().tools.items() }

// Resources returns the resources that are listed now, in order.
func (s *Server) Resources() []Resource { return s.reg.Load().resources.items() }

// Templates returns the resource templates that are listed now, in order.
func (s *Server) Templates() []ResourceTemplate { return s.reg.Load().templates.items() }

// Prompts returns the prompts that are listed now, in order.
func (s *Server) Prompts() []Prompt { return s.reg.Load().prompts.items() }

// Use adds middleware around every request, inside what was added before. Add
// it before serving: requests under way are not affected.
func (s *Server) Use(middleware ...Middleware) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.middleware = append(s.middleware, middleware...)
	serve := Handler(s.route)
	for _, m := range slices.Backward(s.middleware) {
		serve = m(serve)
	}
	s.serve.Store(&serve)
}

// Close ends open subscriptions. Requests under way are their transport's to
// end.
func (s *Server) Close() { s.closeOnce.Do(func() { close(s.closed) }) }

// Dispatch implements Dispatcher. A panic anywhere in it is an internal error
// of that request alone.
func (s *Server) Dispatch(ctx context.Context, req *Request) (result Result, err error) {
	if s.err != nil {
		return nil, Errorf(CodeInternal, "The server is misconfigured: %v", s.err)
	}
	defer func() {
		if v := recover(); v != nil {
			s.opts.Log.ErrorContext(ctx, "panic in a request", "method", req.Method, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, Errorf(CodeInternal, "Internal error while serving %s", req.Method)
		}
	}()
	return (*s.serve.Load())(ctx, req)
}

// route is the innermost handler. A method of a kind that is not offered does
// not exist.
func (s *Server) route(ctx context.Context, req *Request) (Result, error) {
	reg := s.reg.Load()
	kind, _, _ := strings.Cut(req.Method, "/")
	switch {
	case req.Method == "server/discover" && s.opts.Tasks != nil && req.Meta.Session() != nil:
		return reg.sessionInfo(req.Peer), nil
	case req.Method == "server/discover":
		return reg.info(), nil
	case req.Method == "subscriptions/listen":
		return s.listen(ctx, req)
	case kind == "tools" && reg.caps.Tools != nil:
		switch req.Method {
		case "tools/call":
			return s.callTool(ctx, reg, req)
		case "tools/list":
			return s.listTools(ctx, reg, req)
		}
	case kind == "resources" && reg.caps.Resources != nil:
		switch req.Method {
		case "resources/read":
			return s.readResource(ctx, reg, req)
		case "resources/list":
			return s.listResources(reg, req)
		case "resources/templates/list":
			return s.listTemplates(reg, req)
		case "resources/subscribe", "resources/unsubscribe":
			if req.Meta.Session() != nil { // the session follows the resource
				return EmptyResult{}, nil
			}
		}
	case kind == "prompts" && reg.caps.Prompts != nil:
		switch req.Method {
		case "prompts/get":
			return s.getPrompt(ctx, reg, req)
		case "prompts/list":
			return s.listPrompts(reg, req)
		}
	case req.Method == "completion/complete" && reg.caps.Completions != nil:
		return s.complete(ctx, reg, req)
	case kind == "tasks" && s.opts.Tasks != nil:
		return s.serveTask(ctx, reg, req)
	}
	return nil, methodNotFound(req.Method)
}

// readParams decodes the params of a request leniently: what is not known is
// ignored.
func readParams(params json.RawMessage, v any) error {
	if len(params) == 0 {
		return nil
	}
	if err := unmarshal(params, v); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) && typed.Field != "" {
			return Errorf(CodeInvalidParams, "Invalid params: %s must not be a %s", typed.Field, typed.Value)
		}
		return Errorf(CodeInvalidParams, "Invalid params: %v", err)
	}
	return nil
}

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Handler handles one request.
type Handler func(ctx context.Context, req *protocol.Request) (protocol.Result, error)

// Middleware wraps the handler of all requests, whatever their method.
type Middleware func(Handler) Handler

// ServerOptions configures a Server. Nil and the zero value select the defaults.
type ServerOptions struct {
	// Instructions explain to a model how to use the server as a whole.
	Instructions string
	// PageSize is the number of items in a page of a list. Default 1000, because many clients never
	// request a second page.
	PageSize int
	// Cache is the cache hint of lists (2026-07-28). Default: stale at once, private.
	Cache protocol.CacheHint
	// StateKeys are keys of 32 bytes that encrypt requestState. The first key encrypts, all keys
	// decrypt. Servers that share keys can continue each other's calls. Default: one random key.
	StateKeys [][]byte
	// Spent records the used consents of Confirm. Servers that share StateKeys should share it, and
	// keep it over restarts as long as the keys. Default: the memory of this server. Then another
	// server with the same keys asks for the consent again.
	Spent SpentStore
	// StateTTL limits the time that a client may take to answer questions. Default 10 minutes.
	StateTTL time.Duration
	// Extensions declares protocol extensions. It maps ids, for example "com.example/feature", to
	// settings: JSON objects, {} for none (2026-07-28, basic/versioning, "Extension Negotiation").
	// Default none. See SupportsExtension.
	Extensions map[string]json.RawMessage
	// Authorize, if set, decides whether the sender of a request may use a tool; nil permits it. A
	// refused tool is omitted from the sender's tools/list, which is then marked as private. A call
	// of a refused tool ends with the error before its arguments are validated. A *protocol.Error is sent as
	// a protocol error, any other error as a result for the model. Authorize runs for every tool of
	// a list and for every call, concurrently. Its result must depend only on the sender and the
	// tool (2026-07-28, server/tools). Default: every sender may use every tool.
	Authorize func(ctx context.Context, req *protocol.Request, tool ServerTool) error
	// SenderTools, if set, returns the tools that only the sender of a request has, in every revision.
	// They follow the tools of the server in tools/list, which is then marked as private, and work
	// like them: middleware, Authorize, gates and limits apply. A tool of the server hides one of the
	// same name. SenderTools runs for every list and for every call of a tool that the server lacks,
	// concurrently, so that its tools should be made before. Its result must depend only on the
	// principal and on the session, if there is one (2026-07-28, server/tools); call ListChanged when
	// it changes. An error refuses the request like one of Authorize. See Session.AddTools.
	SenderTools func(ctx context.Context, req *protocol.Request) ([]ServerTool, error)
	// Tasks, if set, runs calls of tools with ToolOptions.Task as tasks if the client supports
	// them. The server then declares the extension io.modelcontextprotocol/tasks, and to clients
	// with a session the tasks of revision 2025-11-25. The caller closes the TaskRunner, before the
	// resources that its tasks use. See package mcp/tasks.
	Tasks protocol.TaskRunner
	// Structured decides which clients receive the structured content of results, for tools without
	// a policy of their own. A client that receives none is listed no output schema either. Default
	// StructuredAlways.
	Structured StructuredPolicy
	// CheckResults checks the structured content of every result against the output schema of its
	// tool. A mismatch, for example a value outside an enumeration, is a result with the error
	// INVALID_RESULT, and is logged. Default: results are not checked; package mcptest checks them.
	CheckResults bool
	// Log receives panics and failures that no client receives. Default slog.Default().
	Log *slog.Logger
}

// Server offers tools, resources and prompts. It is a protocol.Dispatcher: package transport connects it to
// clients of any revision. Programs can also call it in process. All methods may be called
// concurrently.
type Server struct {
	opts           ServerOptions            // copy of the caller's options, with defaults
	identity       atomic.Pointer[identity] // changed by SetInfo
	sealer         *sealer                  // encrypts requestState
	registry       atomic.Pointer[registry] // current features, with their encoded lists
	handler        atomic.Pointer[Handler]  // route with all middleware
	toolMiddleware atomic.Pointer[[]ToolMiddleware]
	reaches        reachCache    // of clients of modern requests
	err            error         // problems of the options; every request fails with them
	closed         chan struct{} // closed by Close
	closeOnce      sync.Once

	// mu guards middleware and listeners. The writers of identity, registry and handler hold it too;
	// readers of these three need no lock.
	mu         sync.Mutex
	middleware []Middleware
	listeners  map[*listener]struct{} // open subscriptions
}

// NewServer returns a server without features. opts may be nil. It does not fail: a server with
// invalid options, for example a key of the wrong length, reports them in Err and to its clients.
func NewServer(info Implementation, opts *ServerOptions) *Server {
	s := &Server{closed: make(chan struct{}), listeners: make(map[*listener]struct{}), reaches: reachCache{seed: maphash.MakeSeed()}}
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
		s.opts.Extensions = mergeMaps(s.opts.Extensions, map[string]json.RawMessage{protocol.TasksExtension: json.RawMessage(`{}`)})
	}
	s.identity.Store(newIdentity(info))
	s.sealer, s.err = newSealer(s.opts.StateKeys, s.opts.StateTTL, s.opts.Spent)
	s.err = errors.Join(s.err, checkExtensions(s.opts.Extensions), s.opts.Structured.check())
	s.registry.Store(newRegistry(s))
	s.Use()
	return s
}

// identity is the server's description of itself.
type identity struct {
	info    Implementation
	encoded json.RawMessage // name and version, for the _meta of every result
}

// newIdentity returns the identity for info.
func newIdentity(info Implementation) *identity {
	return &identity{info, mustMarshal(nil, Implementation{Name: info.Name, Version: info.Version})}
}

// serverInfo returns name and version as JSON, for the _meta of results.
func (s *Server) serverInfo() json.RawMessage { return s.identity.Load().encoded }

// SetInfo changes the server's description of itself. It applies to later results of revision
// 2026-07-28, and to sessions that begin later.
func (s *Server) SetInfo(info Implementation) {
	if s.isZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identity.Store(newIdentity(info))
	// The registry caches encoded lists, which contain the old name and version.
	s.registry.Store(s.registry.Load().withoutEncodings(s))
}

// Err returns the problems of the options, or nil. For a server that NewServer has not made, Err,
// Replace, Remove and every request fail, and all other methods do nothing. A server with problems responds to every request,
// including server/discover, with a protocol error of protocol.CodeInternal that names them.
func (s *Server) Err() error {
	if s.isZero() {
		return errZeroServer
	}
	return s.err
}

// errZeroServer is the problem of a nil *Server and of the zero Server, which have no features.
var errZeroServer = errors.New("the server was not made by NewServer")

// isZero reports whether NewServer has not made the server.
func (s *Server) isZero() bool { return s == nil || s.closed == nil }

// AddTool registers a typed tool, which Server.Remove unregisters by its name. See NewTool and
// Server.Replace.
func AddTool[In, Out any](s *Server, t Tool, h func(context.Context, In) (Out, error)) error {
	return s.Replace(ownTool+t.Name, Features{Tools: []ServerTool{NewTool(t, h)}})
}

// Replace replaces all features of owner by f, atomically: a request sees either the old or the new
// features. If there are problems, nothing changes and the error contains all of them. Subscribed
// clients receive one notification for each changed list.
func (s *Server) Replace(owner string, f Features) error {
	if s.isZero() {
		return fmt.Errorf("registering the features of %q: %w", owner, errZeroServer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.registry.Load().replace(owner, f, s)
	if err != nil {
		return fmt.Errorf("registering the features of %q: %w", owner, err)
	}
	s.setRegistry(next)
	return nil
}

// setRegistry sets the registry and notifies the subscribed clients of the lists that have changed.
// The caller holds s.mu.
func (s *Server) setRegistry(next *registry) {
	old := s.registry.Load()
	s.registry.Store(next)
	for _, list := range old.changedLists(next) {
		for l := range s.listeners {
			l.recordList(list)
		}
	}
}

// The owners of single features are these prefixes with the name or URI of the feature.
const (
	ownTool     = "tool "
	ownResource = "resource "
	ownTemplate = "resource template "
	ownPrompt   = "prompt "
)

// Remove unregisters all features of an owner of Replace, and what AddTool, AddPrompt, AddResource
// or AddTemplate have registered under this name, URI or URI template. An unknown name is no error.
func (s *Server) Remove(name string) error {
	if s.isZero() {
		return fmt.Errorf("removing %q: %w", name, errZeroServer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.registry.Load()
	for _, owner := range []string{name, ownTool + name, ownResource + name, ownTemplate + name, ownPrompt + name} {
		if !next.hasOwner(owner) {
			continue
		}
		var err error
		if next, err = next.replace(owner, Features{}, s); err != nil {
			return fmt.Errorf("removing %q: %w", name, err)
		}
	}
	s.setRegistry(next)
	return nil
}

// Tools returns the tools that are listed now, in order.
func (s *Server) Tools() []Tool { return s.current().tools.items() }

// Resources returns the resources that are listed now, in order.
func (s *Server) Resources() []Resource { return s.current().resources.items() }

// Templates returns the resource templates that are listed now, in order.
func (s *Server) Templates() []ResourceTemplate { return s.current().templates.items() }

// Prompts returns the prompts that are listed now, in order.
func (s *Server) Prompts() []Prompt { return s.current().prompts.items() }

// current returns the current registry, an empty one for the zero Server.
func (s *Server) current() *registry {
	if s.isZero() {
		return newRegistry(new(Server))
	}
	return s.registry.Load()
}

// UseTools adds middleware for the calls of all tools, those registered later included. It is outside of the tools' own
// middleware, receives valid arguments, and runs within the gate and the limits of time of the tool; an error or a panic of it
// becomes a result for the model. CallFrom returns the call with the tool, its name and the principal. Add it before serving;
// running calls are not affected.
func (s *Server) UseTools(middleware ...ToolMiddleware) {
	if s.isZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ToolMiddleware
	if before := s.toolMiddleware.Load(); before != nil {
		all = *before
	}
	all = slices.Concat(all, middleware)
	s.toolMiddleware.Store(&all)
}

// Use adds middleware for all requests, inside the existing middleware. Add it before serving;
// running requests are not affected. With a middleware that is nil, or that returns nil, every
// request fails.
func (s *Server) Use(middleware ...Middleware) {
	if s.isZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.middleware = append(s.middleware, middleware...)
	serve := Handler(s.route)
	for _, m := range slices.Backward(s.middleware) {
		if m == nil {
			serve = nil
		} else {
			serve = m(serve)
		}
		if serve == nil {
			serve = func(context.Context, *protocol.Request) (protocol.Result, error) {
				return nil, protocol.Errorf(protocol.CodeInternal, "The server is misconfigured: a middleware is nil or has returned no handler")
			}
		}
	}
	s.handler.Store(&serve)
}

// Close ends open subscriptions. Running requests continue; their transport ends them.
func (s *Server) Close() {
	if !s.isZero() {
		s.closeOnce.Do(func() { close(s.closed) })
	}
}

// Dispatch implements protocol.Dispatcher. A panic becomes an error of protocol.CodeInternal for that request; its
// value and stack go to ServerOptions.Log.
func (s *Server) Dispatch(ctx context.Context, req *protocol.Request) (result protocol.Result, err error) {
	if err := s.Err(); err != nil {
		return nil, protocol.Errorf(protocol.CodeInternal, "The server is misconfigured: %v", err)
	}
	if ctx == nil || req == nil {
		return nil, protocol.Errorf(protocol.CodeInternal, "The context or the request is nil")
	}
	defer func() {
		if v := recover(); v != nil {
			s.opts.Log.ErrorContext(ctx, "panic in a request", "method", req.Method, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, protocol.Errorf(protocol.CodeInternal, "Internal error while serving %s", req.Method)
		}
	}()
	return (*s.handler.Load())(ctx, req)
}

// route is the innermost handler. Methods for kinds of features that the server lacks are unknown.
func (s *Server) route(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	reg := s.registry.Load()
	kind, _, _ := strings.Cut(req.Method, "/")
	switch {
	case req.Method == "server/discover" && s.opts.Tasks != nil && req.Meta.Session() != nil:
		// A legacy session has other tasks than revision 2026-07-28. Its initialize result declares
		// them as a capability, and depends on the peer.
		return reg.sessionInfo(req.Peer), nil
	case req.Method == "server/discover":
		return reg.discovery(), nil
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
			// The transport keeps the subscriptions of a legacy session and opens one
			// subscriptions/listen request for them. Here the request only has to succeed.
			if req.Meta.Session() != nil {
				return protocol.EmptyResult{}, nil
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

// readParams decodes the params of a request into v. Unknown members are ignored.
func readParams(params json.RawMessage, v any) error {
	if len(params) == 0 {
		return nil
	}
	if err := unmarshal(params, v); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) && typed.Field != "" {
			return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s must not be a %s", typed.Field, typed.Value)
		}
		return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %v", err)
	}
	return nil
}

package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxSessionTools is the number of tools that a session may have of its own.
const maxSessionTools = 1000

// ErrNoSession is the error of a change of the tools of a session if there is no session, or none any
// more.
var ErrNoSession = errors.New("there is no session, because it has ended, or because revision 2026-07-28 has none; see ServerOptions.SenderTools")

// Session is the session of one client with a server. Only revisions up to 2025-11-25 have sessions.
// Its methods may be called concurrently, and after the call that SessionFrom belongs to. Methods of
// nil and of the zero value return ErrNoSession.
type Session struct {
	server *Server
	meta   *protocol.SessionMeta
}

// SessionFrom returns the session of the call of ctx. It returns nil in revision 2026-07-28, and
// outside a call of a server.
func SessionFrom(ctx context.Context) *Session {
	call := CallFrom(ctx)
	if call == nil || call.Request.Meta.Session() == nil {
		return nil
	}
	return &Session{call.server, call.Request.Meta.Session()}
}

// AddTools gives the session tools that no other session lists or can call. They follow the tools of
// the server in the list, and work like them: middleware, Authorize, gates and limits apply. A tool
// replaces a tool of the session of the same name; a name that the server itself offers is an error,
// and then no tool is added. A tool that the server registers later takes precedence. The client is
// notified if it follows the list of tools. A session may have 1000 tools.
//
// The tools end with the session. They exist in the memory of this process only: a session that an
// HTTP server restores from a store, after a restart or in another instance, continues without them.
// ServerOptions.SenderTools has no such limit.
func (s *Session) AddTools(tools ...ServerTool) error {
	if s == nil || s.meta == nil {
		return ErrNoSession
	}
	reg := s.server.registry.Load()
	if reg.caps.Tools == nil {
		return errors.New("adding tools to a session: the server declares no tools; set Features.ReserveTools")
	}
	problems := &multierror.Error{ErrorFormat: joinErrors}
	added := make([]*ServerTool, len(tools))
	for i, t := range tools {
		err := t.Err()
		if _, taken := reg.tools.byKey[t.key()]; taken && err == nil {
			err = fmt.Errorf("tool %q is offered by the server", t.key())
		}
		if err == nil && indexOfTool(added[:i], t.key()) >= 0 {
			err = fmt.Errorf("tool %q is added twice", t.key())
		}
		if err != nil {
			problems.Errors = append(problems.Errors, err)
		}
		t.complete(&s.server.opts)
		added[i] = &t
	}
	if err := problems.ErrorOrNil(); err != nil {
		return fmt.Errorf("adding tools to a session: %w", err)
	}
	return s.changeTools(func(own []*ServerTool) ([]*ServerTool, error) {
		for _, t := range added {
			if i := indexOfTool(own, t.key()); i >= 0 {
				own[i] = t
			} else {
				own = append(own, t)
			}
		}
		if len(own) > maxSessionTools {
			return nil, fmt.Errorf("adding tools to a session: it would have %d tools; at most %d are allowed", len(own), maxSessionTools)
		}
		return own, nil
	})
}

// RemoveTools removes tools that AddTools has added. Running calls continue. An unknown name is no
// error.
func (s *Session) RemoveTools(names ...string) error {
	if s == nil || s.meta == nil {
		return ErrNoSession
	}
	return s.changeTools(func(own []*ServerTool) ([]*ServerTool, error) {
		return slices.DeleteFunc(own, func(t *ServerTool) bool { return slices.Contains(names, t.key()) }), nil
	})
}

// indexOfTool returns the index of the tool of this name, or -1.
func indexOfTool(tools []*ServerTool, name string) int {
	return slices.IndexFunc(tools, func(t *ServerTool) bool { return t != nil && t.key() == name })
}

// sessionTools are the tools that a session has of its own in one server.
type sessionTools struct {
	tools atomic.Pointer[[]*ServerTool] // immutable slice; the writer holds mu

	mu        sync.Mutex
	endsWith  bool        // end is called at the end of the session
	ended     bool        // the session has ended
	listeners []*listener // open subscriptions of the session
}

// sessionToolsKey is the key of the sessionTools of a server in a session.
type sessionToolsKey struct{ server *Server }

// sessionTools returns the tools that a session has of its own in the server.
func (s *Server) sessionTools(session *protocol.SessionMeta) *sessionTools {
	return session.Value(sessionToolsKey{s}, func() any { return new(sessionTools) }).(*sessionTools)
}

// changeTools replaces the tools of the session by those that change returns for a copy of them, and
// notifies the client if its list differs.
func (s *Session) changeTools(change func([]*ServerTool) ([]*ServerTool, error)) error {
	t := s.server.sessionTools(s.meta)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.endsWith && !t.ended {
		t.endsWith = s.meta.OnEnd(sessionToolsKey{s.server}, t.end)
		t.ended = !t.endsWith
	}
	if t.ended {
		return fmt.Errorf("changing the tools of a session: %w", ErrNoSession)
	}
	before := t.current()
	after, err := change(slices.Clone(before))
	if err != nil {
		return err
	}
	t.tools.Store(&after)
	if slices.EqualFunc(listedTools(before), listedTools(after), func(a, b *ServerTool) bool {
		return a == b || string(a.append(nil)) == string(b.append(nil))
	}) {
		return nil
	}
	for _, l := range t.listeners {
		l.recordList(listTools)
	}
	return nil
}

// listedTools returns the tools that lists contain.
func listedTools(tools []*ServerTool) []*ServerTool {
	return slices.DeleteFunc(slices.Clone(tools), (*ServerTool).hidden)
}

// current returns the tools; do not modify them.
func (t *sessionTools) current() []*ServerTool {
	if tools := t.tools.Load(); tools != nil {
		return *tools
	}
	return nil
}

// end removes the tools at the end of the session.
func (t *sessionTools) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended, t.listeners = true, nil
	t.tools.Store(nil)
}

// follow makes l report the changes of the tools.
func (t *sessionTools) follow(l *listener) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		l.session = t
		t.listeners = append(t.listeners, l)
	}
}

// unfollow undoes follow.
func (t *sessionTools) unfollow(l *listener) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listeners = slices.DeleteFunc(t.listeners, func(other *listener) bool { return other == l })
}

// ownTools returns the tools that the sender of a request has in addition to those of the server:
// first those of ServerOptions.SenderTools, then those of its session. No name occurs twice, or in
// reg.
func (s *Server) ownTools(ctx context.Context, reg *registry, req *protocol.Request) ([]*ServerTool, error) {
	var own []*ServerTool
	if session := req.Meta.Session(); session != nil {
		if t, ok := session.Value(sessionToolsKey{s}, nil).(*sessionTools); ok {
			own = t.current()
		}
	}
	var given []ServerTool
	if s.opts.SenderTools != nil {
		var err error
		if given, err = s.opts.SenderTools(ctx, req); err != nil {
			return nil, err
		}
	}
	if len(own)+len(given) == 0 {
		return nil, nil
	}
	all := make([]*ServerTool, 0, len(own)+len(given))
	for i := range given {
		t := given[i]
		if err := t.Err(); err != nil {
			return nil, protocol.Errorf(protocol.CodeInternal, "The server is misconfigured: the tools of a sender: %v", err)
		}
		t.complete(&s.opts)
		all = append(all, &t)
	}
	all = append(all, own...)
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(t *ServerTool) bool {
		_, taken := reg.tools.byKey[t.key()]
		taken = taken || seen[t.key()]
		seen[t.key()] = true
		return taken
	}), nil
}

// findTool returns the tool of this name for the sender of a request, or nil. own are the tools that
// only the sender has; nil for a tool of the server.
func (s *Server) findTool(ctx context.Context, reg *registry, req *protocol.Request, name string) (tool *ServerTool, own []*ServerTool, err error) {
	if tool := reg.tools.byKey[name]; tool != nil {
		return tool, nil, nil
	}
	if own, err = s.ownTools(ctx, reg, req); err != nil {
		return nil, nil, err
	}
	if i := indexOfTool(own, name); i >= 0 {
		tool = own[i]
	}
	return tool, own, nil
}

// visibleNames returns the names of the tools that a list for the sender of a request has.
func (s *Server) visibleNames(ctx context.Context, reg *registry, req *protocol.Request, own []*ServerTool) []string {
	var names []string
	for _, t := range slices.Concat(reg.tools.listed, listedTools(own)) {
		if s.opts.Authorize == nil || s.opts.Authorize(ctx, req, *t) == nil {
			names = append(names, t.key())
		}
	}
	return names
}

// withOwn returns the list of tools with those that only the sender of req has, after the others. It
// is never marked as public.
func (r *registry) withOwn(s *Server, req *protocol.Request, tools *catalog[Tool, *ServerTool], own []*ServerTool) *catalog[Tool, *ServerTool] {
	list := &catalog[Tool, *ServerTool]{kind: tools.kind, size: tools.size, hint: tools.hint, featuresOf: tools.featuresOf, listed: listedTools(own)}
	list = toolsForView(list, s.toolViewOf(req))
	next := *tools.private()
	next.listed = slices.Concat(tools.listed, list.listed)
	return next.finish()
}

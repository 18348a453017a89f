package access

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/ratelimit"
)

// Control decides who may use a server, and how much. It is for use by several
// goroutines at once, and by several servers, whose clients then count together.
// It holds nothing that must be released.
type Control struct {
	settings atomic.Pointer[settings]
	keys     caller.Keys
	limiter  ratelimit.Limiter[bucket]
	logged   ratelimit.Limiter[string] // by code

	mu       sync.Mutex
	sessions map[caller.Key]*session
	places   map[caller.Key]int // of sessions, by principal or host
	total    int64              // sessions that there were
	totals   map[string]int64   // by kind of client
	refused  map[string]int64   // by code
}

// bucket identifies a counter of requests: of everything that a principal or a host
// asks, or its calls of one tool.
type bucket struct {
	who  caller.Key
	tool string
}

// New returns a Control.
func New(o Options) *Control {
	c := &Control{keys: caller.NewKeys(), places: make(map[caller.Key]int), totals: make(map[string]int64), refused: make(map[string]int64)}
	c.Configure(o)
	return c
}

// Configure replaces the options, for every request from now on. Sessions keep
// their places though there be fewer, but not if their client is not allowed any
// more, and what was counted counts.
func (c *Control) Configure(o Options) { c.settings.Store(newSettings(o)) }

// Middleware returns what stands before everything that a server answers, for
// mcp.Server.Use. A client that is not allowed, or for which there is no place, is
// answered with an error whatever it asks (CLIENT_NOT_ALLOWED, and CONNECTION_LIMIT
// with the JSON-RPC code −32003): sessions of older revisions get it for
// initialize, others for their first request. Who asks too often gets
// RATE_LIMITED: of a tool as a result that a model reads, else as a protocol error;
// both say when to ask again.
func (c *Control) Middleware() mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
			if caller.IsOwn(ctx) {
				return next(ctx, req)
			}
			st := c.settings.Load()
			s, refused := c.enter(st, req)
			if refused != nil {
				c.note(ctx, st, refused)
				return nil, refused.protocol()
			}
			defer c.leave(s, req)
			if refused := c.charge(st, s, req); refused != nil {
				c.note(ctx, st, refused)
				if req.Method == "tools/call" {
					return mcp.ErrorResult(refused), nil
				}
				return nil, refused.protocol()
			}
			return next(ctx, req)
		}
	}
}

// charge counts a request.
func (c *Control) charge(st *settings, s *session, req *mcp.Request) *Refusal {
	if req.Method == "ping" || isListen(req) && req.Meta.Session() != nil { // which no client asks
		return nil
	}
	var demands [2]ratelimit.Demand[bucket]
	demands[0] = ratelimit.Demand[bucket]{Key: bucket{who: s.owner.key}, Limits: st.limits}
	n := 1
	if tool, ok := st.limitOf(req); ok {
		demands[n] = ratelimit.Demand[bucket]{Key: bucket{s.owner.key, tool.name}, Limits: tool.limits}
		n++
	}
	d := c.limiter.Allow(demands[:n]...)
	if d.Allowed {
		return nil
	}
	return tooOften(req, s.client, d, demands[d.Demand])
}

// limitOf finds the limit of the tool that a request calls.
func (s *settings) limitOf(req *mcp.Request) (limit toolLimit, ok bool) {
	if len(s.tools) == 0 || req.Method != "tools/call" || len(req.Params) == 0 {
		return limit, false
	}
	var raw []byte
	for m := jsonx.Object(req.Params); m.Next(); { // the last counts, as for the call itself
		if string(m.Key()) == "name" {
			raw = m.Value()
		}
	}
	if len(raw) < 2 || raw[0] != '"' {
		return limit, false
	}
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		plain, _ := jsonx.Unquote(raw)
		name = []byte(plain)
	}
	var key [64]byte
	limit, ok = s.tools[string(toolKey(key[:0], name))]
	return limit, ok
}

// Authorize decides by permissions who may use a tool, for
// mcp.ServerOptions.Authorize. The error of a call is PERMISSION_REQUIRED, and
// names what is missing. Where another access token is all that is missing, the tool
// stays in lists, and the error is the challenge of auth.StepUp.
func (c *Control) Authorize(ctx context.Context, req *mcp.Request, tool mcp.ServerTool) error {
	needed := tool.Permissions()
	if len(needed) == 0 {
		return nil
	}
	st := c.settings.Load()
	token, limited := mcp.PermissionsFrom(ctx)
	var missing []string
	forGood := false // another token would not help
	for _, p := range needed {
		if !st.permits(req.Peer.Principal, token, limited, p) {
			missing = append(missing, p)
			forGood = forGood || !st.permits(req.Peer.Principal, []string{p}, limited, p)
		}
	}
	switch {
	case missing == nil:
		return nil
	case req.Method == "tools/list" && !forGood && auth.Obtainable(ctx, needed):
		return nil
	}
	refused := lacking(req, tool.Tool().Name, missing)
	if req.Method == "tools/call" {
		refused.Client, refused.Name = c.clientOf(req)
		c.note(ctx, st, refused)
	}
	if !forGood {
		if err := auth.StepUp(ctx, needed, refused.protocol()); err != nil {
			return err
		}
	}
	return refused
}

// clientOf is who a request's client says it is.
func (c *Control) clientOf(req *mcp.Request) (kind, name string) {
	c.mu.Lock()
	s := c.sessions[c.keys.Of(req)]
	c.mu.Unlock()
	if s == nil { // there is no middleware
		who := clientOf(req)
		return who.kind, who.name
	}
	return s.client.kind, s.client.name
}

// note counts, tells and logs a refusal.
func (c *Control) note(ctx context.Context, st *settings, r *Refusal) {
	c.mu.Lock()
	c.refused[r.Code]++
	c.mu.Unlock()
	if st.OnRefusal != nil {
		st.OnRefusal(r)
	}
	if c.logged.Allow(ratelimit.Demand[string]{Key: r.Code, Limits: ratelimit.Limits{PerMinute: 10}}).Allowed {
		st.Log.LogAttrs(ctx, slog.LevelWarn, "a request was refused", slog.String("code", r.Code), slog.String("why", r.Message),
			slog.String("method", r.Method), slog.String("client", r.Client), slog.String("name", r.Name),
			slog.String("principal", r.Principal), slog.String("transport", r.Transport), slog.String("address", r.Address))
	}
}

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
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/ratelimit"
)

// Control enforces the limits of Options. It is safe for concurrent use. Several servers can share
// one Control; their clients then share the limits. It needs no Close.
type Control struct {
	settings atomic.Pointer[settings]
	keys     caller.Keys
	limiter  ratelimit.Limiter[bucket]
	logged   ratelimit.Limiter[string] // limits log entries by code

	mu            sync.Mutex
	sessions      map[caller.Key]*session
	sessionCounts map[caller.Key]int // number of open sessions by principal or host
	total         int64              // all sessions since New
	totals        map[string]int64   // all sessions by kind of client
	refused       map[string]int64   // refused requests by code
}

// bucket identifies a request counter: all requests of a principal or host, or its calls of one
// tool.
type bucket struct {
	owner caller.Key
	tool  string
}

// New returns a Control with these options.
func New(o Options) *Control {
	c := &Control{keys: caller.NewKeys(), sessionCounts: make(map[caller.Key]int), totals: make(map[string]int64), refused: make(map[string]int64)}
	c.Configure(o)
	return c
}

// Configure replaces the options for later requests. Counters stay. Open sessions stay even above a
// lower limit, but not if their client is no longer allowed.
func (c *Control) Configure(o Options) { c.settings.Store(newSettings(o)) }

// Middleware returns the middleware for mcp.Server.Use. It refuses requests with these codes:
//
//   - CLIENT_NOT_ALLOWED: the client is not in Options.Allowed.
//   - CONNECTION_LIMIT (JSON-RPC code −32003): there are too many sessions. A session of a legacy
//     revision receives it for initialize. A client of the modern revision, which has no
//     initialize, receives it for its first request.
//   - RATE_LIMITED: there were too many requests. A tool call receives it as a result for the
//     model. The refusal contains the time to wait.
func (c *Control) Middleware() mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			if caller.IsOwn(ctx) {
				return next(ctx, req)
			}
			st := c.settings.Load()
			s, refused := c.admit(st, req) // checks the client's name and the number of sessions
			if refused != nil {
				c.recordRefusal(ctx, st, refused)
				return nil, refused.protocolError()
			}
			defer c.endRequest(s, req)
			if refused := c.charge(st, s, req); refused != nil {
				c.recordRefusal(ctx, st, refused)
				if req.Method == "tools/call" {
					return mcp.ErrorResult(refused), nil
				}
				return nil, refused.protocolError()
			}
			return next(ctx, req)
		}
	}
}

// charge counts a request and returns a refusal if a limit is exceeded.
func (c *Control) charge(st *settings, s *session, req *protocol.Request) *Refusal {
	// Never counted: ping, and the subscriptions/listen that a transport sends by itself for a
	// legacy session. A client of the modern revision sends subscriptions/listen itself.
	if req.Method == "ping" || isListen(req) && req.Meta.Session() != nil {
		return nil
	}
	var demands [2]ratelimit.Demand[bucket]
	demands[0] = ratelimit.Demand[bucket]{Key: bucket{owner: s.owner.key}, Limits: st.limits}
	n := 1
	if tool, ok := st.limitOf(req); ok {
		demands[n] = ratelimit.Demand[bucket]{Key: bucket{s.owner.key, tool.name}, Limits: tool.limits}
		n++
	}
	d := c.limiter.Allow(demands[:n]...)
	if d.Allowed {
		return nil
	}
	return rateRefusal(req, s.client, d, demands[d.Demand])
}

// limitOf returns the limit of the tool that a request calls. ok is false for a request that calls
// no tool, and for a tool without a limit of its own.
func (s *settings) limitOf(req *protocol.Request) (limit toolLimit, ok bool) {
	if len(s.tools) == 0 || req.Method != "tools/call" || len(req.Params) == 0 {
		return limit, false
	}
	var raw []byte
	for m := jsonx.Object(req.Params); m.Next(); { // the last member counts, as in the call itself
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

// Authorize reports by permissions whether a request may use a tool. Use it as
// mcp.ServerOptions.Authorize. A refused call has the code PERMISSION_REQUIRED and names the
// missing permissions. The client may be able to obtain an access token with them. Then tools/list
// still contains the tool, and the error of a call asks the client for that token (auth.StepUp).
func (c *Control) Authorize(ctx context.Context, req *protocol.Request, tool mcp.ServerTool) error {
	needed := tool.Permissions()
	if len(needed) == 0 {
		return nil
	}
	st := c.settings.Load()
	token, limited := protocol.PermissionsFrom(ctx)
	var missing []string
	forGood := false // no access token can have the permission
	for _, p := range needed {
		if !st.permits(req.Peer.Principal, token, limited, p) {
			missing = append(missing, p)
			forGood = forGood || !st.permits(req.Peer.Principal, []string{p}, limited, p)
		}
	}
	switch {
	case missing == nil:
		return nil
	case !forGood && auth.KeepsListed(ctx, req, needed):
		return nil
	}
	refused := permissionRefusal(req, tool.Tool().Name, missing)
	if req.Method == "tools/call" {
		refused.Client, refused.Name = c.clientOf(req)
		c.recordRefusal(ctx, st, refused)
	}
	if !forGood {
		if err := auth.StepUp(ctx, needed, refused.protocolError()); err != nil {
			return err
		}
	}
	return refused
}

// clientOf returns the kind and name of a request's client.
func (c *Control) clientOf(req *protocol.Request) (kind, name string) {
	c.mu.Lock()
	s := c.sessions[c.keys.Of(req)]
	c.mu.Unlock()
	if s == nil { // Control is used without the middleware
		who := clientOf(req)
		return who.kind, who.name
	}
	return s.client.kind, s.client.name
}

// recordRefusal counts a refusal, calls OnRefusal and writes the log.
func (c *Control) recordRefusal(ctx context.Context, st *settings, r *Refusal) {
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

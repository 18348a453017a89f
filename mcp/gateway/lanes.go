package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// lanes are the connections of an upstream of an older revision that asks. Such a
// question does not name the call that it belongs to, so each connection is for
// one client: a session has one for all of its calls, and whatever is asked there
// is asked of that session. Clients without sessions, which cannot be told apart
// but by principal and capabilities, have one for each call at a time; calls that
// follow each other have the same.
type lanes struct {
	m *member

	mu     sync.Mutex
	closed bool
	all    []*lane
	run    group.Group
}

// laneKey is whose a lane is.
type laneKey struct {
	session      *mcp.SessionMeta
	principal    string // of clients without a session, with what they can do
	capabilities string
}

// lane is one connection.
type lane struct {
	key   laneKey
	users int // calls and subscriptions; guarded by lanes.mu, as are idle and used
	gone  bool
	idle  *time.Timer
	used  time.Time

	turn  chan struct{} // holds a token while nobody opens the connection
	link  *link         // nil until it is connected; for who has the turn, or is a user after connect
	level mcp.LogLevel

	mu    sync.Mutex
	calls []*asking // that are under way, the oldest first
}

// asking is how the questions of a call are answered.
type asking struct {
	ask    func(ctx context.Context, q mcp.InputRequest) (json.RawMessage, error)
	notify func(ctx context.Context, n mcp.Notification)
	caps   mcp.ClientCapabilities
}

// call serves a request that may ask.
func (s *lanes) call(ctx context.Context, req *mcp.Request, params json.RawMessage) (mcp.Result, error) {
	if req.Meta.Session() == nil {
		return s.m.g.held.call(ctx, s, req, params)
	}
	own := &asking{
		caps: req.Meta.Capabilities(),
		ask: func(ctx context.Context, q mcp.InputRequest) (json.RawMessage, error) {
			got, err := req.Asker.Ask(ctx, map[string]mcp.InputRequest{"question": q})
			return got["question"], err
		},
		notify: func(ctx context.Context, n mcp.Notification) {
			if req.Notify != nil {
				_ = req.Notify(ctx, n) // a client that is gone hears nothing
			}
		},
	}
	raw, rev, err := s.serve(ctx, req, params, laneKey{session: req.Meta.Session()}, own)
	if err != nil {
		return s.m.failed(ctx, req, err)
	}
	return adapted(raw, rev, req)
}

// serve runs a call on the lane of its client.
func (s *lanes) serve(ctx context.Context, req *mcp.Request, params json.RawMessage, key laneKey, own *asking) (json.RawMessage, mcp.Revision, error) {
	ln, err := s.take(key)
	if err != nil {
		return nil, "", err
	}
	ln.enter(own)
	healthy := false
	defer func() {
		ln.leave(own)
		s.give(ln, healthy)
	}()
	if err := s.connect(ctx, ln, own.caps, req.Meta.LogLevel); err != nil {
		return nil, "", err
	}
	logs := req.Meta.LogLevel
	if req.Notify == nil || ln.link.conn.Discovered().Capabilities.Logging == nil {
		logs = ""
	}
	raw, err := send(ctx, ln.link, s.m.outgoing(req, params, ln.link, logs))
	// A call that was given up may still ask: no other client must get its question.
	healthy = (ctx.Err() == nil || key.session != nil) && !isGone(ctx, ln.link, err)
	return raw, ln.link.conn.Revision(), err
}

func (ln *lane) enter(own *asking) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	ln.calls = append(ln.calls, own)
}

func (ln *lane) leave(own *asking) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	ln.calls = slices.DeleteFunc(ln.calls, func(other *asking) bool { return other == own })
}

// current is the call that has been under way for longest, nil if none is.
func (ln *lane) current() *asking {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	if len(ln.calls) == 0 {
		return nil
	}
	return ln.calls[0]
}

// setLevel asks for log messages as the client wants them.
func (s *lanes) setLevel(ctx context.Context, ln *lane, level mcp.LogLevel) {
	if level == "" || level == ln.level || ln.link.modern || ln.link.conn.Discovered().Capabilities.Logging == nil {
		return
	}
	params, err := json.Marshal(map[string]any{"level": level})
	if err == nil {
		_, err = ln.link.ask(ctx, "logging/setLevel", params, nil)
	}
	if err == nil {
		ln.level = level
	}
}

// connect opens the lane's connection, unless it is open.
func (s *lanes) connect(ctx context.Context, ln *lane, caps mcp.ClientCapabilities, level mcp.LogLevel) error {
	ctx, cancel := context.WithTimeout(ctx, s.m.g.opts.StartTimeout)
	defer cancel()
	select {
	case <-ln.turn:
		defer func() { ln.turn <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ln.link == nil {
		l, err := s.m.connect(ctx, s.host(ln, caps))
		if errors.Is(err, ErrLoginNeeded) {
			return err
		}
		if err != nil {
			return &downError{s.m.up.Name, errors.New(err.Error()), time.Time{}, time.Time{}}
		}
		ln.link = l
	}
	s.setLevel(ctx, ln, level)
	return nil
}

// host is what the gateway is on a lane: whatever the client is.
func (s *lanes) host(ln *lane, caps mcp.ClientCapabilities) *mcp.Host {
	host := &mcp.Host{Info: s.m.g.opts.Info, Timeout: s.m.g.opts.StartTimeout}
	host.Capabilities = caps
	host.Capabilities.Extensions, host.Capabilities.Experimental, host.Capabilities.Other = nil, nil, nil
	//lint:ignore SA1019 every revision must go on working
	if roots := &host.Capabilities.Roots; *roots != nil {
		*roots = new(mcp.RootsCapability)
	}
	host.Answer = func(ctx context.Context, q mcp.InputRequest) (json.RawMessage, error) {
		own := ln.current()
		if own == nil || !isKind(q, own.caps) {
			return nil, mcp.Errorf(mcp.CodeMethodNotFound, "Method not found: nobody can be asked %s now", q.Method)
		}
		return own.ask(ctx, q)
	}
	host.Notified = func(n mcp.Notification) {
		log, ok := n.(*mcp.LogNotification)
		if !ok {
			return
		}
		if own := ln.current(); own != nil {
			own.notify(s.m.life, log)
		} else if tell, ok := s.m.g.listeners.Load(ln.key.session); ok {
			tell.(*listener).tell(log)
		}
	}
	return host
}

// take finds or makes a lane, and takes it.
func (s *lanes) take(key laneKey) (*lane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &downError{s.m.up.Name, errRemoved, time.Time{}, time.Time{}}
	}
	for _, ln := range s.all {
		if ln.key == key && (ln.users == 0 || key.session != nil) && !ln.ended() {
			ln.users++
			ln.idle.Stop()
			return ln, nil
		}
	}
	if len(s.all) >= s.m.g.opts.Questions.Connections && !s.evict() {
		return nil, &busyError{s.m.up.Name, "all of its connections are in use"}
	}
	ln := &lane{key: key, users: 1, turn: make(chan struct{}, 1)}
	ln.turn <- struct{}{}
	ln.idle = group.AfterFunc(time.Hour, func() { s.expire(ln) })
	ln.idle.Stop()
	s.all = append(s.all, ln)
	return ln, nil
}

// ended reports whether the lane's connection has ended.
func (ln *lane) ended() bool {
	select {
	case <-ln.turn:
		defer func() { ln.turn <- struct{}{} }()
	default:
		return false // it is being opened
	}
	if ln.link == nil {
		return false
	}
	select {
	case <-ln.link.conn.Done():
		return true
	default:
		return false
	}
}

// evict closes the lane that has been idle for longest. s.mu is held.
func (s *lanes) evict() bool {
	var oldest *lane
	for _, ln := range s.all {
		if ln.users == 0 && (oldest == nil || ln.used.Before(oldest.used)) {
			oldest = ln
		}
	}
	if oldest == nil {
		return false
	}
	s.remove(oldest)
	return true
}

// remove takes a lane away, and closes it when nobody uses it any more. s.mu is
// held.
func (s *lanes) remove(ln *lane) {
	s.all = slices.DeleteFunc(s.all, func(other *lane) bool { return other == ln })
	ln.gone = true
	ln.idle.Stop()
	if ln.users == 0 && ln.link != nil {
		s.run.Go(func() { _ = ln.link.conn.Close() }) // why it ends does not matter any more
	}
}

// give returns a lane after its use.
func (s *lanes) give(ln *lane, healthy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ln.users--
	ended := ln.key.session != nil && ln.key.session.Ended()
	switch {
	case ln.gone || s.closed || !healthy || ln.users == 0 && (ended || ln.link == nil):
		s.remove(ln)
	case ln.users == 0:
		ln.used = time.Now()
		ln.idle.Reset(s.m.g.opts.Questions.Idle)
	}
}

// expire closes a lane that has been idle for long.
func (s *lanes) expire(ln *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ln.users == 0 && !s.closed && !ln.gone {
		s.remove(ln)
	}
}

func (s *lanes) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(ln *lane) bool { return ln.users > 0 })
}

// close closes all lanes that are not in use; the others are when what uses them
// ends, which it does since the member's life does.
func (s *lanes) close() {
	s.mu.Lock()
	s.closed = true
	for _, ln := range slices.Clone(s.all) {
		if ln.users == 0 {
			s.remove(ln)
		}
	}
	s.mu.Unlock()
	s.run.Wait()
}

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// connectionPool holds the connections of an upstream of an older revision with questions. A
// question does not name its call, so a connection serves one client. A session has one connection
// for all its calls. Clients without a session are identified by principal and capabilities. They
// use one connection for each concurrent call, and later calls reuse it.
type connectionPool struct {
	m *member

	mu     sync.Mutex // guards closed, all, and fields of the connections
	closed bool
	all    []*pooledConn
	run    group.Group // goroutines that close waits for
}

// poolKey identifies the client of a connection.
type poolKey struct {
	session      *protocol.SessionMeta // nil for clients without a session
	principal    string                // only without a session
	capabilities string                // only without a session: JSON of the client's capabilities
}

// pooledConn is one connection of a pool.
type pooledConn struct {
	key   poolKey
	users int         // running calls and subscriptions; this field and the next three are guarded by connectionPool.mu
	gone  bool        // removed from the pool; it must not be used again
	idle  *time.Timer // closes the connection after QuestionLimits.Idle
	used  time.Time   // end of the last use

	connectSem chan struct{}     // semaphore of size 1, held while the connection is opened
	link       *link             // nil before the connection; read it while holding connectSem, or as a user after connect
	level      protocol.LogLevel // last level that the upstream accepted

	mu    sync.Mutex
	calls []*activeCall // running calls, oldest first; guarded by mu
}

// activeCall is a running call with the functions that answer its questions.
type activeCall struct {
	ask    func(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error)
	notify func(ctx context.Context, n protocol.Notification)
	caps   protocol.ClientCapabilities
}

// call serves a request that may ask.
func (s *connectionPool) call(ctx context.Context, req *protocol.Request, params json.RawMessage) (protocol.Result, error) {
	if req.Meta.Session() == nil {
		return s.m.g.suspended.call(ctx, s, req, params)
	}
	own := &activeCall{
		caps: req.Meta.Capabilities(),
		ask: func(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
			got, err := req.Asker.Ask(ctx, map[string]protocol.InputRequest{"question": q})
			return got["question"], err
		},
		notify: func(ctx context.Context, n protocol.Notification) {
			if req.Notify != nil {
				_ = req.Notify(ctx, n) // a client that is gone hears nothing
			}
		},
	}
	raw, rev, err := s.serve(ctx, req, params, poolKey{session: req.Meta.Session()}, own)
	if err != nil {
		return s.m.errorResult(ctx, req, err)
	}
	return adaptResult(raw, rev, req)
}

// serve runs a call on the connection of its client.
func (s *connectionPool) serve(ctx context.Context, req *protocol.Request, params json.RawMessage, key poolKey, own *activeCall) (json.RawMessage, protocol.Revision, error) {
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
	raw, err := send(ctx, ln.link, s.m.upstreamRequest(req, params, ln.link, logs))
	// A call that was given up may still ask: no other client must get its question.
	healthy = (ctx.Err() == nil || key.session != nil) && !isGone(ctx, ln.link, err)
	return raw, ln.link.conn.Revision(), err
}

func (ln *pooledConn) enter(own *activeCall) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	ln.calls = append(ln.calls, own)
}

func (ln *pooledConn) leave(own *activeCall) {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	ln.calls = slices.DeleteFunc(ln.calls, func(other *activeCall) bool { return other == own })
}

// oldestCall returns the call that has been running for the longest time, or nil.
func (ln *pooledConn) oldestCall() *activeCall {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	if len(ln.calls) == 0 {
		return nil
	}
	return ln.calls[0]
}

// setLevel requests log messages of the client's level.
func (s *connectionPool) setLevel(ctx context.Context, ln *pooledConn, level protocol.LogLevel) {
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

// connect opens the connection if it is not open.
func (s *connectionPool) connect(ctx context.Context, ln *pooledConn, caps protocol.ClientCapabilities, level protocol.LogLevel) error {
	ctx, cancel := context.WithTimeout(ctx, s.m.g.opts.StartTimeout)
	defer cancel()
	select {
	case <-ln.connectSem:
		defer func() { ln.connectSem <- struct{}{} }()
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

// host returns the gateway's side of a pooled connection, with the capabilities of its client.
func (s *connectionPool) host(ln *pooledConn, caps protocol.ClientCapabilities) *protocol.Host {
	host := &protocol.Host{Info: s.m.g.opts.Info, Timeout: s.m.g.opts.StartTimeout}
	host.Capabilities = caps
	_, asks := caps.Experimental[protocol.StructuredCapability]
	host.Capabilities.Extensions, host.Capabilities.Experimental, host.Capabilities.Other = nil, nil, nil
	if s.m.g.opts.asksStructured(asks) {
		setStructured(&host.Capabilities, true)
	}
	//lint:ignore SA1019 every revision must go on working
	if roots := &host.Capabilities.Roots; *roots != nil {
		*roots = new(protocol.RootsCapability)
	}
	host.Answer = func(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
		own := ln.oldestCall()
		if own == nil || !isKind(q, own.caps) {
			return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: no client can answer %s now", q.Method)
		}
		return own.ask(ctx, q)
	}
	host.Notified = func(n protocol.Notification) {
		log, ok := n.(*protocol.LogNotification)
		if !ok {
			return
		}
		if own := ln.oldestCall(); own != nil {
			own.notify(s.m.life, log)
		} else if tell, ok := s.m.g.listeners.Load(ln.key.session); ok {
			tell.(*listener).tell(log)
		}
	}
	return host
}

// take returns a connection for a client and marks it as used. It opens a place in the pool if
// necessary.
func (s *connectionPool) take(key poolKey) (*pooledConn, error) {
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
	ln := &pooledConn{key: key, users: 1, connectSem: make(chan struct{}, 1)}
	ln.connectSem <- struct{}{}
	ln.idle = group.AfterFunc(time.Hour, func() { s.expire(ln) })
	ln.idle.Stop()
	s.all = append(s.all, ln)
	return ln, nil
}

// ended reports whether the connection has ended.
func (ln *pooledConn) ended() bool {
	select {
	case <-ln.connectSem:
		defer func() { ln.connectSem <- struct{}{} }()
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

// evict closes the connection with the longest idle time. The caller holds s.mu.
func (s *connectionPool) evict() bool {
	var oldest *pooledConn
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

// remove removes a connection from the pool and closes it after its last use. The caller holds
// s.mu.
func (s *connectionPool) remove(ln *pooledConn) {
	s.all = slices.DeleteFunc(s.all, func(other *pooledConn) bool { return other == ln })
	ln.gone = true
	ln.idle.Stop()
	if ln.users == 0 && ln.link != nil {
		s.run.Go(func() { _ = ln.link.conn.Close() }) // why it ends does not matter any more
	}
}

// give marks a connection as unused; an unhealthy one is removed.
func (s *connectionPool) give(ln *pooledConn, healthy bool) {
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

// expire closes a connection that was idle for QuestionLimits.Idle.
func (s *connectionPool) expire(ln *pooledConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ln.users == 0 && !s.closed && !ln.gone {
		s.remove(ln)
	}
}

func (s *connectionPool) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(ln *pooledConn) bool { return ln.users > 0 })
}

// close closes all unused connections. Connections in use close after their calls, which the end of
// the member's context cancels.
func (s *connectionPool) close() {
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

package httpserver

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// lingerFor is how long changes go on being noted for a client whose stream
// broke, so that it gets them when it comes back.
const lingerFor = 2 * time.Minute

// changeStream is the stream of changes of a session. It reports changed lists
// and changed resources to which the session has subscribed. Its follower runs
// while a client listens, and for lingerFor after the client has left.
type changeStream struct {
	mu     sync.Mutex
	stream *stream
	stop   context.CancelCauseFunc // ends the follower; nil without one
	done   chan struct{}           // closed when the latest follower has ended
	linger *time.Timer
	ended  bool
	claim  uint64 // where sessions are shared: when it was last opened
}

// open returns the stream and starts a follower of the changes if none runs. It
// returns nil if the session has ended. missed is true if there was no follower
// for some time, so that changes may have been missed.
func (c *changeStream) open(s *session, peer protocol.Peer) (st *stream, missed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, false
	}
	if c.stream == nil {
		c.stream = &stream{session: s, number: s.h.backend.changesNumber(), changes: true, due: 1}
	}
	if c.linger != nil {
		c.linger.Stop()
		c.linger = nil
	}
	if c.stop == nil {
		missed = c.done != nil
		c.follow(s, peer)
	}
	return c.stream, missed
}

// awaitFollower waits until the follower of s has subscribed, at most askTimeout. An error
// says that changes may have been missed.
func (s *session) awaitFollower(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	defer context.AfterFunc(s.h.base, cancel)()
	return s.older.Listening(ctx)
}

// follow starts to follow the changes; the lock is held. One follower begins
// when the one before has ended.
func (c *changeStream) follow(s *session, peer protocol.Peer) {
	ctx, stop := context.WithCancelCause(s.h.base)
	before, done := c.done, make(chan struct{})
	c.stop, c.done = stop, done
	to := c.stream
	run := s.older.Follow(ctx, s.h.d, peer, func(method string, params []byte) error {
		if err := to.send(rpc.AppendRequest(nil, "", method, params), false); err == errAnswered {
			return err
		}
		return nil
	})
	s.h.group.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		run()
	})
}

// left notes that a client has stopped listening.
func (c *changeStream) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.stop == nil || c.linger != nil || c.stream.isRead() { // stop is nil without a stream
		return
	}
	c.linger = group.AfterFunc(lingerFor, c.rest)
}

// rest stops following the changes, unless a client has come back.
func (c *changeStream) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.linger != nil && c.stop != nil {
		c.stop(errSessionIdle)
		c.linger, c.stop = nil, nil
	}
}

// end ends the stream with its session.
func (c *changeStream) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.linger != nil {
		c.linger.Stop()
		c.linger = nil
	}
	if c.stop != nil {
		c.stop(errSessionEnded)
		c.stop = nil
	}
	if c.stream != nil {
		c.stream.drop()
	}
}

// get opens the stream of changes, or goes on with a stream that broke.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.write(w)
		return
	}
	defer h.sessions.leave(s)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	f := &inFlight{cancel: cancel, isStream: true}
	switch {
	case !acceptedBy(r.Header).stream:
		refuse(http.StatusNotAcceptable, protocol.CodeInvalidRequest, "Accept must allow text/event-stream").write(w)
		return
	case !h.openStream():
		busy(http.StatusServiceUnavailable, "%d streams are open; try again later", h.opts.MaxStreams).write(w)
		return
	}
	defer h.streams.Add(-1)
	if !h.inFlightSet.enter(f) {
		shuttingDown().write(w)
		return
	}
	defer h.inFlightSet.leave(f)
	rep := &reply{w: w, ctl: http.NewResponseController(w), opts: &h.opts, accept: accepted{stream: true}, over: make(chan struct{})}
	st, refused := h.backend.read(ctx, s, r, rep)
	switch {
	case refused != nil:
		rep.refuse(refused)
		s.changes.left()
		return
	case st == nil: // a stream of another Handler, which rep has carried to its end
		rep.end()
		return
	}
	rep.life.start(h.opts.KeepAlive, func() { st.tick(rep) })
	select {
	case <-rep.over:
	case <-ctx.Done():
	}
	st.detach(rep)
	if st.changes {
		s.changes.left()
	}
}

// notifyListsChanged notifies the client that each list may have changed.
func (h *Handler) notifyListsChanged(ctx context.Context, st *stream, peer protocol.Peer) {
	info, err := st.session.older.Discover(caller.Own(ctx), h.d, peer)
	if err != nil {
		h.opts.Log.Debug("a resuming client does not receive missed changes", "error", err)
		return
	}
	caps := info.Capabilities
	for _, list := range []struct {
		name string
		told bool
	}{
		{"tools", caps.Tools != nil && caps.Tools.ListChanged},
		{"prompts", caps.Prompts != nil && caps.Prompts.ListChanged},
		{"resources", caps.Resources != nil && caps.Resources.ListChanged},
	} {
		if list.told {
			changed := &protocol.ListChangedNotification{List: list.name}
			_ = st.send(appendNotification(nil, changed, st.session.older.Revision), false) // unless the client has left again
		}
	}
}

package httpserver

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// errReleased is the cause of the end of a follower whose stream of changes
// moves to another Handler.
var errReleased = errors.New("another handler tells the session of changes")

// releaseTimeout limits the wait for the end of a follower of changes.
const releaseTimeout = time.Second

// read implements backend: the stream runs at another Handler, or here, or is
// the stream of changes.
func (c *cluster) read(ctx context.Context, s *session, r *http.Request, rep *reply) (*stream, *refusal) {
	last := r.Header.Get(mcpheader.LastEventID)
	if last == "" {
		return c.listen(s, r, rep, nil)
	}
	from, ok := parseClusterEventID(last)
	switch {
	case !ok:
		return nil, unknownEvent()
	case from.changes:
		return c.listen(s, r, rep, &from)
	}
	if st := s.opened(from.number); st != nil {
		return st, st.resume(rep, from.seq)
	}
	return nil, c.follow(ctx, s, rep, from)
}

// listen attaches rep to the stream of changes, which may move here from
// another Handler. from is the last event that the client has received, nil if
// the client does not name one.
func (c *cluster) listen(s *session, r *http.Request, rep *reply, from *eventRef) (*stream, *refusal) {
	st, missed := s.changes.open(s, peerOf(r))
	if st == nil {
		return nil, unknownSession()
	}
	late := s.awaitFollower(r.Context()) != nil
	missed = missed || late
	before, refused := c.claim(r.Context(), s, st)
	if refused != nil {
		return nil, refused
	}
	own := before != nil && *before == listenerRef{c.name, st.number}
	switch {
	case own && from == nil:
		missed = st.attach(rep) || missed
	case own && from.number == st.number:
		if refused := st.resume(rep, from.seq); refused != nil {
			return nil, refused
		}
	default:
		lost, refused := c.inherit(r.Context(), st, rep, before, from)
		if refused != nil {
			return nil, refused
		}
		missed = lost || late || own && missed
	}
	if missed {
		c.h.notifyListsChanged(r.Context(), st, peerOf(r))
	}
	return st, nil
}

// claim records that this Handler follows the changes of the session, and
// returns the Handler that did so before.
func (c *cluster) claim(ctx context.Context, s *session, st *stream) (before *listenerRef, refused *refusal) {
	rec, err := c.edit(ctx, s, func(rec *record) bool {
		before, rec.Listener = rec.Listener, &listenerRef{c.name, st.number}
		return true
	})
	switch {
	case errors.Is(err, ErrNoSession):
		return nil, unknownSession()
	case err != nil:
		return nil, c.unreachable(ctx, "listening to changes", err)
	}
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	s.changes.claim = rec.version
	return before, nil
}

// inherit attaches rep to the stream of changes, and sends the events of the
// previous Handler that have not reached the client first. missed reports that
// some of them are lost.
func (c *cluster) inherit(ctx context.Context, st *stream, rep *reply, before *listenerRef, from *eventRef) (missed bool, refused *refusal) {
	st.takeOver(st.latest.Load())
	defer st.unlock()
	if st.ended {
		return false, busy(http.StatusServiceUnavailable, "another stream of changes was opened at the same time")
	}
	unread, refused := st.missed(st.read)
	missed = refused != nil
	if st.replace(rep) != nil {
		return false, nil
	}
	// From here on nothing is lost: what changes waits for the lock.
	if from != nil && (before == nil || before.Stream != from.number) {
		missed = c.replay(ctx, st, *from) || missed
	}
	if before != nil && before.Stream != st.number {
		missed = c.relieve(ctx, st, *before, from) || missed
	}
	if st.session.older.Revision >= protocol.Rev20251125 {
		st.prime(st.read, c.h.opts.Retry)
	} else {
		st.comment()
	}
	st.replay(unread)
	return missed, nil
}

// relieve ends the stream of changes at another Handler, and sends the events
// that it has not sent.
func (c *cluster) relieve(ctx context.Context, st *stream, before listenerRef, from *eventRef) (missed bool) {
	release := relayed{Kind: relayRelease, Session: st.session.id, Stream: before.Stream, Claim: st.session.changes.claimed()}
	reply, err := c.ask(ctx, before.Handler, release)
	at := eventRef{number: before.Stream, handler: before.Handler, changes: true}
	switch {
	case from != nil && from.number == before.Stream:
		at.seq = from.seq
	case err == nil:
		at.seq = reply.Read
	default:
		return true // the last event that the client has received is unknown
	}
	if err == nil && reply.Running && reply.Last <= at.seq {
		return false
	}
	return c.replay(ctx, st, at) || err != nil || !reply.Running
}

// replay sends the events of another stream of changes after one of them. It
// returns true when they are no longer kept.
func (c *cluster) replay(ctx context.Context, st *stream, at eventRef) (lost bool) {
	events, err := c.after(ctx, EventStream{Session: st.session.id, Number: at.number}, at.seq)
	for _, e := range events {
		at.seq = e.Seq
		st.deliver(sse.Event{ID: string(at.appendTo(nil)), Data: e.Data})
	}
	return err != nil
}

func (c *changeStream) claimed() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claim
}

// release ends the stream of that number for a Handler that has claimed it,
// unless this Handler has opened it again after that claim.
func (c *changeStream) release(ctx context.Context, number int64, claim uint64) (was relayReply) {
	c.mu.Lock()
	st, done := c.stream, c.done
	if st == nil || st.number != number || claim <= c.claim {
		c.mu.Unlock()
		return was
	}
	was.Running = c.stop != nil
	if c.linger != nil {
		c.linger.Stop()
		c.linger = nil
	}
	if c.stop != nil {
		c.stop(errReleased)
		c.stop = nil
	}
	c.stream = nil
	c.mu.Unlock()
	if done != nil {
		timer := time.NewTimer(releaseTimeout)
		defer timer.Stop()
		select {
		case <-done: // nothing more comes
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	st.takeOver(st.latest.Load())
	defer st.unlock()
	was.Read, was.Last = st.read, st.seq
	st.close()
	return was
}

// superseded ends the stream if the record names another Handler as the follower
// of changes.
func (c *changeStream) superseded(ctx context.Context, rec *record, name string) {
	c.mu.Lock()
	st := c.stream
	c.mu.Unlock()
	if st != nil && rec.Listener != nil && rec.Listener.Handler != name {
		c.release(ctx, st.number, rec.version)
	}
}

package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

const (
	// remoteCheck is the interval at which a reader asks whether a stream of
	// another Handler goes on; wake messages may be lost.
	remoteCheck = 5 * time.Second
	// remoteRetry is the interval while the other Handler does not reply.
	remoteRetry = time.Second
	// remoteTimeout is the time without a reply after which the other Handler
	// counts as gone. It is longer than a Handler takes to join again after an
	// outage of the relay.
	remoteTimeout = 10 * time.Second
)

// clusterReader is a response that carries a stream of another Handler.
type clusterReader struct {
	c      *cluster
	s      *session
	cursor eventRef // the last event that was sent
	number int64    // among those of this Handler
	wake   chan struct{}

	watching bool      // the other Handler has accepted this reader
	lost     time.Time // of the first failure to reach the other Handler; zero if it replies
}

// follow carries a stream of another Handler, or one that has ended, from an
// event on to a client that has come back for it.
func (c *cluster) follow(ctx context.Context, s *session, rep *reply, at eventRef) *refusal {
	r := &clusterReader{c: c, s: s, cursor: at, number: c.asked.Add(1), wake: make(chan struct{}, 1)}
	c.mu.Lock()
	c.readers[r.key()] = r // the previous reader ends at its next check
	c.mu.Unlock()
	defer c.forget(r)
	for alive := false; ; {
		state := r.check(ctx)
		if state == remoteOver {
			c.settle(ctx, r.key())
		}
		if refused := r.copy(ctx, rep); refused != nil {
			return refused // what has begun just ends: the client comes back and is told then
		}
		switch {
		case state == remoteOver && !rep.begun():
			rep.status(http.StatusNoContent) // there is nothing to come back for
			return nil
		case state != remoteRuns:
			return nil
		case !rep.begun() && rep.send(sse.AppendComment(nil, "")) != nil:
			return nil
		case !alive:
			alive = true
			rep.life.start(c.h.opts.KeepAlive, rep.keepAlive)
		}
		if !r.wait(ctx, rep) {
			return nil
		}
	}
}

func (r *clusterReader) key() EventStream {
	return EventStream{Session: r.s.id, Number: r.cursor.number}
}

// wait waits until there may be something new.
func (r *clusterReader) wait(ctx context.Context, rep *reply) bool {
	timer := time.NewTimer(remoteCheck)
	defer timer.Stop()
	if !r.lost.IsZero() {
		timer.Reset(remoteRetry)
	}
	select {
	case <-r.wake:
	case <-timer.C:
	case <-rep.over:
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// remoteState is the state of a stream of another Handler.
type remoteState uint8

const (
	remoteRuns  remoteState = iota // or may do so
	remoteOver                     // it has ended, or its writer is gone
	remoteTaken                    // another response carries it
)

// check asks whether the stream goes on.
func (r *clusterReader) check(ctx context.Context) remoteState {
	m := relayed{Kind: relayStill, Session: r.s.id, Stream: r.cursor.number, Reader: r.number}
	if !r.watching {
		m.Kind = relayWatch
	}
	reply, err := r.c.ask(ctx, r.cursor.handler, m)
	switch {
	case err != nil && r.lost.IsZero():
		r.lost = time.Now()
		return remoteRuns
	case err != nil && time.Since(r.lost) < remoteTimeout:
		return remoteRuns
	case err != nil || !reply.Running:
		return remoteOver
	}
	r.watching, r.lost = true, time.Time{}
	if !reply.Yours {
		return remoteTaken
	}
	return remoteRuns
}

// copy sends the events that the client has not got yet.
func (r *clusterReader) copy(ctx context.Context, rep *reply) *refusal {
	events, err := r.c.after(ctx, r.key(), r.cursor.seq)
	switch {
	case errors.Is(err, ErrEventsLost):
		return eventsLost()
	case err != nil && rep.begun():
		return nil // it may work again soon
	case err != nil:
		return r.c.unreachable(ctx, "reading events", err)
	}
	for _, e := range events {
		r.cursor.seq = e.Seq
		if isIntroduction(e.Data) {
			continue
		}
		event := sse.Event{ID: string(r.cursor.appendTo(nil)), Data: e.Data}.Append(nil)
		if rep.send(event) != nil {
			return nil // wait sees that the response is over
		}
	}
	return nil
}

// after reads events, and finds gaps.
func (c *cluster) after(ctx context.Context, stream EventStream, seq int64) ([]KeptEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	events, err := c.shared.After(ctx, stream, seq)
	for i := range events {
		if events[i].Seq != seq+1+int64(i) {
			return nil, ErrEventsLost
		}
	}
	return events, err
}

// settle fails the open requests of a stream whose Handler is gone. Several
// Handlers may do so at once: the store keeps one event of each number, so that
// no request is answered twice.
func (c *cluster) settle(ctx context.Context, stream EventStream) {
	events, err := c.after(ctx, stream, 0)
	if err != nil || len(events) == 0 || !isIntroduction(events[0].Data) {
		return // too much is lost to know what is missing
	}
	var intro introduction
	if err := json.Unmarshal(events[0].Data[1:], &intro); err != nil {
		return
	}
	due := intro.IDs
	for _, e := range events[1:] {
		if m, err := rpc.Parse(e.Data); err == nil && m.Kind == rpc.Response {
			due = slices.DeleteFunc(due, func(id rpc.ID) bool { return id == m.ID })
		}
	}
	gone := peer.WireError(protocol.Errorf(protocol.CodeInternal, "The server instance that served this request is gone. The request was not served anywhere else; it may have taken effect in part or completely. Check its effects before you send it again"), protocol.Latest)
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	for i, id := range due {
		event := KeptEvent{Seq: events[len(events)-1].Seq + int64(i) + 1, Data: rpc.AppendError(nil, id, false, gone)}
		if err := c.shared.Append(ctx, stream, event); err != nil {
			return // another Handler was first, or the store failed
		}
	}
}

// wake notifies the reader of a stream of a new event.
func (c *cluster) wake(stream EventStream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.readers[stream]; r != nil {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

func (c *cluster) forget(r *clusterReader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.readers[r.key()] == r {
		delete(c.readers, r.key())
	}
}

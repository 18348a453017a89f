package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/internal/wait"
)

// What is to be kept for a client that reads nowhere is tried to be kept for so
// long, and so often, before it is lost.
const (
	keepPatience = time.Minute
	keepAgain    = time.Second
)

// remoteReader is a response of another Handler that carries a stream: a client may resume the stream at any Handler, which reads
// the events from the store and is woken when there are new ones.
type remoteReader struct {
	handler string
	reader  int64
}

// introduction is the first event of a stream of answers, which no client sees:
// it says which requests are to be answered, so that others can answer them in the
// stead of a Handler that is gone.
type introduction struct {
	IDs []rpc.ID `json:"ids"`
}

// introductionMark begins what is no message of a client.
const introductionMark = 0

func isIntroduction(data []byte) bool { return len(data) > 0 && data[0] == introductionMark }

// opened implements backend: it stores the introduction of a stream of answers.
func (c *cluster) opened(st *stream) {
	if st.changes {
		return
	}
	text, err := json.Marshal(introduction{IDs: st.requests()})
	if err != nil {
		return // unreachable: strings always encode
	}
	h := c.h
	event := KeptEvent{Seq: st.seq + 1, Data: append([]byte{introductionMark}, text...)}
	if err := h.opts.Events.Append(context.WithoutCancel(h.base), st.key(), event); err != nil {
		h.opts.Log.Warn("an event could not be kept for a client that may come back", "error", err)
		return
	}
	st.seq++
}

// requests returns the ids of the requests that the stream answers.
func (st *stream) requests() []rpc.ID {
	if st.batch == nil {
		return []rpc.ID{st.request}
	}
	var ids []rpc.ID
	for _, element := range st.batch {
		if m, err := rpc.Parse(element); err == nil && m.Kind == rpc.Request {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// emit implements backend. An event that cannot be stored has no number: a connected client gets it without an id, and can resume
// later events. An event without a connected client is stored again until keepPatience is over; the stream is unlocked between
// the attempts.
func (c *cluster) emit(st *stream, message []byte, passing bool) {
	h := c.h
	for start := time.Now(); ; {
		err := h.opts.Events.Append(context.WithoutCancel(h.base), st.key(), KeptEvent{Seq: st.seq + 1, Data: message})
		if err == nil {
			break
		}
		if errors.Is(err, ErrEventTaken) {
			st.close() // another Handler has ended the stream, for it took this one for dead
			return
		}
		if passing || st.reply != nil || time.Since(start) > keepPatience {
			h.opts.Log.Warn("an event could not be kept for a client that may come back", "error", err)
			st.deliver(sse.Event{Data: message})
			return
		}
		st.mu.Unlock()
		stopped := wait.For(h.base, keepAgain)
		st.mu.Lock()
		if stopped != nil || st.ended {
			return
		}
	}
	st.seq++
	st.deliver(sse.Event{ID: st.eventID(st.seq), Data: message})
	if st.reply != nil {
		st.read = st.seq
	}
	c.wakeReader(st)
}

// watch has another Handler carry the stream from now on. It returns false when
// nothing more will be said.
func (st *stream) watch(w remoteReader) bool {
	st.takeOver(st.latest.Load())
	defer st.unlock()
	if st.ended {
		return false
	}
	if st.reply != nil {
		st.reply.end()
		st.reply = nil
	}
	st.session.h.backend.dismissReader(st)
	st.remote.Store(&w)
	return true
}

func (st *stream) isWatchedBy(w remoteReader) bool {
	current := st.remote.Load()
	return current != nil && *current == w
}

// dismissReader implements backend: another response carries the stream now, or the stream has ended.
func (c *cluster) dismissReader(st *stream) {
	if w := st.remote.Swap(nil); w != nil {
		c.tell(w.handler, relayed{Kind: relayWake, Session: st.session.id, Stream: st.number})
	}
}

// wakeReader notifies the Handler that carries the stream of a new event.
func (c *cluster) wakeReader(st *stream) {
	if w := st.remote.Load(); w != nil {
		c.tell(w.handler, relayed{Kind: relayWake, Session: st.session.id, Stream: st.number})
	}
}

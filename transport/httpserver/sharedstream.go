package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
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

// farStream is what a stream has where sessions are shared: a client may come
// back for it at another Handler, which reads it from the store and is woken
// when there is something new.
type farStream struct {
	changes bool     // it belongs to no call
	ids     []rpc.ID // the requests that it is to answer
	watcher atomic.Pointer[farWatcher]
}

// farWatcher is a response at another Handler.
type farWatcher struct {
	handler string
	reader  int64
}

// ofChanges reports whether the stream belongs to no call.
func (st *stream) ofChanges() bool {
	if st.far != nil {
		return st.far.changes
	}
	return st.number == 0
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

// introduce keeps the introduction; the lock is held.
func (st *stream) introduce() {
	if st.far.changes {
		return
	}
	text, err := json.Marshal(introduction{IDs: st.far.ids})
	if err != nil {
		return // unreachable: strings always encode
	}
	h := st.session.h
	event := KeptEvent{Seq: st.seq + 1, Data: append([]byte{introductionMark}, text...)}
	if err := h.opts.Events.Append(context.WithoutCancel(h.base), st.key(), event); err != nil {
		h.opts.Log.Warn("an event could not be kept for a client that may come back", "error", err)
		return
	}
	st.seq++
}

// emitShared is emit where sessions are shared. What cannot be kept has no
// number: a client that is reading gets it without an id, and what comes later can
// still be come back for. What nobody would get otherwise is tried to be kept
// again for a while, without the lock in between.
func (st *stream) emitShared(message []byte, passing bool) {
	h := st.session.h
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
	st.wakeReader(false)
}

// watch has another Handler carry the stream from now on. It returns false when
// nothing more will be said.
func (st *stream) watch(w farWatcher) bool {
	st.takeOver(st.latest.Load())
	defer st.unlock()
	if st.ended {
		return false
	}
	if st.reply != nil {
		st.reply.end()
		st.reply = nil
	}
	st.dismissReader()
	st.far.watcher.Store(&w)
	return true
}

func (st *stream) isWatched() bool { return st.far != nil && st.far.watcher.Load() != nil }

func (st *stream) isWatchedBy(w farWatcher) bool {
	current := st.far.watcher.Load()
	return current != nil && *current == w
}

// dismissReader is the end of a response elsewhere, for another carries the
// stream now.
func (st *stream) dismissReader() {
	if w := st.far.watcher.Swap(nil); w != nil {
		st.session.h.shared.tell(w.handler, relayed{Kind: relayWake, Session: st.session.id, Stream: st.number})
	}
}

// wakeReader tells who carries the stream elsewhere that there is something new.
// At the end nobody is left who would carry anything.
func (st *stream) wakeReader(ended bool) {
	if ended {
		st.dismissReader()
	} else if w := st.far.watcher.Load(); w != nil {
		st.session.h.shared.tell(w.handler, relayed{Kind: relayWake, Session: st.session.id, Stream: st.number})
	}
}

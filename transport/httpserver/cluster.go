package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// forwardRetry is the delay between attempts to forward an answer to a Handler
// that is not found.
const forwardRetry = 250 * time.Millisecond

// cluster is the backend of sessions that several Handlers share. A cluster has
// a random name that was never used before, so that calls and streams of a
// Handler that is gone are not looked for at its successor.
type cluster struct {
	h      *Handler
	shared Shared
	name   string
	left   func()
	failed error // of joining the Relay
	asked  atomic.Int64

	mu      sync.Mutex
	readers map[EventStream]*clusterReader
}

func joinCluster(h *Handler) *cluster {
	c := &cluster{h: h, shared: h.opts.Shared, name: rand.Text(), readers: make(map[EventStream]*clusterReader)}
	if c.left, c.failed = c.shared.Join(c.name, c.receive); c.failed != nil {
		h.opts.Log.Error("sessions cannot be shared; requests of older revisions are refused", "error", c.failed)
		return c
	}
	h.group.Go(c.tend)
	return c
}

// leave implements backend: nothing is received any more.
func (c *cluster) leave() {
	if c.left != nil {
		c.left()
	}
}

// unreachable returns the refusal of a request that failed because the shared
// store or relay failed.
func (c *cluster) unreachable(ctx context.Context, doing string, err error) *refusal {
	c.h.opts.Log.WarnContext(ctx, "the store of sessions cannot be reached", "doing", doing, "error", err)
	return refuse(http.StatusServiceUnavailable, protocol.CodeInternal, "The session store of the server cannot be reached; send the request again later")
}

// tend refreshes the records of sessions in use, which would expire otherwise,
// and drops sessions that have ended without a message to this Handler.
func (c *cluster) tend() {
	ticker := time.NewTicker(max(c.h.opts.SessionIdle/touchesPerIdle, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-c.h.base.Done():
			return
		}
		for _, s := range c.h.sessions.used() {
			if c.h.base.Err() != nil {
				return
			}
			c.tendTo(s)
		}
	}
}

func (c *cluster) tendTo(s *session) {
	rec, err := c.load(c.h.base, s.id)
	if err == nil {
		s.adopt(rec)
		s.changes.superseded(c.h.base, rec, c.name)
		err = c.touch(c.h.base, s, rec)
	}
	switch {
	case errors.Is(err, ErrNoSession):
		c.h.sessions.remove(s, errSessionEnded)
	case err != nil && c.h.base.Err() == nil:
		c.h.opts.Log.Debug("a session could not be noted as used", "error", err)
	}
}

// questionID implements backend: the id names the Handler that asks.
func (c *cluster) questionID(*session) rpc.ID {
	return rpc.ID(`"` + c.name + "." + strconv.FormatInt(c.asked.Add(1), 10) + `"`)
}

// asker returns the name of the Handler in the id of a question, and whether it
// is another Handler.
func (c *cluster) asker(id rpc.ID) (name string, remote bool) {
	name, _, ok := strings.Cut(strings.Trim(string(id), `"`), ".")
	return name, ok && isName(name) && name != c.name
}

// answer implements backend.
func (c *cluster) answer(ctx context.Context, s *session, m *rpc.Message) *refusal {
	if to, remote := c.asker(m.ID); remote {
		return c.forward(ctx, to, s, m)
	}
	s.answered(m)
	return nil
}

// cancelRemote implements backend: any other Handler may run the call.
func (c *cluster) cancelRemote(s *session, id rpc.ID) {
	c.broadcast(relayed{Kind: relayCancel, Session: s.id, ID: id})
}

// ended implements backend: the session may go on at other Handlers.
func (c *cluster) ended(*session) {}

// inUse implements backend: the client may be busy at another Handler, so that
// calls and subscriptions keep a session too.
func (c *cluster) inUse(s *session) bool { return s.inUse() }

// abortStatus implements backend: unless it has ended, the session goes on at
// other Handlers.
func (c *cluster) abortStatus(cause error) int {
	if cause == errSessionEnded {
		return http.StatusNotFound
	}
	return http.StatusServiceUnavailable
}

// streamNumber implements backend.
func (c *cluster) streamNumber(*session) int64 { return randomNumber() }

// changesNumber implements backend.
func (c *cluster) changesNumber() int64 { return randomNumber() }

// eventID implements backend: the id names this Handler, which other Handlers
// ask for the rest of the stream.
func (c *cluster) eventID(st *stream, seq int64) string {
	id := eventRef{number: st.number, seq: seq, handler: c.name, changes: st.changes}
	return string(id.appendTo(make([]byte, 0, 64)))
}

// forward sends the answer to a question to the Handler that asks. While the
// store is out of reach that Handler may not be found; after sharedTimeout it
// counts as gone, and no call waits for the answer.
func (c *cluster) forward(ctx context.Context, to string, s *session, m *rpc.Message) *refusal {
	for start := time.Now(); ; {
		_, err := c.ask(ctx, to, relayed{Kind: relayAnswer, Session: s.id, ID: m.ID, Result: m.Result, Error: m.Error})
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, ErrNoHandler):
			return c.unreachable(ctx, "handing on an answer", err)
		case time.Since(start) > sharedTimeout || wait.Sleep(ctx, forwardRetry) != nil:
			return nil
		}
	}
}

// addCopy adds a copy of a shared session with one request under way. If the
// table has a copy already, that copy counts the request.
func (t *sessionTable) addCopy(s *session) (*session, *refusal) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, shuttingDown()
	}
	if there := t.byID[s.id]; there != nil {
		if there.busy++; there.busy == 1 {
			t.idle.remove(there)
		}
		t.mu.Unlock()
		return there, nil
	}
	evicted, refused := t.insert(s)
	t.mu.Unlock()
	if evicted != nil {
		evicted.end(errSessionEvicted)
	}
	if refused != nil {
		return nil, refused
	}
	return s, nil
}

// find returns the copy of a session, if there is one.
func (t *sessionTable) find(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

func (t *sessionTable) removeID(id string, cause error) {
	if s := t.find(id); s != nil {
		t.remove(s, cause)
	}
}

// used returns the sessions that have a request, a running call or a follower of changes.
func (t *sessionTable) used() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var used []*session
	for _, s := range t.byID {
		if s.busy > 0 || s.inUse() {
			used = append(used, s)
		}
	}
	return used
}

const (
	// storeTimeout limits the attempts to store an event that no connected client receives.
	storeTimeout = time.Minute
	// storeRetry is the delay between them.
	storeRetry = time.Second
)

// remoteReader is a response of another Handler that carries a stream: a client
// may resume the stream at any Handler, which reads the events from the store
// and is woken when there are new ones.
type remoteReader struct {
	handler string
	reader  int64
}

// introduction is the first event of a stream of answers. It lists the requests
// that the stream answers, so that another Handler can fail them if this one is
// gone. Clients do not receive it.
type introduction struct {
	IDs []rpc.ID `json:"ids"`
}

// introductionMark is the first byte of an introduction; messages begin with a brace.
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
		h.opts.Log.Warn("an event could not be stored for a resuming client", "error", err)
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

// emit implements backend. An event that cannot be stored has no number: a
// connected client gets it without an id, and can resume later events. An event
// without a connected client is stored again until storeTimeout is over; the
// stream is unlocked between the attempts.
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
		if passing || st.reply != nil || time.Since(start) > storeTimeout {
			h.opts.Log.Warn("an event could not be stored for a resuming client", "error", err)
			st.deliver(sse.Event{Data: message})
			return
		}
		st.mu.Unlock()
		stopped := wait.Sleep(h.base, storeRetry)
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

// watch makes a response of another Handler the reader of the stream. It
// returns false if the stream has ended.
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

// dismissReader implements backend: another response carries the stream now, or
// the stream has ended.
func (c *cluster) dismissReader(st *stream) {
	if w := st.remote.Swap(nil); w != nil {
		c.send(w.handler, relayed{Kind: relayWake, Session: st.session.id, Stream: st.number})
	}
}

// wakeReader notifies the Handler that carries the stream of a new event.
func (c *cluster) wakeReader(st *stream) {
	if w := st.remote.Load(); w != nil {
		c.send(w.handler, relayed{Kind: relayWake, Session: st.session.id, Stream: st.number})
	}
}

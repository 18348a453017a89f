package httpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
)

// The kinds of messages between Handlers. An asked message has a reply, a told
// message may be lost.
const (
	relayAnswer  = "answer"  // asked: a client has answered a question of yours
	relayCancel  = "cancel"  // told all: a client wants a call to end
	relayEnded   = "ended"   // told all: a session has ended
	relayAdopt   = "adopt"   // asked: a session has subscribed to something else
	relayRelease = "release" // asked: the changes of a session are told by me from now on
	relayWatch   = "watch"   // asked: I carry a stream of yours to its client
	relayStill   = "still"   // asked: does your stream go on, and am I its reader?
	relayWake    = "wake"    // told: the stream that you carry has a new event
)

// askTimeout limits the wait for the reply of another Handler.
const askTimeout = 2 * time.Second

type relayed struct {
	Kind    string          `json:"kind"`
	From    string          `json:"from"`
	Session string          `json:"session"`
	Stream  int64           `json:"stream,omitempty"`
	Reader  int64           `json:"reader,omitempty"`
	Claim   uint64          `json:"claim,omitempty"`
	ID      rpc.ID          `json:"id,omitempty"` // of a call or a question
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

type relayReply struct {
	Running bool  `json:"running,omitempty"` // the stream goes on, or changes were followed
	Yours   bool  `json:"yours,omitempty"`   // your response carries it
	Read    int64 `json:"read,omitempty"`    // the last event that was sent to a client
	Last    int64 `json:"last,omitempty"`    // the last event
}

func (c *cluster) encode(m relayed) ([]byte, error) {
	m.From = c.name
	return json.Marshal(m)
}

// send sends a message to one other Handler, or to all if to is empty. The
// message may be lost.
func (c *cluster) send(to string, m relayed) {
	message, err := c.encode(m)
	if err == nil {
		err = c.shared.Tell(to, message)
	}
	if err != nil {
		c.h.opts.Log.Debug("other handlers could not be notified", "what", m.Kind, "error", err)
	}
}

func (c *cluster) broadcast(m relayed) { c.send("", m) }

// ask asks one other, or this one.
func (c *cluster) ask(ctx context.Context, to string, m relayed) (*relayReply, error) {
	message, err := c.encode(m)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var raw []byte
	if to == c.name {
		raw = c.receive(ctx, message)
	} else if raw, err = c.shared.Ask(ctx, to, message); err != nil {
		return nil, err
	}
	reply := new(relayReply)
	if err := json.Unmarshal(raw, reply); err != nil {
		return nil, fmt.Errorf("reading the reply of another handler: %w", err)
	}
	return reply, nil
}

// receive handles a message of another Handler and returns the reply.
func (c *cluster) receive(ctx context.Context, message []byte) []byte {
	var m relayed
	if err := json.Unmarshal(message, &m); err != nil {
		c.h.opts.Log.Warn("the message of another handler cannot be read", "error", err)
		return nil
	}
	if m.Kind == relayWake {
		c.wake(EventStream{Session: m.Session, Number: m.Stream})
		return nil
	}
	var reply relayReply
	if s := c.h.sessions.find(m.Session); s != nil {
		reply = c.serve(ctx, s, &m)
	}
	raw, err := json.Marshal(&reply)
	if err != nil {
		return nil // unreachable: numbers always encode
	}
	return raw
}

// serve handles the message of another Handler about a session.
func (c *cluster) serve(ctx context.Context, s *session, m *relayed) (reply relayReply) {
	switch m.Kind {
	case relayAnswer:
		s.answered(&rpc.Message{Kind: rpc.Response, ID: m.ID, Result: m.Result, Error: m.Error})
	case relayCancel:
		s.cancel(m.ID)
	case relayEnded:
		c.h.sessions.remove(s, errSessionEnded)
	case relayAdopt:
		if rec, err := c.load(ctx, s.id); err == nil {
			s.adopt(rec)
			_ = s.older.Settled(ctx) // the other Handler does not wait for longer
		}
	case relayRelease:
		return s.changes.release(ctx, m.Stream, m.Claim)
	case relayWatch:
		if st := s.opened(m.Stream); st != nil {
			reply.Running = st.watch(remoteReader{m.From, m.Reader})
			reply.Yours = reply.Running
		}
	case relayStill:
		if st := s.opened(m.Stream); st != nil {
			reply.Running, reply.Yours = true, st.isWatchedBy(remoteReader{m.From, m.Reader})
		}
	}
	return reply
}

// opened is the stream of that number that runs here, if there is one.
func (s *session) opened(number int64) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[number]
}

package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// suspendedCalls are calls of clients of 2026-07-28 at upstreams of older revisions that wait for
// an answer. The upstream waits on its connection, while the client's request has ended with
// input_required. The client continues with a random state. The state is valid once, for the same
// principal and the same request.
type suspendedCalls struct {
	limits QuestionLimits

	mu     sync.Mutex // guards closed, calls and open
	closed bool
	calls  map[string]*suspendedCall // by state; calls without a running request
	open   int                       // running calls
	run    group.Group               // goroutines of the calls
}

func (s *suspendedCalls) init(limits QuestionLimits) {
	s.limits, s.calls = limits, make(map[string]*suspendedCall)
}

// statePrefix is the prefix of the state of a suspended call.
const statePrefix = "gw1."

var errHeldTooLong = errors.New("the client did not answer in time")

// suspendedCall is a call that continues between two requests of its client.
type suspendedCall struct {
	binding [sha256.Size]byte // digest of the principal and the request; the next round must have the same
	life    context.Context   // context of the call at the upstream
	cancel  context.CancelCauseFunc
	expire  *time.Timer   // cancels the call after QuestionLimits.HeldFor between two rounds
	signal  chan struct{} // receives a token for each new question
	done    chan struct{} // closed with the call
	// raw, rev and err are the outcome of the call; read them only after done.
	raw json.RawMessage
	rev protocol.Revision
	err error

	mu      sync.Mutex                  // guards the following fields
	asked   int                         // questions so far
	pending map[string]*pendingQuestion // unanswered questions, by key
	request *protocol.Request           // request of the current round; nil between rounds
	missed  []protocol.Notification     // notifications between two rounds, which the next round sends; at most maxMissed
}

// maxMissed limits the notifications that are stored between two rounds.
const maxMissed = 64

// pendingQuestion is a question of the upstream without an answer.
type pendingQuestion struct {
	request protocol.InputRequest
	told    bool                 // sent to the client in the current round
	answer  chan json.RawMessage // receives the answer; has room for it
}

// call serves one round of a call: its first request or a continued one.
func (s *suspendedCalls) call(ctx context.Context, at *connectionPool, req *protocol.Request, params json.RawMessage) (protocol.Result, error) {
	state, responses, err := readAnswers(req.Params)
	if err != nil {
		return nil, err
	}
	var c *suspendedCall
	if state == nil {
		c, err = s.begin(ctx, at, req, params)
	} else {
		c, err = s.resume(req, *state, responses)
	}
	if err != nil {
		return at.m.errorResult(ctx, req, err)
	}
	for {
		select {
		case <-c.done:
			if c.err != nil {
				return at.m.errorResult(ctx, req, c.err)
			}
			return adaptResult(c.raw, c.rev, req)
		case <-c.signal:
			if questions := c.take(); len(questions) > 0 {
				return s.suspend(c, questions)
			}
		case <-ctx.Done():
			c.cancel(context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// begin starts a call that can outlast its request.
func (s *suspendedCalls) begin(ctx context.Context, at *connectionPool, req *protocol.Request, params json.RawMessage) (*suspendedCall, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.open >= s.limits.Held {
		return nil, &busyError{at.m.up.Name, "too many calls wait for answers"}
	}
	s.open++
	c := &suspendedCall{binding: requestBinding(req), signal: make(chan struct{}, 1), done: make(chan struct{}), pending: make(map[string]*pendingQuestion), request: req}
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c.life, c.cancel = life, cancel
	unhook := context.AfterFunc(at.m.life, func() { cancel(context.Cause(at.m.life)) })
	own := &activeCall{caps: req.Meta.Capabilities(), ask: c.ask, notify: c.notify}
	capabilities, err := json.Marshal(own.caps)
	if err != nil {
		capabilities = noCapabilities // unreachable: it was read from JSON
	}
	first := *req
	first.Notify = func(ctx context.Context, n protocol.Notification) error { c.notify(ctx, n); return nil }
	if req.Notify == nil {
		first.Notify = nil
	}
	s.run.Go(func() {
		defer func() {
			unhook()
			cancel(nil)
			close(c.done)
			s.mu.Lock()
			s.open--
			s.mu.Unlock()
		}()
		c.err = errors.New("it failed in an unexpected way")
		c.raw, c.rev, c.err = at.serve(life, &first, params, poolKey{principal: req.Peer.Principal, capabilities: string(capabilities)}, own)
		if life.Err() != nil && c.err != nil {
			c.err = context.Cause(life)
		}
	})
	return c, nil
}

// suspend ends a round with questions to the client.
func (s *suspendedCalls) suspend(c *suspendedCall, questions map[string]protocol.InputRequest) (protocol.Result, error) {
	state := statePrefix + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.cancel(errRemoved)
		return nil, protocol.Errorf(protocol.CodeInternal, "The gateway is closed")
	}
	s.calls[state] = c
	c.expire = group.AfterFunc(s.limits.HeldFor, func() {
		s.mu.Lock()
		waits := s.calls[state] == c
		delete(s.calls, state)
		s.mu.Unlock()
		if waits {
			c.cancel(errHeldTooLong)
		}
	})
	return &protocol.InputRequired{Requests: questions, State: state}, nil
}

// resume continues a suspended call with the client's answers.
func (s *suspendedCalls) resume(req *protocol.Request, state string, responses map[string]json.RawMessage) (*suspendedCall, error) {
	refused := protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: requestState is not valid for this request, or has expired; send the request again without it")
	s.mu.Lock()
	c := s.calls[state]
	if c == nil || !strings.HasPrefix(state, statePrefix) || c.binding != requestBinding(req) {
		s.mu.Unlock()
		return nil, refused
	}
	delete(s.calls, state)
	c.expire.Stop()
	s.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.request = req
	for _, n := range c.missed {
		notifySender(c.life, req, n)
	}
	c.missed = nil
	for key, q := range c.pending {
		if answer, ok := responses[key]; ok && q.told {
			delete(c.pending, key)
			q.answer <- answer
			continue
		}
		q.told = false // unanswered questions are sent again
		c.wake()
	}
	return c, nil
}

func (s *suspendedCalls) close() {
	s.mu.Lock()
	s.closed = true
	for _, c := range s.calls {
		c.expire.Stop()
		c.cancel(errRemoved)
	}
	clear(s.calls)
	s.mu.Unlock()
	s.run.Wait()
}

// ask sends a question of the upstream to the client and waits for the answer.
func (c *suspendedCall) ask(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
	one := &pendingQuestion{request: q, answer: make(chan json.RawMessage, 1)}
	c.mu.Lock()
	if len(c.pending) >= maxQuestions || c.asked >= maxRounds*maxQuestions {
		c.mu.Unlock()
		return nil, protocol.Errorf(protocol.CodeInternal, "Too many questions at once")
	}
	c.asked++
	key := "q" + strconv.Itoa(c.asked)
	c.pending[key] = one
	c.wake()
	c.mu.Unlock()
	select {
	case answer := <-one.answer:
		return answer, nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, key)
		c.mu.Unlock()
		return nil, context.Cause(ctx)
	case <-c.done:
		return nil, errors.New("the call has ended")
	}
}

func (c *suspendedCall) wake() {
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

// take returns the unsent questions, and ends the round if there are any.
func (c *suspendedCall) take() map[string]protocol.InputRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	questions := make(map[string]protocol.InputRequest)
	for key, q := range c.pending {
		if !q.told {
			q.told = true
			questions[key] = q.request
		}
	}
	if len(questions) > 0 {
		c.request = nil
	}
	return questions
}

// notify forwards a notification to the client of the current round.
func (c *suspendedCall) notify(ctx context.Context, n protocol.Notification) {
	c.mu.Lock()
	req := c.request
	if req == nil && len(c.missed) < maxMissed {
		c.missed = append(c.missed, n)
	}
	c.mu.Unlock()
	if req != nil {
		notifySender(ctx, req, n)
	}
}

// notifySender sends a notification to the sender of a request, if the sender wants it.
func notifySender(ctx context.Context, req *protocol.Request, n protocol.Notification) {
	if req.Notify == nil {
		return
	}
	if p, ok := n.(*protocol.ProgressNotification); ok {
		if len(req.Meta.ProgressToken) == 0 {
			return
		}
		own := *p
		own.Token = req.Meta.ProgressToken
		n = &own
	} else if log, ok := n.(*protocol.LogNotification); ok && !req.Meta.LogLevel.Includes(log.Level) {
		return
	}
	_ = req.Notify(ctx, n) // a client that is gone hears nothing
}

// readAnswers parses the state and the answers of a continued request.
func readAnswers(params json.RawMessage) (state *string, responses map[string]json.RawMessage, err error) {
	members := jsonx.Object(params)
	for members.Next() {
		switch members.Name() {
		case "requestState":
			err = json.Unmarshal(members.Value(), &state)
		case "inputResponses":
			err = json.Unmarshal(members.Value(), &responses)
		}
		if err != nil {
			return nil, nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s: %v", members.Name(), err)
		}
	}
	return state, responses, nil
}

// requestBinding returns the hash to which a suspended call is bound: principal, method and params,
// without the order and spacing of members.
func requestBinding(req *protocol.Request) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(req.Peer.Principal), []byte(req.Method), canonical(json.RawMessage(withoutMembers(req.Params, "_meta", "inputResponses", "requestState")))} {
		h.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		h.Write(append([]byte{0}, part...))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// canonical returns JSON with sorted members and without white space. Numbers keep their digits.
func canonical(raw json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

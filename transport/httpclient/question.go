package httpclient

import (
	"bytes"
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

const (
	// answerTimeout bounds how long it takes to send an answer.
	answerTimeout = 30 * time.Second
	// maxPings is how many pings are answered at once.
	maxPings = 4
)

// errDropped is the cause of a question's context when the server takes the
// question back.
var errDropped = errors.New("the server no longer wants an answer")

// questionLimits bounds the questions of a server: the reader of its streams waits
// when there are too many.
type questionLimits struct {
	open    chan struct{} // a place for each question that has come
	running chan struct{} // a place for each that is being answered
	pings   chan struct{}
}

func (a *questionLimits) init(opts transport.Options) {
	running, queue := opts.Concurrency, opts.QueueLength
	if running <= 0 {
		running = 32
	}
	if queue <= 0 {
		queue = 1024
	}
	a.open = make(chan struct{}, running+queue)
	a.running = make(chan struct{}, running)
	a.pings = make(chan struct{}, maxPings)
}

// take takes a place unless ctx ends first.
func take(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// ask answers a request of the server. ctx is that of the call or the session to
// which the request belongs.
func (c *streamableConn) ask(ctx context.Context, s *session, m *rpc.Message) {
	if m.Method == "ping" {
		if id := m.ID; take(ctx, c.asked.pings) {
			c.spawn(func() {
				defer func() { <-c.asked.pings }()
				c.reply(s, id, []byte(`{}`), nil)
			})
		}
		return
	}
	if !take(ctx, c.asked.open) {
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	open := &openQuestion{cancel}
	if !s.enter(m.ID, open) {
		c.wire.log.Warn("the server uses the id of a question that is still open", "id", string(m.ID))
		cancel(nil)
		<-c.asked.open
		return
	}
	id, question := m.ID, protocol.InputRequest{Method: m.Method, Params: bytes.Clone(m.Params)}
	c.spawn(func() {
		defer func() {
			s.drop(id, open)
			<-c.asked.open
		}()
		if !take(ctx, c.asked.running) {
			return
		}
		defer func() { <-c.asked.running }()
		answer, err := c.answer(ctx, question)
		if ctx.Err() == nil { // otherwise the server does not wait
			c.reply(s, id, answer, err)
		}
	})
}

// answer has a question answered by the host. A panic there is the question's
// error.
func (c *streamableConn) answer(ctx context.Context, question protocol.InputRequest) (answer []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.wire.log.Error("panic while answering a question", "method", question.Method, "panic", v, "stack", string(debug.Stack()))
			err = protocol.Errorf(protocol.CodeInternal, "Internal error: %s could not be answered", question.Method)
		}
	}()
	if c.host.Answer == nil {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: the client does not offer %s", question.Method)
	}
	return c.host.Answer(ctx, question)
}

// reply sends the answer to a request of the server's.
func (c *streamableConn) reply(s *session, id rpc.ID, result []byte, err error) {
	message := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...)
	message = append(append(message, result...), '}')
	if err != nil {
		message = rpc.AppendError(nil, id, false, peer.WireError(err, s.speaks()))
	}
	ctx, cancel := context.WithTimeout(c.run, answerTimeout)
	defer cancel()
	if err := c.wire.tell(ctx, c.wire.url, message, s.header()); err != nil {
		c.wire.log.Warn("an answer to the server could not be sent", "reason", err)
	}
}

// openQuestion is a request of the server's that is open.
type openQuestion struct{ cancel context.CancelCauseFunc }

// enter registers a request of the server's, so that it can take it back.
func (s *session) enter(id rpc.ID, q *openQuestion) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.asked[id]; taken {
		return false
	}
	s.asked[id] = q
	return true
}

// drop ends a request of the server's, if it is open, and is q unless that is
// nil.
func (s *session) drop(id rpc.ID, q *openQuestion) {
	s.mu.Lock()
	found, ok := s.asked[id]
	if ok = ok && (q == nil || q == found); ok {
		delete(s.asked, id)
	}
	s.mu.Unlock()
	if ok {
		found.cancel(errDropped)
	}
}

package httpclient

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxSessionID is the longest session id that is accepted, in bytes.
	maxSessionID = 4 << 10
)

// session is a session with a server of an older revision. It begins with
// initialize; the server may forget it at any time.
type session struct {
	run  context.Context // ends with the session or the connection
	stop context.CancelCauseFunc

	mu       sync.Mutex
	id       string // empty when the server does not name it; never shown
	revision protocol.Revision
	pending  map[rpc.ID]chan outcome  // requests of ours
	asked    map[rpc.ID]*openQuestion // requests of the server
}

// outcome is how one request of ours ends.
type outcome struct {
	result []byte
	err    error
	// elsewhere says that it did not come on the request's own streams.
	elsewhere bool
}

func newSession(c *streamableConn) *session {
	s := &session{pending: make(map[rpc.ID]chan outcome), asked: make(map[rpc.ID]*openQuestion)}
	s.run, s.stop = context.WithCancelCause(c.run)
	return s
}

// header returns the headers of each request of the session.
func (s *session) header() http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := make(http.Header, 8)
	if s.id != "" {
		h.Set(mcpheader.SessionID, s.id)
	}
	if s.revision != "" {
		h.Set(mcpheader.Version, string(s.revision))
	}
	return h
}

// agree sets the revision of the session.
func (s *session) agree(rev protocol.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev.Known() {
		s.revision = rev
	}
}

// initialized reads the session's id from the response to initialize.
func (s *session) initialized(resp *http.Response) error {
	id := resp.Header.Get(mcpheader.SessionID)
	if len(id) > maxSessionID {
		return errors.New("the server's session id is too long")
	}
	for _, c := range []byte(id) {
		if c < 0x21 || c > 0x7e {
			return errors.New("the server's session id is not of visible ASCII characters")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = id
	return nil
}

// named reports whether the server has given the session an id, without which it
// cannot be lost.
func (s *session) named() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id != ""
}

// speaks is the revision of the session, empty before it is agreed.
func (s *session) speaks() protocol.Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// expect registers a request of ours.
func (s *session) expect(id rpc.ID) <-chan outcome {
	answer := make(chan outcome, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[id] = answer
	return answer
}

// settle passes a response to the waiting call. It returns false if no call
// waits.
func (s *session) settle(id rpc.ID, a outcome) bool {
	s.mu.Lock()
	answer, ok := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if ok {
		answer <- a
	}
	return ok
}

// forget takes back expect.
func (s *session) forget(id rpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// isLost reports whether err says that the server has forgotten the session
// (2025-11-25, basic/transports, "Session Management"), rather than that it does
// not know a method.
func (s *session) isLost(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) || status.Code != http.StatusNotFound || !s.named() {
		return false
	}
	return status.rpc == nil || status.rpc.Code != protocol.CodeMethodNotFound
}

// mayBeLost reports whether err may say that the server has forgotten the
// session. Some servers answer 400 instead of 404, as they do to a request that
// is wrong in another way: only a ping in the session tells the two apart.
func (s *session) mayBeLost(err error) bool {
	var status *StatusError
	return s.isLost(err) || errors.As(err, &status) && status.Code == http.StatusBadRequest && s.named()
}

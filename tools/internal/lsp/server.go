package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// Server keeps a session alive for its callers. The zero value with a Config is ready to use.
type Server struct {
	Config Config
	// Backoff is how long to wait before a start that follows a failure; it doubles with each. 0 is half a second.
	Backoff time.Duration
	// Window is how close together MaxFailures must come for the server to be given up for that long. 0 is five minutes.
	Window time.Duration
	// Changed is called, from goroutines of the Server, when a session has started, has ended or could not be started.
	Changed func()

	work     group.Group
	mu       sync.Mutex
	session  *Session
	starting *attempt
	failures []time.Time // the newest last
	last     error       // the newest failure
	closed   bool
}

// MaxFailures is how many starts and lives may fail in a Window.
const MaxFailures = 3

// attempt is a start that goes on, for whoever waits for it.
type attempt struct {
	done    chan struct{}
	cancel  context.CancelFunc
	session *Session
	err     error
}

// ErrGivenUp is a server that has failed too often.
var ErrGivenUp = errors.New("it has failed too often")

// Session answers the running session, or starts one. The start goes on when the context ends before it does, so that a later
// call finds it.
func (s *Server) Session(ctx context.Context) (*Session, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, &Error{Peer: s.Config.Name, Err: ErrClosed}
	}
	if s.session != nil {
		session := s.session
		select {
		case <-session.Done(): // its watcher has not processed the end yet
			s.endedLocked(session)
		case <-session.life.Failing():
			s.mu.Unlock()
			select {
			case <-session.Done():
				return s.Session(ctx)
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		default:
			s.mu.Unlock()
			return session, nil
		}
	}
	a := s.starting
	if a == nil {
		var err error
		if a, err = s.beginLocked(); err != nil {
			s.mu.Unlock()
			return nil, err
		}
	}
	s.mu.Unlock()
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Running answers the session without starting one.
func (s *Server) Running() (session *Session, starting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && s.session.life.Failure() == nil {
		session = s.session
	}
	return session, s.starting != nil
}

// beginLocked starts a session in a goroutine, after a pause if the last one has failed.
func (s *Server) beginLocked() (*attempt, error) {
	now := time.Now()
	n := s.recentFailuresLocked(now)
	if n >= MaxFailures {
		return nil, &Error{Peer: s.Config.Name, Err: fmt.Errorf("%w, %d times within %v; the last time: %w", ErrGivenUp, n, s.window(), s.last), Words: words(s.last)}
	}
	var pause time.Duration
	if n > 0 {
		pause = cmp.Or(s.Backoff, 500*time.Millisecond)<<(n-1) - now.Sub(s.failures[n-1])
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := &attempt{done: make(chan struct{}), cancel: cancel}
	s.starting = a
	s.work.Go(func() { s.start(ctx, a, pause) })
	return a, nil
}

func (s *Server) window() time.Duration { return cmp.Or(s.Window, 5*time.Minute) }

// recentFailuresLocked returns the number of failures in the Window, and forgets older ones. The caller holds mu.
func (s *Server) recentFailuresLocked(now time.Time) int {
	for len(s.failures) > 0 && now.Sub(s.failures[0]) > s.window() {
		s.failures = s.failures[1:]
	}
	return len(s.failures)
}

// GivenUp reports whether Session would return ErrGivenUp.
func (s *Server) GivenUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recentFailuresLocked(time.Now()) >= MaxFailures
}

func words(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Words
	}
	return ""
}

func (s *Server) start(ctx context.Context, a *attempt, pause time.Duration) {
	defer a.cancel()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		a.session, a.err = Start(ctx, s.Config)
	case <-ctx.Done():
		a.err = &Error{Peer: s.Config.Name, Doing: "starting", Err: ErrClosed}
	}
	s.mu.Lock()
	s.starting = nil
	switch {
	case a.err == nil:
		s.session = a.session
		s.work.Go(func() { s.watch(a.session) })
	case ctx.Err() == nil:
		s.failedLocked(a.err)
	}
	s.mu.Unlock()
	close(a.done)
	s.changed()
}

func (s *Server) changed() {
	if s.Changed != nil {
		s.Changed()
	}
}

// watch notes the end of a session.
func (s *Server) watch(session *Session) {
	<-session.Done()
	session.work.Wait()
	s.mu.Lock()
	s.endedLocked(session)
	s.mu.Unlock()
	s.changed()
}

func (s *Server) endedLocked(session *Session) {
	if s.session != session {
		return
	}
	s.session = nil
	if err := session.Err(); !errors.Is(err, ErrClosed) {
		s.failedLocked(err)
	}
}

func (s *Server) failedLocked(err error) {
	s.failures = append(s.failures, time.Now())
	s.last = err
}

// Stop ends the session, if there is one. The next call of Session starts another.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	session, a := s.session, s.starting
	s.mu.Unlock()
	if a != nil {
		a.cancel()
		<-a.done
		s.mu.Lock()
		session = s.session
		s.mu.Unlock()
	}
	if session == nil {
		return nil
	}
	return session.Close(ctx)
}

// Close ends the session for good.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.Stop(ctx)
	s.work.Wait()
	return err
}

// Forgive forgets all failures, so that a server that was given up is started again when it is asked.
func (s *Server) Forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = nil
}

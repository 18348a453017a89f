package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
)

// linger is how long events wait for others to be written with.
const linger = 20 * time.Millisecond

// write writes the events of the agent, or signs of life, until all events of an ended agent
// are written. When the run is lost it ends the agent, and its error is the reason.
func (s *session) write(ended <-chan struct{}) (fenced error) {
	defer func() {
		if fenced != nil {
			s.stop(fenced)
		}
	}()
	tick := time.NewTicker(s.lease / beats)
	defer tick.Stop()
	for over := false; ; {
		beat := false
		if !over {
			select {
			case <-s.news:
				_ = wait.Sleep(s.ctx, linger) // a closing server does not wait
			case <-s.hint:
				beat = true // writing a sign of life reads the message of the executor
			case <-tick.C:
				beat = true
				if err := s.watch(); err != nil {
					return err
				}
			case <-ended:
				over = true
			}
		}
		batch := s.batch()
		switch {
		case len(batch) > 0:
			if err := s.add(kindEvents, encode(batch)); err != nil {
				return err
			}
			poke(s.news) // there may be more
		case over:
			return nil
		case beat && time.Since(s.heard) > s.lease/beats/2 || beat && s.hasUnread():
			if err := s.add(kindBeat, nil); err != nil {
				return err
			}
		}
	}
}

// hasUnread reports that there is something to read in the log.
func (s *session) hasUnread() bool {
	l := s.log // as it was
	m, err := l.next(context.WithoutCancel(s.ctx))
	return m != nil || err != nil
}

// cutoff is until when NATS must have taken the next message: half a lease before others may begin the run
// anew, so that there is time to end the agent. One that has ended needs none.
func (s *session) cutoff() time.Time {
	if s.over {
		return s.heard.Add(4 * s.lease)
	}
	return s.heard.Add(s.lease / 2)
}

// add adds a message to the log, and reads the messages of the executor first. An error means that the run is lost.
func (s *session) add(kind string, v any) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(s.ctx), s.cutoff())
	defer cancel()
	m, err := s.log.message(kind, v)
	if err != nil {
		return err
	}
	for {
		began := time.Now()
		err := s.log.put(ctx, m)
		if err == nil {
			s.heard = began
			s.hintServer()
			return nil
		}
		if errors.Is(err, errOvertaken) {
			err = s.read(ctx)
		}
		if errors.Is(err, errFenced) {
			return err
		}
		if err != nil && wait.Sleep(ctx, firstPause*5) != nil {
			return fmt.Errorf("NATS was not reached for half of the lease: %w", err)
		}
	}
}

// read handles a message of the executor: a cancellation, or the loss of the run.
func (s *session) read(ctx context.Context) error {
	m, err := s.log.next(ctx)
	switch {
	case err != nil:
		return err
	case m == nil:
		gone, err := s.log.lost(ctx)
		switch {
		case err != nil:
			return err
		case gone:
			return errFenced
		}
		return errInFlight // the predecessor is not readable yet
	case m.Header.Get(headerKind) != kindCancel:
		return errFenced
	}
	s.stop(errCancelled)
	return nil
}

// watch looks whether the server lives that has ordered the run.
func (s *session) watch() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.lease/beats)
	defer cancel()
	m, err := s.r.s.latest(ctx, "looking for the server", s.r.s.aliveStream, s.r.s.key("agent-alive", "server."+s.order.Owner))
	switch {
	case err != nil || m != nil: // unknown while NATS is not reachable
		s.missing = time.Time{}
	case s.missing.IsZero():
		s.missing = time.Now()
	case time.Since(s.missing) > s.lease:
		return errOrphaned
	}
	return nil
}

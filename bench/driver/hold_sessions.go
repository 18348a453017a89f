package driver

import (
	"context"
	"fmt"
	"net/url"
)

// openedSessions are sessions over few connections.
type openedSessions struct {
	workers []*posts
	ids     []string // the i-th session was opened by worker i modulo the number of workers
	call    call
}

func openSessions(c call) func(context.Context, *url.URL, int) (opened, error) {
	return func(ctx context.Context, u *url.URL, n int) (opened, error) {
		s := &openedSessions{ids: make([]string, n), call: c}
		for range min(atATime, n) {
			worker, err := dialPosts(ctx, u, 1)
			if err != nil {
				s.hangUp()
				return nil, err
			}
			worker.revision = protocol
			s.workers = append(s.workers, worker)
		}
		err := sideBySide(ctx, n, func(ctx context.Context, i int) error {
			worker := s.workers[i%atATime]
			err := worker.open(ctx)
			s.ids[i] = worker.session
			return err
		})
		if err != nil {
			s.hangUp()
			return nil, err
		}
		return s, nil
	}
}

// refused makes a call in some of the sessions.
func (s *openedSessions) refused(ctx context.Context) (int, error) {
	x := exchange{request: s.call.request, first: firstID, calls: 1, inFlight: 1, every: 1}
	n := len(s.ids)
	for i := 0; i < n; i += max(1, n/32) {
		worker := s.workers[i%atATime]
		worker.session = s.ids[i]
		if _, err := warmUp(ctx, worker, x, s.call.check); err != nil {
			return 0, fmt.Errorf("call in session %d of %d: %w", i+1, n, err)
		}
	}
	return 0, nil
}

// close ends the sessions, if the server supports it.
func (s *openedSessions) close(ctx context.Context) {
	defer s.hangUp()
	_ = sideBySide(ctx, len(s.ids), func(ctx context.Context, i int) error {
		c := s.workers[i%atATime]
		_, err := fmt.Fprintf(c.conns[0], "DELETE %s HTTP/1.1\r\nHost: %s\r\nMcp-Protocol-Version: %s\r\nMcp-Session-Id: %s\r\n\r\n",
			c.url.Path, c.url.Host, c.revision, s.ids[i])
		if err == nil {
			_, _, err = c.conns[0].read()
		}
		return err // remaining sessions show in the measurement
	})
}

func (s *openedSessions) hangUp() {
	for _, w := range s.workers {
		w.close()
	}
}

package jwt

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

const (
	// freshFor is how long the keys of an issuer are believed.
	freshFor = 10 * time.Minute
	// usableFor is how long they are used while the issuer does not answer: a key that
	// was withdrawn counts no longer than that.
	usableFor = time.Hour
	// between is how often an issuer is asked because of a key that it did not have.
	between = time.Minute
	// again is how often it is asked while it does not answer.
	again = 5 * time.Second
	// patience is how long that may take.
	patience = 15 * time.Second
	// maxUnnamed is how many keys are tried for a token that does not name its own.
	maxUnnamed = 4
)

// keySet are the keys of an issuer.
type keySet struct {
	issuer, fixed string // fixed is where its keys are; empty if its metadata say so
	client        *http.Client

	mu      sync.Mutex
	keys    []*jwk.Key
	fetched time.Time
	tried   time.Time
	failure error         // of the last try
	busy    chan struct{} // closed when the present try ends
}

// find returns the keys that may have made a signature.
func (s *keySet) find(ctx context.Context, id, algorithm string) ([]*jwk.Key, error) {
	now := time.Now()
	s.mu.Lock()
	age, idle := now.Sub(s.fetched), now.Sub(s.tried)
	found := s.fitting(id, algorithm)
	s.mu.Unlock()
	if age > usableFor || age > freshFor && idle > between || found == nil && idle > between {
		if err := s.refresh(ctx); err != nil && ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", auth.ErrUnavailable, context.Cause(ctx))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch found = s.fitting(id, algorithm); {
	case time.Since(s.fetched) > usableFor, found == nil && s.failure != nil:
		return nil, fmt.Errorf("%w: the keys of %.200s: %w", auth.ErrUnavailable, s.issuer, s.failure)
	case found == nil:
		return nil, errors.New("it is signed with a key that its issuer does not have")
	case id == "" && len(found) > maxUnnamed:
		return nil, errors.New("it does not name its key, and its issuer has many")
	}
	return found, nil
}

// fitting are the keys of a name, or of any, that an algorithm can have; the lock is held.
func (s *keySet) fitting(id, algorithm string) (found []*jwk.Key) {
	for _, key := range s.keys {
		if (id == "" || key.ID == id) && key.Fits(algorithm) {
			found = append(found, key)
		}
	}
	return found
}

// refresh asks the issuer, or waits for who is doing that. It goes on when its caller
// leaves, for others may wait for it too.
func (s *keySet) refresh(ctx context.Context) error {
	s.mu.Lock()
	if busy := s.busy; busy != nil {
		s.mu.Unlock()
		select {
		case <-busy:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if s.failure != nil && time.Since(s.tried) < again {
		defer s.mu.Unlock()
		return s.failure
	}
	done := make(chan struct{})
	s.busy, s.tried = done, time.Now()
	s.mu.Unlock()

	keys, err := []*jwk.Key(nil), errors.New("asking for them has failed in an unexpected way")
	defer func() { // also after a panic
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.failure = err; err == nil {
			s.keys, s.fetched = keys, time.Now()
		}
		s.busy, s.tried = nil, time.Now()
		close(done)
	}()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	keys, err = s.fetch(limited)
	return err
}

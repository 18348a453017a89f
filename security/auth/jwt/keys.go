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
	// keyRefreshAge is the age at which the keys of an issuer are fetched again.
	keyRefreshAge = 10 * time.Minute
	// keyMaxAge is the age up to which keys are used while the issuer is unavailable. It is also
	// the limit for the use of a withdrawn key.
	keyMaxAge = time.Hour
	// unknownKeyInterval is the minimum time between fetches because of an unknown key or keys older
	// than keyRefreshAge.
	unknownKeyInterval = time.Minute
	// retryInterval is the minimum time between fetches after a failure.
	retryInterval = 5 * time.Second
	// fetchTimeout limits one fetch.
	fetchTimeout = 15 * time.Second
	// maxUnnamed limits the keys that are tried for a token without a key ID.
	maxUnnamed = 4
)

// keySet is the cached keys of an issuer. mu guards the fields below it.
type keySet struct {
	issuer, url string // url is the address of the keys; empty to use the issuer's metadata
	client      *http.Client

	mu        sync.Mutex
	keys      []*jwk.Key
	fetched   time.Time
	attempted time.Time
	lastErr   error         // error of the last fetch; nil after success
	fetching  chan struct{} // closed at the end of the running fetch; nil if none
}

// find returns the keys that can verify a signature. It fetches the keys if they are old or the key
// is unknown.
func (s *keySet) find(ctx context.Context, id, algorithm string) ([]*jwk.Key, error) {
	now := time.Now()
	s.mu.Lock()
	age, idle := now.Sub(s.fetched), now.Sub(s.attempted)
	found := s.matching(id, algorithm)
	s.mu.Unlock()
	if age > keyMaxAge || age > keyRefreshAge && idle > unknownKeyInterval || found == nil && idle > unknownKeyInterval {
		if err := s.refresh(ctx); err != nil && ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", auth.ErrUnavailable, context.Cause(ctx))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch found = s.matching(id, algorithm); {
	case time.Since(s.fetched) > keyMaxAge, found == nil && s.lastErr != nil:
		return nil, fmt.Errorf("%w: the keys of %.200s: %w", auth.ErrUnavailable, s.issuer, s.lastErr)
	case found == nil:
		return nil, errors.New("it is signed with a key that its issuer does not have")
	case id == "" && len(found) > maxUnnamed:
		return nil, errors.New("it does not name its key, and its issuer has many")
	}
	return found, nil
}

// matching returns the keys with an ID, or all if it is empty, that support the algorithm. The
// caller holds the lock.
func (s *keySet) matching(id, algorithm string) (found []*jwk.Key) {
	for _, key := range s.keys {
		if (id == "" || key.ID == id) && key.Supports(algorithm) {
			found = append(found, key)
		}
	}
	return found
}

// refresh fetches the keys or waits for a running fetch. Cancelling ctx does not cancel the fetch,
// because other callers wait for it.
func (s *keySet) refresh(ctx context.Context) error {
	s.mu.Lock()
	if busy := s.fetching; busy != nil {
		s.mu.Unlock()
		select {
		case <-busy:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if s.lastErr != nil && time.Since(s.attempted) < retryInterval {
		defer s.mu.Unlock()
		return s.lastErr
	}
	done := make(chan struct{})
	s.fetching, s.attempted = done, time.Now()
	s.mu.Unlock()

	keys, err := []*jwk.Key(nil), errors.New("the request failed unexpectedly")
	defer func() { // runs after a panic, too
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.lastErr = err; err == nil {
			s.keys, s.fetched = keys, time.Now()
		}
		s.fetching, s.attempted = nil, time.Now()
		close(done)
	}()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
	defer cancel()
	keys, err = s.fetch(limited)
	return err
}

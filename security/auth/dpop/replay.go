package dpop

import (
	"crypto/sha256"
	"sync"
	"time"
)

// share is the part of what is remembered that the proofs of one key may fill: the
// holder of a key keeps nobody else out.
const share = 8

// seen are the proofs that were used. Those of two spans of time are known: each
// span is as long as a proof can be good for, so that none is forgotten too early.
type seen struct {
	mu       sync.Mutex
	now, old map[[16]byte]struct{}
	keys     map[string]int // proofs of each key in now
	until    time.Time      // the end of now
}

// verdict is what becomes of a proof.
type verdict uint8

const (
	isNew verdict = iota
	isReplayed
	isTooMany
)

// add remembers a proof of a key, unless it is known or there are as many as may be.
func (s *seen) add(thumbprint, id string, span time.Duration, most int) verdict {
	sum := sha256.Sum256([]byte(thumbprint + "\x00" + id))
	entry := [16]byte(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(time.Now(), span)
	_, now := s.now[entry]
	_, old := s.old[entry]
	switch {
	case now || old:
		return isReplayed
	case len(s.now) >= most/2 || s.keys[thumbprint] >= max(most/2/share, 1):
		return isTooMany
	}
	s.now[entry] = struct{}{}
	s.keys[thumbprint]++
	return isNew
}

// turn forgets what is over; the lock is held.
func (s *seen) turn(at time.Time, span time.Duration) {
	if s.now != nil && at.Before(s.until) {
		return
	}
	s.old = s.now
	if at.Sub(s.until) >= span {
		s.old = nil
	}
	s.now, s.keys, s.until = make(map[[16]byte]struct{}), make(map[string]int), at.Add(span)
}

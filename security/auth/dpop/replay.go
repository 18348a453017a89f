package dpop

import (
	"crypto/sha256"
	"sync"
	"time"
)

// keyFraction limits one key to 1/keyFraction of the entries, so that it cannot block other keys.
const keyFraction = 8

// replayCache records used proofs in two consecutive periods. A period is as long as a proof is
// valid, so no entry is removed too early.
type replayCache struct {
	mu                sync.Mutex
	current, previous map[[16]byte]struct{}
	keys              map[string]int // number of proofs of each key in current
	until             time.Time      // end of the period of current
}

// outcome is the result of replayCache.add.
type outcome uint8

const (
	added outcome = iota
	replayed
	cacheFull
)

// add records the proof id of a key unless it is recorded already or the limit most is reached.
func (s *replayCache) add(thumbprint, id string, span time.Duration, most int) outcome {
	sum := sha256.Sum256([]byte(thumbprint + "\x00" + id))
	entry := [16]byte(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rotate(time.Now(), span)
	_, now := s.current[entry]
	_, old := s.previous[entry]
	switch {
	case now || old:
		return replayed
	case len(s.current) >= most/2 || s.keys[thumbprint] >= max(most/2/keyFraction, 1):
		return cacheFull
	}
	s.current[entry] = struct{}{}
	s.keys[thumbprint]++
	return added
}

// rotate starts a new period if the current one has ended. The caller holds the lock.
func (s *replayCache) rotate(at time.Time, span time.Duration) {
	if s.current != nil && at.Before(s.until) {
		return
	}
	s.previous = s.current
	if at.Sub(s.until) >= span {
		s.previous = nil
	}
	s.current, s.keys, s.until = make(map[[16]byte]struct{}), make(map[string]int), at.Add(span)
}

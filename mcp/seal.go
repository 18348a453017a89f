package mcp

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// maxState is the most that requestState may hold, in bytes.
	maxState = 64 << 10
	// stateVersion begins every sealed state.
	stateVersion = "d1."
	// maxSpent bounds the consents that are remembered as used.
	maxSpent = 100_000
)

// SpentStore remembers which consents were used, for servers that share StateKeys: a consent that one of them has used must be
// refused by the others, and by all of them after a restart for as long as the keys live. Package security/spent keeps them in a
// directory.
type SpentStore interface {
	// Spend records that the consent with this id was used; the record is needed until the given time. It returns false if the
	// consent was used before, by whatever server. Of several calls at once for one id, exactly one returns true. An error means
	// that nothing is known; the consent does not count then.
	Spend(ctx context.Context, id string, until time.Time) (bool, error)
}

// sealer makes requestState: readable and changeable by nobody but servers that
// share its keys, and bound to principal, method and arguments.
type sealer struct {
	aeads  []cipher.AEAD // the first seals, all open
	ttl    time.Duration
	now    func() time.Time
	store  SpentStore // nil: consents count at the instance that has asked for them
	issuer string     // this instance

	mu    sync.Mutex
	spent map[string]time.Time // nonces of used consents, until they expire
}

func newSealer(keys [][]byte, ttl time.Duration, store SpentStore) (*sealer, error) {
	s := &sealer{ttl: ttl, now: time.Now, store: store, issuer: rand.Text(), spent: make(map[string]time.Time)}
	if len(keys) == 0 {
		key := make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return nil, fmt.Errorf("making a key: %w", err)
		}
		keys = [][]byte{key}
	}
	for i, key := range keys {
		if len(key) != 32 {
			return nil, fmt.Errorf("state key %d has %d bytes; it must have 32", i, len(key))
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("state key %d: %w", i, err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("state key %d: %w", i, err)
		}
		s.aeads = append(s.aeads, aead)
	}
	return s, nil
}

// seal returns the state for the next round.
func (s *sealer) seal(state journalState, binding []byte) (string, error) {
	state.Nonce, state.Issuer = rand.Text(), s.issuer
	state.Expires = s.now().Add(s.ttl).Unix()
	plain, err := json.Marshal(state)
	if err != nil {
		return "", fmt.Errorf("encoding the state of the call: %w", err)
	}
	sealed := s.aeads[0].Seal(nil, nil, plain, binding)
	if n := base64.RawURLEncoding.EncodedLen(len(sealed)) + len(stateVersion); n > maxState {
		return "", fmt.Errorf("the state of the call has %d bytes; at most %d can be carried", n, maxState)
	}
	return stateVersion + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// open reads a state that a client sent back. Any failure is the same protocol
// error: it tells a forger nothing.
func (s *sealer) open(text string, binding []byte) (journalState, error) {
	refused := Errorf(CodeInvalidParams, "Invalid params: requestState is not valid for this request, or has expired; send the request again without it")
	var state journalState
	if len(text) > maxState || len(text) < len(stateVersion) || text[:len(stateVersion)] != stateVersion {
		return state, refused
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text[len(stateVersion):])
	if err != nil {
		return state, refused
	}
	for _, aead := range s.aeads {
		plain, err := aead.Open(nil, nil, sealed, binding)
		if err != nil {
			continue
		}
		if json.Unmarshal(plain, &state) != nil || s.now().Unix() >= state.Expires {
			return journalState{}, refused
		}
		return state, nil
	}
	return state, refused
}

// spend records that the consent in a state was used. It returns false when it was before, or when that cannot be known: another
// instance has asked for the consent, and there is no store that both use.
func (s *sealer) spend(ctx context.Context, state *journalState) (bool, error) {
	until := time.Unix(state.Expires, 0)
	if state.Issuer != s.issuer && s.store == nil || !s.remember(state.Nonce, until) {
		return false, nil
	}
	if s.store == nil {
		return true, nil
	}
	fresh, err := s.store.Spend(ctx, state.Nonce, until)
	if err != nil {
		return false, &ToolError{Code: "UNAVAILABLE", Message: "the user's consent cannot be recorded as used, so it does not count", Next: "call again later", Err: err}
	}
	return fresh, nil
}

// remember is spend for this process alone.
func (s *sealer) remember(nonce string, until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.spent[nonce]; used {
		return false
	}
	if len(s.spent) >= maxSpent {
		now := s.now()
		maps.DeleteFunc(s.spent, func(_ string, until time.Time) bool { return now.After(until) })
		if len(s.spent) >= maxSpent {
			return false
		}
	}
	s.spent[nonce] = until
	return true
}

// binding is what a state is good for: one principal, one method, one subject
// such as a tool's name, and the same arguments whatever the order and spacing
// of their members.
func binding(principal, method, subject string, args json.RawMessage) []byte {
	h := sha256.New()
	for _, part := range []string{principal, method, subject, canonical(args)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// canonical is the JSON of raw with sorted members and no white space; numbers
// keep their digits.
func canonical(raw json.RawMessage) string {
	if len(raw) == 0 || isNull(raw) {
		return "{}"
	}
	v, err := decodeExact(raw)
	if err != nil {
		return string(raw)
	}
	return string(mustMarshal(nil, v))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

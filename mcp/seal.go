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

	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxState limits requestState, in bytes.
	maxState = 64 << 10
	// stateVersion is the prefix of every request state.
	stateVersion = "d1."
	// maxSpent limits the used consents that a server remembers.
	maxSpent = 100_000
)

// SpentStore records used consents for servers that share StateKeys. If one of them has used a
// consent, the others must refuse it, also after a restart while the keys are in use. Package
// security/spent implements it in a directory.
type SpentStore interface {
	// Spend records that the consent with this id was used, and keeps the record until the given
	// time. It returns false if any server has used the consent before. Of concurrent calls for one
	// id, exactly one returns true. After an error the consent does not count.
	Spend(ctx context.Context, id string, until time.Time) (bool, error)
}

// sealer encrypts and decrypts requestState. Only servers that share its keys can read or change
// it. A state is bound to principal, method and arguments.
type sealer struct {
	aeads  []cipher.AEAD    // the first one encrypts, all decrypt
	ttl    time.Duration    // lifetime of a state
	now    func() time.Time // clock
	store  SpentStore       // nil: a consent counts only at the instance that asked for it
	issuer string           // random name of this instance

	mu         sync.Mutex
	usedNonces map[string]time.Time // nonces of used consents, with their expiry
}

// newSealer returns a sealer with these keys of 32 bytes. Without keys it generates one.
func newSealer(keys [][]byte, ttl time.Duration, store SpentStore) (*sealer, error) {
	s := &sealer{ttl: ttl, now: time.Now, store: store, issuer: rand.Text(), usedNonces: make(map[string]time.Time)}
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

// seal encrypts state for the next request. binding is the result of function binding.
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

// open decrypts a state that a client returned. All failures are the same protocol error, so that
// it gives an attacker no information.
func (s *sealer) open(text string, binding []byte) (journalState, error) {
	refused := protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: requestState is not valid for this request, or has expired; send the request again without it")
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

// useConsent records the use of the consent in state. It returns false if the consent was used before.
// It also returns false if another instance asked for the consent and no common store exists.
func (s *sealer) useConsent(ctx context.Context, state *journalState) (bool, error) {
	until := time.Unix(state.Expires, 0)
	if state.Issuer != s.issuer && s.store == nil || !s.recordNonce(state.Nonce, until) {
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

// recordNonce records a nonce in the memory of this process. It returns false if the nonce was used
// before or the memory is full.
func (s *sealer) recordNonce(nonce string, until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.usedNonces[nonce]; used {
		return false
	}
	if len(s.usedNonces) >= maxSpent {
		now := s.now()
		maps.DeleteFunc(s.usedNonces, func(_ string, until time.Time) bool { return now.After(until) })
		if len(s.usedNonces) >= maxSpent {
			return false
		}
	}
	s.usedNonces[nonce] = until
	return true
}

// binding returns a digest of the request that a state is valid for: principal, method, subject
// (for example the name of a tool) and arguments. Order and spacing of JSON members do not matter.
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

// canonical returns the JSON of raw with sorted members and without white space. Numbers keep their
// digits.
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

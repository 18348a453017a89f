package dpop

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"
)

// Nonces are values that a server gives its clients and wants to see in their
// proofs, so that none can be made in advance (RFC 9449 §8, §9). They are not
// remembered: each says when it was made, sealed with a key. The zero value is ready.
type Nonces struct {
	// Key seals nonces. Instances of a server that have the same take each other's.
	// Default: a random one.
	Key []byte
	// Lifetime is how often the nonce changes; each is taken for as long again.
	// Default 5 minutes.
	Lifetime time.Duration

	once   sync.Once
	random [32]byte
}

// macSize is how much of the seal is kept, in bytes.
const macSize = 16

// Now is the nonce that clients shall use.
func (n *Nonces) Now() string { return n.at(n.period(time.Now())) }

// known reports whether a nonce is the present one or that before.
func (n *Nonces) known(nonce string) bool {
	now := n.period(time.Now())
	return hmac.Equal([]byte(nonce), []byte(n.at(now))) || hmac.Equal([]byte(nonce), []byte(n.at(now-1)))
}

func (n *Nonces) period(at time.Time) int64 {
	lifetime := n.Lifetime
	if lifetime <= 0 {
		lifetime = 5 * time.Minute
	}
	return at.UnixNano() / int64(lifetime)
}

func (n *Nonces) at(period int64) string {
	key := n.Key
	if len(key) == 0 {
		n.once.Do(func() { _, _ = rand.Read(n.random[:]) }) // it never fails
		key = n.random[:]
	}
	raw := binary.BigEndian.AppendUint64(nil, uint64(period))
	seal := hmac.New(sha256.New, key)
	_, _ = seal.Write(raw)
	return base64.RawURLEncoding.EncodeToString(append(raw, seal.Sum(nil)[:macSize]...))
}

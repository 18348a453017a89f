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

// Nonces creates and checks server nonces for proofs (RFC 9449 §8, §9). It stores none: each nonce
// contains its period and a MAC. The zero value is ready to use and safe for concurrent use.
type Nonces struct {
	// Key authenticates the nonces. Instances of a server with the same Key accept each other's
	// nonces. Default: a random key.
	Key []byte
	// Lifetime is the interval after which the nonce changes. The previous nonce is accepted for
	// one more interval. Default 5 minutes.
	Lifetime time.Duration

	once   sync.Once
	random [32]byte
}

// macSize is the length of the truncated MAC, in bytes.
const macSize = 16

// Now returns the current nonce, for the DPoP-Nonce header.
func (n *Nonces) Now() string { return n.nonce(n.period(time.Now())) }

// isValid reports whether a nonce is the current or the previous one.
func (n *Nonces) isValid(nonce string) bool {
	now := n.period(time.Now())
	return hmac.Equal([]byte(nonce), []byte(n.nonce(now))) || hmac.Equal([]byte(nonce), []byte(n.nonce(now-1)))
}

func (n *Nonces) period(at time.Time) int64 {
	lifetime := n.Lifetime
	if lifetime <= 0 {
		lifetime = 5 * time.Minute
	}
	return at.UnixNano() / int64(lifetime)
}

func (n *Nonces) nonce(period int64) string {
	key := n.Key
	if len(key) == 0 {
		n.once.Do(func() { _, _ = rand.Read(n.random[:]) }) // rand.Read never fails
		key = n.random[:]
	}
	raw := binary.BigEndian.AppendUint64(nil, uint64(period))
	seal := hmac.New(sha256.New, key)
	_, _ = seal.Write(raw)
	return base64.RawURLEncoding.EncodeToString(append(raw, seal.Sum(nil)[:macSize]...))
}

package oauth

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
)

// Prover makes the proofs of DPoP (RFC 9449 §4): *dpop.Key of package security/auth/dpop is one.
type Prover interface {
	// Proof signs that this client makes a request. token is empty at a token endpoint; nonce is empty when the server has given
	// none.
	Proof(method, target, token, nonce string) (string, error)
	// Thumbprint is the JWK thumbprint of the key.
	Thumbprint() string
}

// maxNonce is the longest nonce that is repeated, in bytes.
const maxNonce = 1 << 10

// prover makes proofs with the nonces that servers have given. Nil makes none.
type prover struct {
	Prover

	mu     sync.Mutex
	nonces lru.Cache[string, string] // by origin
}

func newProver(key Prover) *prover {
	if key == nil {
		return nil
	}
	return &prover{Prover: key, nonces: lru.Cache[string, string]{MaxEntries: 64, MaxSize: 64 * maxNonce}}
}

// prove puts a new proof into the header of a request.
func (p *prover) prove(header http.Header, method, target, token string) error {
	if p == nil {
		return nil
	}
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	p.mu.Lock()
	nonce, _ := p.nonces.Get(origin(u))
	p.mu.Unlock()
	proof, err := p.Proof(method, target, token, nonce)
	if err != nil {
		return err
	}
	header.Set("DPoP", proof)
	return nil
}

// note remembers the nonce of a response, and reports whether it is a new one (RFC 9449 §8.2).
func (p *prover) note(target string, header http.Header) bool {
	nonce := header.Get("DPoP-Nonce")
	if p == nil || nonce == "" || len(nonce) > maxNonce || !isTokenText(nonce) {
		return false
	}
	u, err := url.Parse(target)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	last, _ := p.nonces.Get(origin(u))
	p.nonces.Put(origin(u), nonce, len(nonce))
	return last != nonce
}

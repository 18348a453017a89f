package oauth

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
)

// Prover signs DPoP proofs (RFC 9449 §4). *dpop.Key of package security/auth/dpop implements it.
type Prover interface {
	// Proof returns a proof for a request with an HTTP method and a target URL. token is empty at a
	// token endpoint. nonce is the last nonce of the server, or empty.
	Proof(method, target, token, nonce string) (string, error)
	// Thumbprint returns the JWK thumbprint of the key (RFC 7638).
	Thumbprint() string
}

// maxNonce is the maximum length of a nonce, in bytes; longer ones are ignored.
const maxNonce = 1 << 10

// prover creates proofs with the latest nonce of each server. A nil prover creates none.
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

// prove sets the DPoP header of a request.
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

// recordNonce stores the nonce of a response and reports whether it is new (RFC 9449 §8.2).
func (p *prover) recordNonce(target string, header http.Header) bool {
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

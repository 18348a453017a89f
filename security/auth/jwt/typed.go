package jwt

import (
	"errors"
	"sync"
)

// accessTokenType is the type of an access token (RFC 9068 §2.1).
const accessTokenType = "at+jwt"

// maxTyped is the number of clients whose type of tokens is remembered.
const maxTyped = 4096

// typed remembers the clients for which an issuer has issued tokens of the type at+jwt. No metadata announces the type, and
// some authorization servers choose it by client. The zero value is ready.
type typed struct {
	mu      sync.Mutex
	clients map[[2]string]bool // by issuer and client
}

// check registers the client of a signed token of the type at+jwt. It refuses a token of another type if its client is
// registered. A token that names no client passes.
func (t *typed) check(issuer, client string, isTyped bool) error {
	if client == "" {
		return nil
	}
	key := [2]string{issuer, client}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !isTyped && t.clients[key]:
		return errors.New("its client has access tokens of the type at+jwt, and this is of another type")
	case isTyped && len(t.clients) < maxTyped:
		if t.clients == nil {
			t.clients = make(map[[2]string]bool)
		}
		t.clients[key] = true
	}
	return nil
}

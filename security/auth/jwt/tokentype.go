package jwt

import (
	"errors"
	"sync"
)

// accessTokenType is the type of an access token (RFC 9068 §2.1).
const accessTokenType = "at+jwt"

// maxTypedClients limits the recorded clients.
const maxTypedClients = 4096

// typedClients records the clients whose issuer issues tokens of the type at+jwt. No metadata
// announces the type, and some authorization servers choose it by client. The zero value is ready
// to use.
type typedClients struct {
	mu      sync.Mutex
	clients map[[2]string]bool // by issuer and client
}

// check records the client of a token of the type at+jwt. It refuses a token of another type if its
// client is recorded. A token without a client is accepted.
func (t *typedClients) check(issuer, client string, isTyped bool) error {
	if client == "" {
		return nil
	}
	key := [2]string{issuer, client}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !isTyped && t.clients[key]:
		return errors.New("its client has access tokens of the type at+jwt, and this is of another type")
	case isTyped && len(t.clients) < maxTypedClients:
		if t.clients == nil {
			t.clients = make(map[[2]string]bool)
		}
		t.clients[key] = true
	}
	return nil
}

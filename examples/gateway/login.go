package main

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/dougu-go/dougu/mcp/gateway/mcpjson"
	"github.com/dougu-go/dougu/security/oauth"
)

// logins get tokens for servers that want OAuth. Tokens are kept in the user's
// configuration.
type logins struct {
	log *slog.Logger

	mu      sync.Mutex
	clients map[string]*oauth.Client // by digest of the server and principal
}

// transport sends the requests to a server with tokens. With a client secret the
// gateway has rights of its own; without, its user is asked, once.
func (l *logins) transport(s mcpjson.Server, principal string) (http.RoundTripper, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := s.Digest + " " + principal
	if c := l.clients[key]; c != nil {
		return c.Transport(s.URL, nil), nil
	}
	if principal != "" {
		return nil, errors.New("a user of the gateway cannot log in to a server behind it; use \"tokens\"")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	o := s.Rules.OAuth
	c := &oauth.Client{Name: "gateway", Scopes: o.Scopes, Store: &oauth.File{Path: filepath.Join(dir, "dougu", "gateway-tokens.json")}, Log: l.log}
	if o.ClientID != "" {
		if o.Issuer == "" {
			return nil, errors.New("\"oauth\" has a clientId and needs the issuer that has given it")
		}
		c.Registered = map[string]oauth.Credentials{o.Issuer: {ClientID: o.ClientID, Secret: o.ClientSecret}}
	}
	if o.ClientSecret != "" {
		c.Grant = oauth.ClientCredentials{}
	}
	if l.clients == nil {
		l.clients = make(map[string]*oauth.Client)
	}
	l.clients[key] = c
	return c.Transport(s.URL, nil), nil
}

// close ends what the clients have begun.
func (l *logins) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var failed []error
	for _, c := range l.clients {
		failed = append(failed, c.Close())
	}
	return errors.Join(failed...)
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func joined(errs ...error) error { return errors.Join(errs...) }

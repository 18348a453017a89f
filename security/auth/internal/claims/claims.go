// Package claims reads what is said of an access token: in a signed token by itself, or
// by an authorization server that was asked.
package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security/auth"
)

const (
	// maxName is the longest name of a principal, in bytes.
	maxName = 1024
	// maxScopes is how many scopes of a token count.
	maxScopes = 256
	// farthest is the end of the year 9999, in seconds since 1970.
	farthest = 253402300799
)

// Set are claims by their exact names: package json would take other spellings for
// them, which an issuer may let its users choose.
type Set map[string]json.RawMessage

// Has reports whether a claim is there; null is as good as absent.
func (s Set) Has(name string) bool { return s[name] != nil && string(s[name]) != "null" }

// Text is a claim that is a text, empty if it is absent.
func (s Set) Text(name string) (text string, err error) {
	if s.Has(name) && json.Unmarshal(s[name], &text) != nil {
		return "", fmt.Errorf("its claim %s is no text", name)
	}
	return text, nil
}

// List is a claim that is a text or a list of them.
func (s Set) List(name string) (all []string, err error) {
	if !s.Has(name) || json.Unmarshal(s[name], &all) == nil {
		return all, nil
	}
	one, err := s.Text(name)
	if err != nil {
		return nil, fmt.Errorf("its claim %s is neither a text nor a list of them", name)
	}
	return []string{one}, nil
}

// Time is a claim that is a time, zero if it is absent.
func (s Set) Time(name string) (time.Time, error) {
	var seconds float64
	if !s.Has(name) {
		return time.Time{}, nil
	}
	if err := json.Unmarshal(s[name], &seconds); err != nil || seconds < 0 || seconds > farthest {
		return time.Time{}, fmt.Errorf("its claim %s is no time", name)
	}
	return time.Unix(int64(seconds), 0), nil
}

// Current tells why a token does not count now, by clocks that may be apart by leeway.
func (s Set) Current(leeway time.Duration) error {
	now := time.Now()
	expires, err := s.Time("exp")
	switch {
	case err != nil:
		return err
	case !expires.IsZero() && !now.Before(expires.Add(leeway)):
		return errors.New("it has expired")
	}
	for _, name := range [...]string{"nbf", "iat"} {
		from, err := s.Time(name)
		if err != nil {
			return err
		}
		if now.Add(leeway).Before(from) {
			return errors.New("it is not valid yet")
		}
	}
	return nil
}

// For tells whether a token is for one of these audiences.
func (s Set) For(audiences []string) error {
	named, err := s.List("aud")
	if err != nil {
		return err
	}
	for _, own := range audiences {
		if slices.ContainsFunc(named, func(a string) bool { return a == own || sameOrigin(a, own) }) {
			return nil
		}
	}
	return errors.New("it is for another server: ask for one with the resource of this one")
}

// sameOrigin reports whether both are the URL of the same host, of which one may have
// a slash at its end: that is no difference (RFC 3986 §6.2.3).
func sameOrigin(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	_, host, isURL := strings.Cut(a, "://")
	return a == b && isURL && host != "" && !strings.ContainsAny(host, "/?#")
}

// Grant is what the claims of a token of an issuer give.
func (s Set) Grant(issuer string) (*auth.Grant, error) {
	g := &auth.Grant{Limited: true, Issuer: issuer}
	subject, err := s.Text("sub")
	if err != nil {
		return nil, err
	}
	if g.ClientID, err = s.client(); err != nil {
		return nil, err
	}
	if g.Principal, err = principal(issuer, subject, g.ClientID); err != nil {
		return nil, err
	}
	if g.Expires, err = s.Time("exp"); err != nil {
		return nil, err
	}
	if g.Permissions, err = s.scopes(); err != nil {
		return nil, err
	}
	g.Confirmation, err = s.confirmation()
	return g, err
}

// client returns the client that has got the token: the claim client_id of RFC 9068, azp of OpenID Connect, appid of version 1 of
// Entra, or cid of Okta, whichever is first.
func (s Set) client() (id string, err error) {
	for _, name := range [...]string{"client_id", "azp", "appid", "cid"} {
		text, err := s.Text(name)
		if err != nil {
			return "", err
		}
		if id == "" {
			id = text
		}
	}
	return id, nil
}

// principal is the name of a subject at an issuer, or of a client that acts for itself
// and has none. Issuers have neither query nor fragment (RFC 8414 §2), so that
// what follows them cannot be theirs, and no two have the same name.
func principal(issuer, subject, client string) (string, error) {
	name := issuer + "#" + subject
	if subject == "" {
		name = issuer + "?client_id=" + client
	}
	switch {
	case subject == "" && client == "":
		return "", errors.New("it names neither a subject nor a client")
	case len(name) > maxName, strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\ufffd' }):
		return "", errors.New("its subject is too long, or has a character that a name does not have")
	}
	return name, nil
}

// scopes are those of a token (RFC 6749 §3.3), which some issuers call scp.
func (s Set) scopes() (all []string, err error) {
	for _, name := range [...]string{"scope", "scp"} {
		texts, err := s.List(name)
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			all = append(all, strings.Fields(text)...)
		}
	}
	return all[:min(len(all), maxScopes)], nil
}

// confirmation is the thumbprint of the key that a token is bound to, if it is (RFC 7800,
// RFC 9449 §6). To be bound in a way that cannot be checked is an error.
func (s Set) confirmation() (string, error) {
	if !s.Has("cnf") {
		return "", nil
	}
	var by Set
	if err := json.Unmarshal(s["cnf"], &by); err != nil {
		return "", errors.New("its claim cnf is no object")
	}
	thumbprint, err := by.Text("jkt")
	if err != nil || thumbprint == "" || len(by) != 1 {
		return "", errors.New("it is bound to something other than a key of DPoP")
	}
	return thumbprint, nil
}

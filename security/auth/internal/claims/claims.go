// Package claims reads the claims of an access token, from a JWT or from an introspection response.
// A [Set] holds the claims; its methods check time and audience and build an auth.Grant.
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
	// maxName is the maximum length of a principal, in bytes.
	maxName = 1024
	// maxScopes limits the scopes of a token; the rest is ignored.
	maxScopes = 256
	// maxTime is the end of the year 9999, in seconds since 1970.
	maxTime = 253402300799
)

// Set maps claim names to JSON values. Names are compared exactly; package json would ignore case,
// and an issuer may let its users choose other names.
type Set map[string]json.RawMessage

// Has reports whether the claim is present and not null.
func (s Set) Has(name string) bool { return s[name] != nil && string(s[name]) != "null" }

// Text returns a string claim, or an empty string if it is absent.
func (s Set) Text(name string) (text string, err error) {
	if s.Has(name) && json.Unmarshal(s[name], &text) != nil {
		return "", fmt.Errorf("its claim %s is no text", name)
	}
	return text, nil
}

// List returns a claim that is a string or a list of strings.
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

// Time returns a time claim in seconds since 1970, or zero if it is absent.
func (s Set) Time(name string) (time.Time, error) {
	var seconds float64
	if !s.Has(name) {
		return time.Time{}, nil
	}
	if err := json.Unmarshal(s[name], &seconds); err != nil || seconds < 0 || seconds > maxTime {
		return time.Time{}, fmt.Errorf("its claim %s is no time", name)
	}
	return time.Unix(int64(seconds), 0), nil
}

// CheckTime returns an error if the token has expired or is not valid yet. leeway is the accepted
// clock difference.
func (s Set) CheckTime(leeway time.Duration) error {
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

// CheckAudience returns an error unless the claim aud contains one of the audiences.
func (s Set) CheckAudience(audiences []string) error {
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

// sameOrigin reports whether both are the URL of the same host, with or without a slash at its end
// (RFC 3986 §6.2.3).
func sameOrigin(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	_, host, isURL := strings.Cut(a, "://")
	return a == b && isURL && host != "" && !strings.ContainsAny(host, "/?#")
}

// Grant converts the claims of an issuer's token to a Grant.
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

// client returns the client that obtained the token: the first of client_id (RFC 9068), azp (OpenID
// Connect), appid (Entra version 1) and cid (Okta).
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

// principal returns the name of a subject at an issuer, or of a client without a subject. An issuer
// has no query or fragment (RFC 8414 §2), so the added suffix keeps the names distinct.
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

// scopes returns the scopes of a token (RFC 6749 §3.3) from the claims scope and scp.
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

// confirmation returns the thumbprint of the key that the token is bound to, or an empty string
// (RFC 7800, RFC 9449 §6). It returns an error for an unsupported binding.
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

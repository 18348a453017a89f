package jwt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

// maxKeys limits the keys of an issuer; the rest is ignored.
const maxKeys = 100

// fetch requests the keys of the issuer.
func (s *keySet) fetch(ctx context.Context) ([]*jwk.Key, error) {
	at := s.url
	if at == "" {
		var err error
		if at, err = s.discover(ctx); err != nil {
			return nil, err
		}
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := s.get(ctx, at, &set); err != nil {
		return nil, err
	}
	var keys []*jwk.Key
	var problem error
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		key, err := jwk.Parse(raw)
		if err != nil {
			problem = err // ignore keys of an unsupported type
			continue
		}
		keys = append(keys, key)
	}
	if keys == nil {
		return nil, errors.Join(fmt.Errorf("%s has no key that can be used", at), problem)
	}
	return keys, nil
}

// discover returns the URL of the issuer's keys from its metadata (RFC 8414 §3; 2026-07-28,
// basic/authorization, "Authorization Server Metadata Discovery"). Metadata with another issuer is
// refused.
func (s *keySet) discover(ctx context.Context) (string, error) {
	var problems []error
	for _, at := range metadataURLs(s.issuer) {
		var said struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		err := s.get(ctx, at, &said)
		switch {
		case err != nil:
		case said.Issuer != s.issuer:
			err = fmt.Errorf("%s is the metadata of another issuer, %.200q", at, said.Issuer)
		case said.Keys == "":
			err = fmt.Errorf("%s has no jwks_uri", at)
		default:
			if err = safehttp.CheckURL(said.Keys); err == nil {
				return said.Keys, nil
			}
			err = fmt.Errorf("the jwks_uri of %s: %w", at, err)
		}
		problems = append(problems, err)
	}
	return "", errors.Join(problems...)
}

// metadataURLs returns the well-known URLs of an issuer's metadata, in the order of their use.
func metadataURLs(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	const oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	all := []string{origin + oauth + path, origin + openID + path}
	if path != "" {
		all = append(all, origin+path+openID)
	}
	return all
}

func (s *keySet) get(ctx context.Context, at string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return fmt.Errorf("asking %.200s: %w", at, err)
	}
	return safehttp.JSON(s.client, req, v)
}

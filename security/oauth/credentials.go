package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Client authentication methods at a token endpoint (RFC 7591 §2, OpenID Connect Core §9).
const (
	methodNone       = "none"
	methodBasic      = "client_secret_basic"
	methodPost       = "client_secret_post"
	methodPrivateKey = "private_key_jwt"
)

// assertionType is the client_assertion_type of RFC 7523 §2.2.
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// assertionTime is the lifetime of a client assertion.
const assertionTime = 2 * time.Minute

// Credentials are the credentials of a client at one authorization server.
type Credentials struct {
	// ClientID is the identifier that the authorization server assigned.
	ClientID string
	// Secret is the client secret. Empty for a public client and for a client with a Key.
	Secret string
	// Key signs client assertions (private_key_jwt, RFC 7523 §2.2). Types: *ecdsa.PrivateKey,
	// *rsa.PrivateKey, ed25519.PrivateKey. ParseKey reads one.
	Key crypto.Signer
	// KeyID is the kid header of assertions. Optional.
	KeyID string
	// Method is the authentication method: "none", "client_secret_basic", "client_secret_post" or
	// "private_key_jwt". If empty, a client with a Key uses private_key_jwt, a client without a
	// Secret uses none, and others use the first method that the server supports in the order
	// basic, post, none.
	Method string
}

// method returns the authentication method for a server.
func (c *Credentials) method(s *Server) string {
	known := func(method string) bool { return len(s.AuthMethods) == 0 || slices.Contains(s.AuthMethods, method) }
	switch {
	case c.Method != "":
		return c.Method
	case c.Key != nil:
		return methodPrivateKey
	case c.Secret == "":
		return methodNone
	case known(methodBasic):
		return methodBasic
	case known(methodPost):
		return methodPost
	case known(methodNone):
		return methodNone
	}
	return methodBasic
}

// apply adds client authentication to a token request.
func (c *Credentials) apply(s *Server, form url.Values, header http.Header) error {
	switch method := c.method(s); method {
	case methodBasic: // RFC 6749 §2.3.1
		r := http.Request{Header: header}
		r.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.Secret))
	case methodPost:
		form.Set("client_id", c.ClientID)
		form.Set("client_secret", c.Secret)
	case methodPrivateKey:
		assertion, err := c.assertion(s)
		if err != nil {
			return err
		}
		form.Set("client_id", c.ClientID)
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", assertion)
	case methodNone:
		if c.ClientID != "" {
			form.Set("client_id", c.ClientID)
		}
	default:
		return fmt.Errorf("the way %q to authenticate a client is not known", printable(method))
	}
	return nil
}

// assertion returns a signed client assertion. Its audience is the issuer, not the token endpoint:
// another server can name the same endpoint in its metadata and must not be able to use the
// assertion.
func (c *Credentials) assertion(s *Server) (string, error) {
	method, err := signingMethod(c.Key, s.AuthAlgorithms)
	if err != nil {
		return "", err
	}
	now := time.Now()
	token := jwt.NewWithClaims(method, jwt.RegisteredClaims{
		Issuer: c.ClientID, Subject: c.ClientID, Audience: jwt.ClaimStrings{s.Issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(assertionTime)),
	})
	if c.KeyID != "" {
		token.Header["kid"] = c.KeyID
	}
	signed, err := token.SignedString(c.Key)
	if err != nil {
		return "", fmt.Errorf("signing the client's assertion: %w", err)
	}
	return signed, nil
}

// signingMethod returns the first algorithm that the key and the server support. An empty list
// means that the server supports all.
func signingMethod(key crypto.Signer, known []string) (jwt.SigningMethod, error) {
	var fits []jwt.SigningMethod
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		switch key.Curve {
		case elliptic.P256():
			fits = []jwt.SigningMethod{jwt.SigningMethodES256}
		case elliptic.P384():
			fits = []jwt.SigningMethod{jwt.SigningMethodES384}
		case elliptic.P521():
			fits = []jwt.SigningMethod{jwt.SigningMethodES512}
		}
	case *rsa.PrivateKey:
		fits = []jwt.SigningMethod{jwt.SigningMethodRS256, jwt.SigningMethodPS256, jwt.SigningMethodRS384, jwt.SigningMethodPS384, jwt.SigningMethodRS512, jwt.SigningMethodPS512}
	case ed25519.PrivateKey:
		fits = []jwt.SigningMethod{jwt.SigningMethodEdDSA}
	}
	if len(fits) == 0 {
		return nil, fmt.Errorf("a key of type %T signs no assertions; it must be ECDSA, RSA or Ed25519", key)
	}
	for _, method := range fits {
		if len(known) == 0 || slices.Contains(known, method.Alg()) {
			return method, nil
		}
	}
	return nil, fmt.Errorf("the server accepts assertions with %v, which a key of type %T does not sign", known[:min(len(known), 16)], key)
}

// ParseKey reads a private key for Credentials.Key in PEM format: PKCS #8, SEC 1 or PKCS #1. The
// key must be ECDSA (P-256, P-384, P-521), RSA or Ed25519.
func ParseKey(text []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("there is no key in PEM, which begins with -----BEGIN PRIVATE KEY-----")
	}
	var key any
	var err error
	switch block.Type {
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("the key cannot be read: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a key of type %T signs nothing", key)
	}
	if _, err := signingMethod(signer, nil); err != nil {
		return nil, err
	}
	return signer, nil
}

package dpop

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// mediaType is the typ header of proofs (RFC 9449 §4.2).
const mediaType = "dpop+jwt"

// claims are the claims of a proof (RFC 9449 §4.2).
type claims struct {
	ID     string           `json:"jti"`
	Method string           `json:"htm"`
	Target string           `json:"htu"`
	Issued *jwt.NumericDate `json:"iat"`
	Token  string           `json:"ath,omitempty"`
	Nonce  string           `json:"nonce,omitempty"`

	noClaims
}

// Proof returns a signed proof for the DPoP header of one request (RFC 9449 §4.2, §8). Each request
// needs its own proof, also when it is repeated. target is the URL of the request; its query and
// fragment are ignored. accessToken is the token of the request, or empty at a token endpoint.
// nonce is the last DPoP-Nonce of the server, or empty.
func (k *Key) Proof(method, target, accessToken, nonce string) (string, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("making a proof for a request: %.200q is not a URL with a host", target)
	}
	plain := url.URL{Scheme: httpScheme(u.Scheme), Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	said := claims{ID: rand.Text(), Method: method, Target: plain.String(), Issued: jwt.NewNumericDate(time.Now()), Nonce: nonce}
	if accessToken != "" {
		said.Token = tokenHash(accessToken)
	}
	proof := jwt.NewWithClaims(jwt.SigningMethodES256, said)
	proof.Header["typ"], proof.Header["jwk"] = mediaType, k.members
	text, err := proof.SignedString(k.private)
	if err != nil {
		return "", fmt.Errorf("making a proof for a request: %w", err)
	}
	return text, nil
}

// tokenHash returns the hash of a token in the ath claim (RFC 9449 §4.1).
func tokenHash(accessToken string) string {
	sum := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// noClaims implements the claims interface of package jwt with empty values. Package dpop checks
// the claims itself.
type noClaims struct{}

func (noClaims) GetExpirationTime() (*jwt.NumericDate, error) { return nil, nil }
func (noClaims) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (noClaims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (noClaims) GetIssuer() (string, error)                   { return "", nil }
func (noClaims) GetSubject() (string, error)                  { return "", nil }
func (noClaims) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

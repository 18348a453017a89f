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

// mediaType is the type of proofs (RFC 9449 §4.2).
const mediaType = "dpop+jwt"

// claims are what a proof says (RFC 9449 §4.2).
type claims struct {
	ID     string           `json:"jti"`
	Method string           `json:"htm"`
	Target string           `json:"htu"`
	Issued *jwt.NumericDate `json:"iat"`
	Token  string           `json:"ath,omitempty"`
	Nonce  string           `json:"nonce,omitempty"`

	noClaims
}

// Proof signs that a request is made by the holder of the key. It is for the header
// DPoP, and for one request only: each needs its own, and a repeated one too. target
// is the URL of the request; its query and fragment are left out. accessToken is the
// token that the request shows, empty for a request of one. nonce is what the server
// gave last in the header DPoP-Nonce, empty if it gave none (RFC 9449 §4.2, §8).
func (k *Key) Proof(method, target, accessToken, nonce string) (string, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("making a proof for a request: %.200q is not a URL with a host", target)
	}
	plain := url.URL{Scheme: httpScheme(u.Scheme), Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	said := claims{ID: rand.Text(), Method: method, Target: plain.String(), Issued: jwt.NewNumericDate(time.Now()), Nonce: nonce}
	if accessToken != "" {
		said.Token = hashOf(accessToken)
	}
	proof := jwt.NewWithClaims(jwt.SigningMethodES256, said)
	proof.Header["typ"], proof.Header["jwk"] = mediaType, k.members
	text, err := proof.SignedString(k.private)
	if err != nil {
		return "", fmt.Errorf("making a proof for a request: %w", err)
	}
	return text, nil
}

// hashOf is the hash by which a proof names a token (RFC 9449 §4.1).
func hashOf(accessToken string) string {
	sum := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// noClaims are the claims of package jwt that proofs do not have: what they do
// have is looked at here.
type noClaims struct{}

func (noClaims) GetExpirationTime() (*jwt.NumericDate, error) { return nil, nil }
func (noClaims) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (noClaims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (noClaims) GetIssuer() (string, error)                   { return "", nil }
func (noClaims) GetSubject() (string, error)                  { return "", nil }
func (noClaims) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

package dpop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

// Key is the private key with which a client signs proofs, on the curve P-256 for the algorithm
// ES256. It is safe for concurrent use.
type Key struct {
	private    *ecdsa.PrivateKey
	members    map[string]string
	thumbprint string
}

// NewKey generates a random key.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key for proofs: %w", err)
	}
	return newKey(private), nil
}

func newKey(private *ecdsa.PrivateKey) *Key {
	return &Key{private, jwk.Members(&private.PublicKey), jwk.Thumbprint(&private.PublicKey)}
}

// ParseKey parses a P-256 private key in PEM format: PKCS #8, as MarshalPEM writes it, or SEC 1.
func ParseKey(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("reading the key for proofs: it is not PEM")
	}
	var key any
	var err error
	if block.Type == "EC PRIVATE KEY" {
		key, err = x509.ParseECPrivateKey(block.Bytes)
	} else {
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key for proofs: %w", err)
	}
	private, ok := key.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("reading the key for proofs: it is not one of the curve P-256; \"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256\" makes one")
	}
	return newKey(private), nil
}

// MarshalPEM returns the private key in PEM format (PKCS #8).
func (k *Key) MarshalPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return nil, fmt.Errorf("writing the key for proofs: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Thumbprint returns the JWK thumbprint of the key (RFC 7638). Tokens contain it as cnf.jkt, and
// authorization requests as dpop_jkt (RFC 9449 §6.1 and §10).
func (k *Key) Thumbprint() string { return k.thumbprint }

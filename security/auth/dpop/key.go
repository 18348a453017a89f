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

// Key is the key of a client, with which it signs proofs: one of the curve P-256,
// for the algorithm ES256. It may be used concurrently.
type Key struct {
	private    *ecdsa.PrivateKey
	members    map[string]string
	thumbprint string
}

// NewKey makes a key.
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

// ParseKey reads a key in PEM: what MarshalPEM has written, or another private key
// of P-256 in PKCS #8 or SEC 1.
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

// MarshalPEM writes the key, its private part included, in PEM (PKCS #8).
func (k *Key) MarshalPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return nil, fmt.Errorf("writing the key for proofs: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Thumbprint is by what tokens name the key that they are bound to, in their claim
// cnf.jkt, and requests for authorization in dpop_jkt (RFC 7638; RFC 9449 §6.1 and §10).
func (k *Key) Thumbprint() string { return k.thumbprint }

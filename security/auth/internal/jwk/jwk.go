// Package jwk parses public keys in the JSON Web Key format (RFC 7517), for keys of issuers and of
// DPoP proofs. It supports only asymmetric keys, so that a signature with a shared secret is never
// accepted. [Parse] returns a [Key]; [Thumbprint] identifies a key.
package jwk

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

const (
	// minRSA is the minimum size of an RSA key, in bits.
	minRSA = 2048
	// maxRSA is the maximum size of an RSA key, in bits. It limits the cost of a signature check
	// with a client's key.
	maxRSA = 8192
	// maxRSAExponent is the maximum exponent that package crypto/rsa supports.
	maxRSAExponent = 1<<31 - 1
)

// Key is a public key. ID, Algorithm and Use are the JWK members kid, alg and use; empty if absent.
type Key struct {
	ID, Algorithm, Use string
	Public             crypto.PublicKey // *ecdsa.PublicKey, *rsa.PublicKey or ed25519.PublicKey
	thumbprint         string
}

// wire is the JSON form of a key, with the members that are used here (RFC 7517 §4, RFC 7518 §6,
// RFC 8037 §2).
type wire struct {
	Type       string          `json:"kty"`
	ID         string          `json:"kid"`
	Algorithm  string          `json:"alg"`
	Use        string          `json:"use"`
	Operations []string        `json:"key_ops"`
	Curve      string          `json:"crv"`
	X          string          `json:"x"`
	Y          string          `json:"y"`
	N          string          `json:"n"`
	E          string          `json:"e"`
	D          json.RawMessage `json:"d"`
	K          json.RawMessage `json:"k"`
}

// Parse parses a public key. It refuses a key with private members, because that key is
// compromised. It also refuses numbers of a non-standard length, because they would change the
// thumbprint.
func Parse(raw []byte) (*Key, error) {
	var w wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("the key is not a JSON Web Key: %w", err)
	}
	if w.D != nil || w.K != nil {
		return nil, errors.New("the key has a secret part; only public keys may be shown")
	}
	if w.Operations != nil && !slices.Contains(w.Operations, "verify") {
		return nil, errors.New("the key is not for checking signatures")
	}
	public, err := w.public()
	if err != nil {
		return nil, err
	}
	return &Key{ID: w.ID, Algorithm: w.Algorithm, Use: w.Use, Public: public, thumbprint: Thumbprint(public)}, nil
}

func (w *wire) public() (crypto.PublicKey, error) {
	switch w.Type {
	case "EC":
		return w.ecdsa()
	case "RSA":
		return w.rsa()
	case "OKP":
		x, err := decodeNumber("x", w.X)
		if err != nil || w.Curve != "Ed25519" || len(x) != ed25519.PublicKeySize {
			return nil, errors.Join(errors.New("a key of the type OKP is one of Ed25519, of 32 bytes"), err)
		}
		return ed25519.PublicKey(x), nil
	}
	return nil, fmt.Errorf("keys of the type %.20q are not known; EC, RSA and OKP are", w.Type)
}

var curves = map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}

func (w *wire) ecdsa() (*ecdsa.PublicKey, error) {
	curve := curves[w.Curve]
	if curve == nil {
		return nil, fmt.Errorf("the curve %.20q is not known; P-256, P-384 and P-521 are", w.Curve)
	}
	size := (curve.Params().BitSize + 7) / 8
	x, errX := decodeNumber("x", w.X)
	y, errY := decodeNumber("y", w.Y)
	if err := errors.Join(errX, errY); err != nil {
		return nil, err
	}
	if len(x) != size || len(y) != size {
		return nil, fmt.Errorf("the coordinates of a key on %s have %d bytes each", w.Curve, size)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(curve, slices.Concat([]byte{4}, x, y))
	if err != nil {
		return nil, errors.New("the point of the key is not on its curve")
	}
	return key, nil
}

func (w *wire) rsa() (*rsa.PublicKey, error) {
	n, errN := decodeNumber("n", w.N)
	e, errE := decodeNumber("e", w.E)
	if err := errors.Join(errN, errE); err != nil {
		return nil, err
	}
	if n[0] == 0 || e[0] == 0 {
		return nil, errors.New("the numbers of an RSA key begin with another byte than 0")
	}
	if len(n) > maxRSA/8 || len(e) > 4 {
		return nil, fmt.Errorf("an RSA key has at most %d bits, and an exponent of at most 31", maxRSA)
	}
	modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e).Int64()
	if modulus.BitLen() < minRSA || exponent > maxRSAExponent || exponent < 3 || exponent%2 == 0 {
		return nil, fmt.Errorf("an RSA key has at least %d bits, and an odd exponent from 3 on of at most 31", minRSA)
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent)}, nil
}

// decodeNumber decodes a non-empty base64url member.
func decodeNumber(name, text string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("%q of the key is not base64url", name)
	}
	return raw, nil
}

// Supports reports whether the key can verify signatures of an algorithm.
func (k *Key) Supports(algorithm string) bool {
	if k.Algorithm != "" && k.Algorithm != algorithm && !(k.Algorithm == "Ed25519" && algorithm == "EdDSA") {
		return false
	}
	return (k.Use == "" || k.Use == "sig") && slices.Contains(keyAlgorithms(k.Public), algorithm)
}

// keyAlgorithms returns the signature algorithms of a key type (RFC 7518 §3.1, RFC 8037 §3.1).
func keyAlgorithms(public crypto.PublicKey) []string {
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			return []string{"ES256"}
		case elliptic.P384():
			return []string{"ES384"}
		case elliptic.P521():
			return []string{"ES512"}
		}
	case *rsa.PublicKey:
		return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}
	case ed25519.PublicKey:
		return []string{"EdDSA"}
	}
	return nil
}

// Algorithms returns all supported signature algorithms. All are asymmetric.
func Algorithms() []string {
	return []string{"ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"}
}

// Thumbprint returns the SHA-256 thumbprint of the key in base64url (RFC 7638).
func (k *Key) Thumbprint() string { return k.thumbprint }

// Thumbprint returns the SHA-256 thumbprint of a key in base64url (RFC 7638), or an empty string
// for an unsupported key type.
func Thumbprint(public crypto.PublicKey) string {
	members := Members(public)
	if members == nil {
		return ""
	}
	// The required members in alphabetical order, which is the order in which package json encodes
	// maps.
	text, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Members returns the required JWK members of a key, or nil for an unsupported key type.
func Members(public crypto.PublicKey) map[string]string {
	encode := base64.RawURLEncoding.EncodeToString
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		raw, err := key.Bytes()
		if err != nil {
			return nil
		}
		size := len(raw) / 2
		return map[string]string{"kty": "EC", "crv": key.Params().Name, "x": encode(raw[1 : 1+size]), "y": encode(raw[1+size:])}
	case *rsa.PublicKey:
		e := bytes.TrimLeft([]byte{byte(key.E >> 24), byte(key.E >> 16), byte(key.E >> 8), byte(key.E)}, "\x00")
		return map[string]string{"kty": "RSA", "n": encode(key.N.Bytes()), "e": encode(e)}
	case ed25519.PublicKey:
		return map[string]string{"kty": "OKP", "crv": "Ed25519", "x": encode(key)}
	}
	return nil
}

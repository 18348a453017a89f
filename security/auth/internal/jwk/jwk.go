// Package jwk reads public keys as JSON Web Keys (RFC 7517): of issuers, and of
// the proofs of clients. It knows asymmetric keys alone, so that what was signed with a
// secret is never taken for what was signed with a private key.
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
	minRSA = 2048 // bits
	// maxRSA bounds what it costs to check a signature with a key of somebody's choice.
	maxRSA = 8192
	// maxRSAExponent is what package crypto/rsa can use.
	maxRSAExponent = 1<<31 - 1
)

// Key is a public key. ID, Algorithm and Use are what was said of it, and empty
// where nothing was.
type Key struct {
	ID, Algorithm, Use string
	Public             crypto.PublicKey // *ecdsa.PublicKey, *rsa.PublicKey or ed25519.PublicKey
	thumbprint         string
}

// wire are the members of a key that matter here (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2).
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

// Parse reads a public key. One that has a private part is refused: it is
// anybody's by now. Each key has one form: other lengths of its numbers are
// refused, since they would change the thumbprint.
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
		x, err := number("x", w.X)
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
	x, errX := number("x", w.X)
	y, errY := number("y", w.Y)
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
	n, errN := number("n", w.N)
	e, errE := number("e", w.E)
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

// number decodes one that is not empty.
func number(name, text string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("%q of the key is not base64url", name)
	}
	return raw, nil
}

// Fits reports whether signatures of an algorithm are made with such a key.
func (k *Key) Fits(algorithm string) bool {
	if k.Algorithm != "" && k.Algorithm != algorithm && !(k.Algorithm == "Ed25519" && algorithm == "EdDSA") {
		return false
	}
	return (k.Use == "" || k.Use == "sig") && slices.Contains(algorithmsOf(k.Public), algorithm)
}

// algorithmsOf are those of RFC 7518 §3.1 and RFC 8037 §3.1 that a key can have.
func algorithmsOf(public crypto.PublicKey) []string {
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

// Algorithms are all that are known. Each has a private and a public key.
func Algorithms() []string {
	return []string{"ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"}
}

// Thumbprint is the SHA-256 of the key in base64url (RFC 7638).
func (k *Key) Thumbprint() string { return k.thumbprint }

// Thumbprint is the SHA-256 of a key in base64url (RFC 7638); empty if it is of a
// type that is not known.
func Thumbprint(public crypto.PublicKey) string {
	members := Members(public)
	if members == nil {
		return ""
	}
	// Members in the order of their names, and none but those that are needed:
	// as package json writes a map of them.
	text, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Members are what makes a key up, as a JSON Web Key has it; nil if it is of a
// type that is not known.
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

package dpop

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

const (
	// maxProof is the longest proof that is looked at, in bytes.
	maxProof = 8 << 10
	// maxID and minID bound what tells proofs apart, in bytes.
	minID, maxID = 8, 256
	// maxWindow is the longest time for which a proof is good.
	maxWindow = 5 * time.Minute
)

// The codes of errors that are answered to clients (RFC 9449 §12.2).
const (
	InvalidProof = "invalid_dpop_proof"
	UseNonce     = "use_dpop_nonce"
)

// ErrBusy is returned while more proofs are in use than may be remembered: of all
// keys, or of that which has made this one. Without remembering it, it could be
// replayed.
var ErrBusy = errors.New("too many proofs were used in a short time; send the request again later, with a new proof")

// Error is why a proof does not count.
type Error struct {
	Code        string // InvalidProof or UseNonce
	Description string
	Nonce       string // that a new proof must have; of UseNonce alone
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Description }

func invalid(format string, args ...any) *Error {
	return &Error{Code: InvalidProof, Description: fmt.Sprintf(format, args...)}
}

// Checker looks at the proofs of requests, and remembers those that it has seen, in
// memory: one server uses one for all its requests. Several instances of a server
// each have their own, so that a proof may be good once at each of them; with Nonces
// of a key that each instance has for itself it is good at one. The zero value is
// ready to use.
type Checker struct {
	// Window is how far the time of a proof may be from that of the server, to
	// either side. Default 1 minute, at most 5.
	Window time.Duration
	// MaxProofs is how many proofs are remembered, each for at least twice the
	// window; ErrBusy is returned for more, and for more than a sixteenth of them
	// of one key. A proof costs about 50 bytes. Default 524,288.
	MaxProofs int
	// Nonces, if set, must be in proofs. Default: none.
	Nonces *Nonces

	seen seen
}

// Algorithms are those with which proofs may be signed.
func Algorithms() []string { return jwk.Algorithms() }

// Check looks at the proof in the header DPoP of r, which must be for its method
// and for target, the URL that the client has sent it to: behind a proxy that is
// another than the one in r. accessToken is the token of the request; empty where
// there is none yet. It returns the thumbprint of the key that has signed: the
// caller compares it with that of the token, or uses CheckKey. A proof that does
// not count has an *Error (RFC 9449 §4.3).
func (c *Checker) Check(r *http.Request, target, accessToken string) (thumbprint string, err error) {
	return c.check(r, target, accessToken, "")
}

// CheckKey is Check for a token that is bound to a key. Proofs of other keys are not
// remembered, so that only who has a token can make a server remember something.
func (c *Checker) CheckKey(r *http.Request, target, accessToken, thumbprint string) error {
	if thumbprint == "" {
		return errors.New("checking a proof: there is no thumbprint to compare with")
	}
	_, err := c.check(r, target, accessToken, thumbprint)
	return err
}

func (c *Checker) check(r *http.Request, target, accessToken, wanted string) (string, error) {
	proofs := r.Header.Values("DPoP")
	if len(proofs) != 1 || len(proofs[0]) > maxProof {
		return "", invalid("a request has one header DPoP, of at most %d bytes; this has %d", maxProof, len(proofs))
	}
	said, key, err := parse(proofs[0])
	if err != nil {
		return "", err
	}
	thumbprint := key.Thumbprint()
	switch window := c.window(); {
	case said.Method != r.Method:
		return "", invalid("the proof is for another method")
	case !sameTarget(said.Target, target):
		return "", invalid("the proof is for another URL than %.200s", target)
	case said.Issued == nil:
		return "", invalid("the proof does not say when it was made")
	case time.Since(said.Issued.Time).Abs() > window:
		return "", invalid("the proof was not made within %v; the server's time is %s", window, time.Now().UTC().Format(http.TimeFormat))
	case accessToken != "" && said.Token != hashOf(accessToken):
		return "", invalid("the proof is for another access token")
	case wanted != "" && wanted != thumbprint:
		return "", invalid("the proof is of another key than that which the access token is bound to")
	case len(said.ID) < minID || len(said.ID) > maxID:
		return "", invalid("the jti of a proof has %d to %d bytes", minID, maxID)
	}
	if c.Nonces != nil {
		if !c.Nonces.known(said.Nonce) {
			return "", &Error{Code: UseNonce, Description: "a proof must have the nonce of this answer's header DPoP-Nonce", Nonce: c.Nonces.Now()}
		}
	}
	switch c.seen.add(thumbprint, said.ID, 2*c.window(), c.most()) {
	case isReplayed:
		return "", invalid("the proof was used before; every request needs its own")
	case isTooMany:
		return "", ErrBusy
	}
	return thumbprint, nil
}

func (c *Checker) window() time.Duration {
	if c.Window <= 0 {
		return time.Minute
	}
	return min(c.Window, maxWindow)
}

func (c *Checker) most() int {
	if c.MaxProofs <= 0 {
		return 1 << 19
	}
	return c.MaxProofs
}

var parser = jwt.NewParser(jwt.WithValidMethods(jwk.Algorithms()), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())

// parse checks the signature of a proof, which is of the key in its header.
func parse(proof string) (*claims, *jwk.Key, error) {
	var said claims
	var key *jwk.Key
	_, err := parser.ParseWithClaims(proof, &said, func(t *jwt.Token) (any, error) {
		if typ, _ := t.Header["typ"].(string); typ != mediaType {
			return nil, fmt.Errorf("the type of a proof is %s", mediaType)
		}
		if _, critical := t.Header["crit"]; critical {
			return nil, errors.New("no critical parameters are known")
		}
		raw, err := json.Marshal(t.Header["jwk"])
		if err != nil {
			return nil, err
		}
		if key, err = jwk.Parse(raw); err != nil {
			return nil, err
		}
		if !key.Fits(t.Method.Alg()) {
			return nil, errors.New("the key is not one for the algorithm")
		}
		return key.Public, nil
	})
	if err != nil {
		return nil, nil, invalid("the proof cannot be read: %v", err)
	}
	return &said, key, nil
}

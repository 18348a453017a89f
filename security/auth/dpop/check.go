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
	// maxProof is the maximum length of a proof, in bytes.
	maxProof = 8 << 10
	// minID and maxID are the limits for the length of a proof's jti, in bytes.
	minID, maxID = 8, 256
	// maxWindow is the upper limit of Checker.Window.
	maxWindow = 5 * time.Minute
)

// Error codes in challenges (RFC 9449 §12.2).
const (
	// InvalidProof reports an invalid proof.
	InvalidProof = "invalid_dpop_proof"
	// UseNonce reports a missing or expired nonce.
	UseNonce = "use_dpop_nonce"
)

// ErrBusy reports that the replay cache is full, for all keys or for the proof's key. The proof is
// refused, because a replay could not be detected.
var ErrBusy = errors.New("too many proofs were used in a short time; send the request again later, with a new proof")

// Error describes an invalid proof.
type Error struct {
	Code        string // InvalidProof or UseNonce
	Description string // reason, for the client
	Nonce       string // nonce for a new proof; only with UseNonce
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Description }

func invalid(format string, args ...any) *Error {
	return &Error{Code: InvalidProof, Description: fmt.Sprintf(format, args...)}
}

// Checker checks the proofs of requests and detects replays. A server uses one Checker for all
// requests. Proofs are recorded in memory: with several instances of a server a proof is accepted
// once by each instance. Nonces with a key of its own in each instance prevent this: a proof has
// the nonce of one instance, and the others refuse it. The zero value is ready to use. It is safe
// for concurrent use.
type Checker struct {
	// Window is the maximum difference between the time of a proof and the server's clock. Default
	// 1 minute, maximum 5 minutes.
	Window time.Duration
	// MaxProofs limits the recorded proofs, each of about 50 bytes. A proof is recorded for at
	// least twice the Window. Above the limit, and above a sixteenth of it for one key, Check
	// returns ErrBusy. Default 524,288.
	MaxProofs int
	// Nonces requires a server nonce in each proof. Default nil: none.
	Nonces *Nonces

	replays replayCache
}

// Algorithms returns the accepted signature algorithms.
func Algorithms() []string { return jwk.Algorithms() }

// Check checks the DPoP header of r (RFC 9449 §4.3). The proof must match the method of r and
// target, the URL to which the client sent the request; behind a proxy it differs from the URL in
// r. accessToken is the token of the request, or empty at a token endpoint. Check returns the
// thumbprint of the proof's key, for comparison with the token; CheckKey includes this comparison.
// Check records proofs of any key. An invalid proof causes an *Error.
func (c *Checker) Check(r *http.Request, target, accessToken string) (thumbprint string, err error) {
	return c.check(r, target, accessToken, "")
}

// CheckKey is Check for a token that is bound to the key with this thumbprint. It records only
// proofs of that key. Clients without a token, which can fill the replay cache through Check with
// proofs of new keys, cannot do so through CheckKey.
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
	case accessToken != "" && said.Token != tokenHash(accessToken):
		return "", invalid("the proof is for another access token")
	case wanted != "" && wanted != thumbprint:
		return "", invalid("the proof is of another key than that which the access token is bound to")
	case len(said.ID) < minID || len(said.ID) > maxID:
		return "", invalid("the jti of a proof has %d to %d bytes", minID, maxID)
	}
	if c.Nonces != nil {
		if !c.Nonces.isValid(said.Nonce) {
			return "", &Error{Code: UseNonce, Description: "a proof must have the nonce of this answer's header DPoP-Nonce", Nonce: c.Nonces.Now()}
		}
	}
	switch c.replays.add(thumbprint, said.ID, 2*c.window(), c.maxProofs()) {
	case replayed:
		return "", invalid("the proof was used before; every request needs its own")
	case cacheFull:
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

func (c *Checker) maxProofs() int {
	if c.MaxProofs <= 0 {
		return 1 << 19
	}
	return c.MaxProofs
}

var parser = jwt.NewParser(jwt.WithValidMethods(jwk.Algorithms()), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())

// parse checks the signature of a proof with the key in its header. It returns the claims of the
// proof and this key.
func parse(proof string) (*claims, *jwk.Key, error) {
	var said claims
	var key *jwk.Key
	_, err := parser.ParseWithClaims(proof, &said, func(t *jwt.Token) (any, error) {
		if typ, _ := t.Header["typ"].(string); typ != mediaType {
			return nil, fmt.Errorf("the type of a proof is %s", mediaType)
		}
		if _, critical := t.Header["crit"]; critical {
			return nil, errors.New("critical parameters are not supported")
		}
		raw, err := json.Marshal(t.Header["jwk"])
		if err != nil {
			return nil, err
		}
		if key, err = jwk.Parse(raw); err != nil {
			return nil, err
		}
		if !key.Supports(t.Method.Alg()) {
			return nil, errors.New("the key is not one for the algorithm")
		}
		return key.Public, nil
	})
	if err != nil {
		return nil, nil, invalid("the proof cannot be read: %v", err)
	}
	return &said, key, nil
}

package jwt

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/internal/claims"
	"github.com/dougu-go/dougu/security/auth/internal/jwk"
)

const (
	// maxToken is the maximum length of a token, in bytes.
	maxToken = 16 << 10
	// maxLeeway is the upper limit of Verifier.Leeway.
	maxLeeway = time.Minute
)

// Verifier is an auth.Verifier for signed tokens. It caches a valid token for one minute or until
// it expires. Set its fields before the first use and do not change or copy it afterwards. It is
// safe for concurrent use.
type Verifier struct {
	// Issuers are the identifiers of the accepted authorization servers, exactly as in their
	// metadata and tokens. Required.
	Issuers []string
	// Audiences are the accepted audiences: the URL of the auth.Resource, and other names of the
	// server at the authorization server. A token must contain one of them. They are compared
	// exactly, except for a single slash after the host. Required.
	Audiences []string
	// KeySets maps issuers without metadata to the URLs of their keys. Default: the jwks_uri of the
	// metadata (RFC 8414, OpenID Connect Discovery).
	KeySets map[string]string
	// Algorithms are the accepted signature algorithms: RS256, RS384, RS512, PS256, PS384, PS512,
	// ES256, ES384, ES512 and EdDSA. Default: all of them.
	Algorithms []string
	// Leeway is the accepted clock difference between the issuers and this server. Default 30 s,
	// maximum 1 minute.
	Leeway time.Duration
	// AccessTokensOnly accepts only tokens of the type at+jwt (RFC 9068). Many authorization
	// servers still issue the type JWT or no type. By default, at+jwt is required for a client
	// after its issuer has issued one such token for it. Tokens with claims of ID, refresh or
	// logout tokens, for example at_hash or token_use, are always refused. So are tokens of
	// another type without a client and scope.
	AccessTokensOnly bool
	// GroupClaims are the claims with the groups and roles of a user, for auth.Grant.Groups: names,
	// or paths through objects such as "realm_access.roles". Default: groups and roles.
	GroupClaims []string
	// HTTP fetches metadata and keys. The default client uses no proxy, has a timeout of 10 s and
	// follows no redirects. It reaches private addresses only at the hosts of the issuers and
	// KeySets.
	HTTP *http.Client

	once    sync.Once          // runs prepare, which sets err, parser and keySets
	err     error              // errors in the fields above
	parser  *jwt.Parser        // checks only syntax, algorithm and signature
	keySets map[string]*keySet // by issuer
	recent  grantCache         // valid tokens
	typed   typedClients       // clients with a token of the type at+jwt
}

// Err returns the errors in the fields, or nil. A Verifier with an error accepts no token.
func (v *Verifier) Err() error {
	v.once.Do(v.prepare)
	return v.err
}

// prepare checks the fields and creates the key sets and the parser.
func (v *Verifier) prepare() {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if len(v.Issuers) == 0 {
		problem("there is no trusted issuer")
	}
	if len(v.Audiences) == 0 || slices.Contains(v.Audiences, "") {
		problem("there is no audience: name the URL of this server")
	}
	if v.Leeway < 0 || v.Leeway > maxLeeway {
		problem("clocks may be apart by at most %v, not %v", maxLeeway, v.Leeway)
	}
	for _, algorithm := range v.Algorithms {
		if !slices.Contains(jwk.Algorithms(), algorithm) {
			problem("tokens cannot be signed with %.40q; %s are known", algorithm, strings.Join(jwk.Algorithms(), ", "))
		}
	}
	v.keySets = make(map[string]*keySet, len(v.Issuers))
	for _, issuer := range v.Issuers {
		at := v.KeySets[issuer]
		if err := safehttp.CheckURL(issuer); err != nil {
			problem("the issuer: %w", err)
		}
		client := v.HTTP
		if client == nil {
			client = safehttp.Client(issuer, at)
		}
		v.keySets[issuer] = &keySet{issuer: issuer, url: at, client: client}
	}
	for issuer, at := range v.KeySets {
		if err := safehttp.CheckURL(at); err != nil {
			problem("the keys of %.200s: %w", issuer, err)
		}
	}
	algorithms := v.Algorithms
	if algorithms == nil {
		algorithms = jwk.Algorithms()
	}
	v.parser = jwt.NewParser(jwt.WithValidMethods(algorithms), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	if v.err = errors.Join(problems...); v.err != nil {
		v.err = fmt.Errorf("checking signed access tokens: %w", v.err)
	}
}

// Verify implements auth.Verifier. It can wait for a fetch of the issuer's keys.
func (v *Verifier) Verify(ctx context.Context, text string) (*auth.Grant, error) {
	if err := v.Err(); err != nil {
		return nil, err
	}
	if len(text) > maxToken {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", auth.ErrInvalidToken, maxToken)
	}
	hash := sha256.Sum256([]byte(text))
	if grant, ok := v.recent.get(hash); ok {
		return grant, nil
	}
	grant, err := v.verify(ctx, text)
	switch {
	case err == nil:
		v.recent.put(hash, grant)
	case !errors.Is(err, auth.ErrUnavailable):
		err = fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
	}
	return grant, err
}

// verify checks a token that is not in the cache.
func (v *Verifier) verify(ctx context.Context, text string) (*auth.Grant, error) {
	var said token
	var why error // error of keysFor; returned unchanged, because the parser's error wraps it in further words
	parsed, err := v.parser.ParseWithClaims(text, &said, func(t *jwt.Token) (any, error) {
		var keys jwt.VerificationKeySet
		keys, why = v.keysFor(ctx, t, said.Set)
		return keys, why
	})
	if why != nil {
		return nil, why
	}
	if err != nil {
		return nil, err
	}
	if err := v.check(said.Set); err != nil {
		return nil, err
	}
	issuer, err := said.Text("iss")
	if err != nil {
		return nil, err
	}
	if kind := said.OtherKind(); kind != "" {
		return nil, fmt.Errorf("it is no access token, but %s", kind)
	}
	grant, err := said.Grant(issuer)
	if err != nil {
		return nil, err
	}
	if typeOf(parsed) != accessTokenType && grant.ClientID == "" && len(grant.Permissions) == 0 {
		return nil, errors.New("it names neither a client nor a scope, as ID tokens do; access tokens name one, or have the type at+jwt")
	}
	if err := v.typed.check(issuer, grant.ClientID, typeOf(parsed) == accessTokenType); err != nil {
		return nil, err
	}
	grant.Groups = said.Groups(v.GroupClaims)
	grant.Expires = grant.Expires.Add(v.leeway()) // the issuer's clock may be behind by leeway
	return grant, nil
}

// keysFor returns the keys that can verify a token: the public keys of its issuer for its algorithm
// and key ID. It uses nothing else of the header but the type. The result is empty on an error.
func (v *Verifier) keysFor(ctx context.Context, t *jwt.Token, said claims.Set) (jwt.VerificationKeySet, error) {
	var none jwt.VerificationKeySet
	if _, critical := t.Header["crit"]; critical {
		return none, errors.New("its header has critical parameters, and none is supported")
	}
	switch typeOf(t) {
	case accessTokenType:
	case "jwt", "":
		if v.AccessTokensOnly {
			return none, errors.New("it is not of the type at+jwt")
		}
	default:
		return none, errors.New("it is of a type other than at+jwt and JWT")
	}
	issuer, err := said.Text("iss")
	if err != nil {
		return none, err
	}
	set := v.keySets[issuer]
	if set == nil {
		return none, errors.New("its issuer is not accepted by this server")
	}
	name, named := t.Header["kid"]
	id, isText := name.(string)
	if named && !isText {
		return none, errors.New("its key ID is not a string")
	}
	keys, err := set.find(ctx, id, t.Method.Alg())
	if err != nil {
		return none, err
	}
	for _, key := range keys {
		none.Keys = append(none.Keys, key.Public)
	}
	return none, nil
}

// typeOf returns the type in the header of a token, in lower case (RFC 7515 §4.1.9).
func typeOf(t *jwt.Token) string {
	typ, _ := t.Header["typ"].(string)
	return strings.TrimPrefix(strings.ToLower(typ), "application/")
}

// check checks the audience and the times of a token (RFC 7519 §4.1, RFC 9068 §4).
func (v *Verifier) check(said claims.Set) error {
	if err := said.CheckAudience(v.Audiences); err != nil {
		return err
	}
	switch {
	case !said.Has("exp"):
		return errors.New("it has no expiry time")
	case !said.Has("sub"):
		return errors.New("it names no subject")
	}
	return said.CheckTime(v.leeway())
}

func (v *Verifier) leeway() time.Duration {
	if v.Leeway == 0 {
		return 30 * time.Second
	}
	return v.Leeway
}

// token holds the claims of a JWT. The parser requires the getters of jwt.Claims. They return zero
// values, because Verifier.check checks the claims itself, from Set.
type token struct{ claims.Set }

// UnmarshalJSON implements json.Unmarshaler.
func (t *token) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &t.Set) }

func (token) GetExpirationTime() (*jwt.NumericDate, error) { return nil, nil }
func (token) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (token) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (token) GetIssuer() (string, error)                   { return "", nil }
func (token) GetSubject() (string, error)                  { return "", nil }
func (token) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

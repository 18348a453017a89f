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
	// maxToken is the longest token that is looked at, in bytes.
	maxToken = 16 << 10
	// maxLeeway is how far clocks may be apart at most.
	maxLeeway = time.Minute
)

// Verifier is an auth.Verifier for signed tokens. One that counts is not looked at
// again for a minute, or until it expires. Its fields are set before it is
// used and not changed after that; it must not be copied.
type Verifier struct {
	// Issuers are the authorization servers whose tokens count, by their identifiers,
	// exactly as these are in their metadata and tokens.
	Issuers []string
	// Audiences are what tokens must be for, one of them at least: the URL of the
	// auth.Resource, and other names that an authorization server has for it. They are
	// compared as they are written; a single slash after the host means nothing.
	Audiences []string
	// KeySets are the URLs of the keys of issuers that have no metadata. Default:
	// what their metadata say (RFC 8414, OpenID Connect Discovery).
	KeySets map[string]string
	// Algorithms are those with which tokens may be signed, of RS256, RS384, RS512,
	// PS256, PS384, PS512, ES256, ES384, ES512 and EdDSA. Default: all of these.
	Algorithms []string
	// Leeway is how far the clocks of issuers may be from that of the server.
	// Default 30 s, at most 1 minute.
	Leeway time.Duration
	// AccessTokensOnly accepts tokens of the type at+jwt alone (RFC 9068). Many authorization servers still issue access
	// tokens of the type JWT, or without a type. By default the type at+jwt is required of a client as soon as its issuer
	// has issued one for that client. Tokens with marks of ID tokens or refresh tokens never count, nor do tokens of another type that name neither a client nor a scope.
	AccessTokensOnly bool
	// GroupClaims are the claims with the groups and roles of users, for auth.Grant.Groups: names, or paths through objects
	// like "realm_access.roles". Default: groups and roles.
	GroupClaims []string
	// HTTP fetches metadata and keys. Default: a client that needs no proxy, takes at
	// most 10 s, follows no redirects, and reaches what is not public only at the host
	// of an issuer or of KeySets.
	HTTP *http.Client

	once    sync.Once
	err     error
	parser  *jwt.Parser
	keySets map[string]*keySet
	recent  recent
	typed   typed
}

// Err tells what is wrong with the fields, or is nil. A Verifier with an error checks
// no token.
func (v *Verifier) Err() error {
	v.once.Do(v.prepare)
	return v.err
}

func (v *Verifier) prepare() {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if len(v.Issuers) == 0 {
		problem("there is no issuer whose tokens would count")
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
		v.keySets[issuer] = &keySet{issuer: issuer, fixed: at, client: client}
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

// Verify implements auth.Verifier.
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

func (v *Verifier) verify(ctx context.Context, text string) (*auth.Grant, error) {
	var said token
	var why error // it is better told without what the parser says around it
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
	if kind := said.NoAccessToken(); kind != "" {
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
	grant.Expires = grant.Expires.Add(v.leeway()) // by the issuer's clock that may be now
	return grant, nil
}

// keysFor finds the keys that may have signed a token. Of its header only the type,
// the algorithm and the name of the key count.
func (v *Verifier) keysFor(ctx context.Context, t *jwt.Token, said claims.Set) (jwt.VerificationKeySet, error) {
	var none jwt.VerificationKeySet
	if _, critical := t.Header["crit"]; critical {
		return none, errors.New("its header has critical parameters, of which none is known")
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
		return none, errors.New("its issuer is none that this server knows")
	}
	name, named := t.Header["kid"]
	id, isText := name.(string)
	if named && !isText {
		return none, errors.New("the name of its key is no text")
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

// check looks at for whom a token is, and when (RFC 7519 §4.1, RFC 9068 §4).
func (v *Verifier) check(said claims.Set) error {
	if err := said.For(v.Audiences); err != nil {
		return err
	}
	switch {
	case !said.Has("exp"):
		return errors.New("it never expires")
	case !said.Has("sub"):
		return errors.New("it names no subject")
	}
	return said.Current(v.leeway())
}

func (v *Verifier) leeway() time.Duration {
	if v.Leeway == 0 {
		return 30 * time.Second
	}
	return v.Leeway
}

// token are the claims of one, of which package jwt looks at none: that is done here.
type token struct{ claims.Set }

// UnmarshalJSON implements json.Unmarshaler.
func (t *token) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &t.Set) }

func (token) GetExpirationTime() (*jwt.NumericDate, error) { return nil, nil }
func (token) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (token) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (token) GetIssuer() (string, error)                   { return "", nil }
func (token) GetSubject() (string, error)                  { return "", nil }
func (token) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

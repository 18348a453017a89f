package app

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// introspectVariable is the environment variable with the credentials, CLIENT_ID:SECRET,
// with which the server asks an authorization server about tokens.
const introspectVariable = "DOUGU_INTROSPECT_CLIENT"

// Resource describes the protection of a server: the accepted authorization servers and
// users, and further tokens. See Authenticate.
type Resource struct {
	// Name is the name of the server for people.
	Name string
	// URL is the address by which clients know the server. Tokens are issued for it (RFC
	// 8707).
	URL string
	// Issuers are the URLs of the authorization servers. Without any, only Tokens are
	// accepted.
	Issuers []string
	// Audiences are further accepted values of the claim aud.
	Audiences []string
	// AccessTokensOnly accepts only JWTs of the type at+jwt (RFC 9068).
	AccessTokensOnly bool
	// KnownPermissions are the permissions that tools need. Other permissions in Tokens,
	// Roles and ScopeNames are errors.
	KnownPermissions []string
	// Scopes are the permissions that tokens can have. Requests without the Required
	// permissions are refused. Initial are the permissions that clients request first.
	Scopes, Required, Initial []string
	// ScopeNames maps permissions to the scope names of the authorization server, where
	// they differ.
	ScopeNames map[string]string
	// Allow, Roles and IgnoreScopes are the fields of auth.Resource with these names.
	Allow        []string
	Roles        map[string][]string
	IgnoreScopes bool
	// GroupClaims are the names of claims that contain groups.
	GroupClaims []string
	// Introspect is the URL of the introspection endpoint (RFC 7662), used with the
	// credentials ClientID and ClientSecret. If it is empty, tokens must be signed JWTs.
	Introspect, ClientID, ClientSecret string
	// Tokens are further bearer tokens in the format of -token-file. Default: none.
	Tokens string
	// Log receives messages of the verification.
	Log *slog.Logger
}

// authFlags are the flags -auth-….
type authFlags struct {
	issuers, scopes, required, initial wordsFlag
	audiences, allow, claims           listFlag
	roles                              rolesFlag
	names                              scopeNamesFlag
	resource, introspect               textFlag
	typed                              bool
}

// noScopes is the value of -auth-scopes for an authorization server without scopes for this
// server.
const noScopes = "none"

func (o *authFlags) flags(flags *flag.FlagSet) {
	flags.Var(&o.issuers, "auth-issuer", "accept users with an access token of the authorization server at this `URL`; separate several with commas, or repeat the flag")
	flags.Var(&o.resource, "auth-resource", "`URL` of this server, for which tokens are issued (default the URL of -http)")
	flags.Var(&o.audiences, "auth-audience", "another `name` of this server in access tokens, for authorization servers that do not issue tokens for its URL; separate several with commas")
	flags.Var(&o.allow, "auth-allow", "accept only these `users`, separated by commas: subjects, and group:NAME for the members of a group (default every user with a token)")
	flags.Var(&o.roles, "auth-role", "permissions of users, `USERS=PERMISSION,…`, where USERS is a subject, group:NAME, or * for all; several times. Users then have no others, whatever the scopes of their tokens (default the scopes alone decide)")
	flags.Var(&o.claims, "auth-group-claims", "`claims` of access tokens with the groups and roles of a user, separated by commas, such as realm_access.roles (default groups,roles)")
	flags.Var(&o.scopes, "auth-scopes", "`scopes` that clients can ask for, separated by commas; none if the authorization server has no scopes for this server and -auth-role decides (default the permissions that the tools need: read, write and so on)")
	flags.Var(&o.names, "auth-scope-name", "scope of the authorization server that stands for a permission, `PERMISSION=SCOPE`, such as read=api://my-server/files.read; several times")
	flags.Var(&o.required, "auth-required", "`scopes` that every request needs, separated by commas")
	flags.Var(&o.initial, "auth-initial", "`scopes` that clients ask for first, separated by commas; tools that need more ask for it (default read)")
	flags.BoolVar(&o.typed, "auth-at-jwt", false, "accept signed access tokens of the type at+jwt alone (default: for each client after its issuer has issued such a token)")
	flags.Var(&o.introspect, "auth-introspect", "ask about each token at this `URL` of the authorization server, as the client CLIENT_ID:SECRET of the environment variable "+introspectVariable+" (default: tokens are signed)")
}

func (o *authFlags) isOn() bool { return len(o.issuers) > 0 }

// isSet reports whether a flag is set that requires -auth-issuer.
func (o *authFlags) isSet() bool {
	return o.resource != "" || o.introspect != "" || o.typed || o.roles != nil || o.names != nil ||
		o.scopes != nil || o.required != nil || o.initial != nil || o.audiences != nil || o.allow != nil || o.claims != nil
}

// wordsFlag holds the values of a repeatable flag, separated by commas or spaces.
type wordsFlag []string

// String implements flag.Value.
func (w *wordsFlag) String() string { return strings.Join(*w, ",") }

// Set implements flag.Value.
func (w *wordsFlag) Set(text string) error {
	given := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
	if len(given) == 0 {
		return errEmptyFlag
	}
	*w = append(*w, given...)
	return nil
}

// errEmptyFlag refuses an empty value, for example of an unset variable: it must not remove
// the protection of a server.
var errEmptyFlag = errors.New("it is empty; omit the flag, or give it a value")

// listFlag holds the values of a repeatable flag, separated by commas. A value may contain
// spaces.
type listFlag []string

// String implements flag.Value.
func (l *listFlag) String() string { return strings.Join(*l, ",") }

// Set implements flag.Value.
func (l *listFlag) Set(text string) error {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			return errEmptyFlag
		}
		*l = append(*l, item)
	}
	return nil
}

// textFlag is the text of a flag that must not be empty.
type textFlag string

// String implements flag.Value.
func (v *textFlag) String() string { return string(*v) }

// Set implements flag.Value.
func (v *textFlag) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errEmptyFlag
	}
	*v = textFlag(text)
	return nil
}

// rolesFlag holds the values of -auth-role: permissions by user or group.
type rolesFlag map[string][]string

// String implements flag.Value.
func (r *rolesFlag) String() string { return "" }

// Set implements flag.Value.
func (r *rolesFlag) Set(text string) error {
	at := strings.LastIndexByte(text, '=')
	if at <= 0 {
		return errors.New("write USERS=PERMISSION,…, such as group:staff=read,write")
	}
	var permissions wordsFlag
	if err := permissions.Set(text[at+1:]); err != nil {
		return err
	}
	if *r == nil {
		*r = make(rolesFlag)
	}
	(*r)[text[:at]] = append((*r)[text[:at]], permissions...)
	return nil
}

// scopeNamesFlag holds the values of -auth-scope-name: scopes by permission.
type scopeNamesFlag map[string]string

// String implements flag.Value.
func (n *scopeNamesFlag) String() string { return "" }

// Set implements flag.Value.
func (n *scopeNamesFlag) Set(text string) error {
	permission, scope, ok := strings.Cut(text, "=")
	if !ok || permission == "" || scope == "" {
		return errors.New("write PERMISSION=SCOPE, such as read=files.read")
	}
	if *n == nil {
		*n = make(scopeNamesFlag)
	}
	if before, twice := (*n)[permission]; twice && before != scope {
		return fmt.Errorf("the permission %q has the scope %q already", permission, before)
	}
	(*n)[permission] = scope
	return nil
}

// checkAuthentication refuses flags for tokens that contradict each other or the program.
func (a *App) checkAuthentication(p *Program, tokens string) error {
	o := &a.options.remote.auth
	switch {
	case a.options.remote.noToken && (tokens != "" || o.isOn() || p.Authenticated):
		return a.usageError(fmt.Errorf("-no-token contradicts -token-file, -auth-issuer and %s; leave one out", tokenVariable))
	case p.Authenticated && tokens != "":
		return fmt.Errorf("the settings of %s name tokens; leave out %s and -token-file", a.Name, tokenVariable)
	case p.Authenticated && o.isOn():
		return fmt.Errorf("the settings of %s name tokens; leave out -auth-issuer", a.Name)
	case !o.isOn() && o.isSet():
		return errors.New("the flags -auth-… belong to -auth-issuer")
	case o.introspect != "" && len(o.issuers) > 1:
		return errors.New("-auth-introspect asks one authorization server; name one with -auth-issuer")
	}
	return nil
}

// authentication returns the handler that asks for tokens in front of the served handler.
func (a *App) authentication(p *Program, places []boundAddress, tokens string, encrypted bool, log *slog.Logger) (func(http.Handler) http.Handler, error) {
	if !a.options.remote.auth.isOn() && tokens == "" {
		return composeWraps(p.WrapPublic, p.Wrap), nil
	}
	resource, err := a.resource(p, places, tokens, encrypted)
	if err != nil {
		return nil, err
	}
	resource.Log = log
	authenticate := a.Authenticate
	if authenticate == nil {
		authenticate = Authenticate
	}
	asks, err := authenticate(resource)
	switch {
	case err != nil && !a.options.remote.auth.isOn():
		return nil, fmt.Errorf("the tokens in %s: %w", a.tokenSource(), err)
	case err != nil:
		return nil, err
	}
	return composeWraps(p.WrapPublic, composeWraps(asks.Wrap, p.Wrap)), nil
}

// resource returns the server as the flags describe it.
func (a *App) resource(p *Program, places []boundAddress, tokens string, encrypted bool) (Resource, error) {
	o := &a.options.remote.auth
	r := Resource{
		Name: a.Name, URL: string(o.resource), Issuers: o.issuers, Audiences: o.audiences, AccessTokensOnly: o.typed, KnownPermissions: p.permissions(),
		Scopes: o.scopes, Required: o.required, Initial: o.initial, ScopeNames: o.names,
		Allow: o.allow, Roles: o.roles, GroupClaims: o.claims, Introspect: string(o.introspect), Tokens: tokens,
	}
	if !o.isOn() {
		return r, nil
	}
	switch {
	case slices.Contains(o.scopes, noScopes) && len(o.scopes) > 1:
		return r, errors.New("-auth-scopes has none and scopes; write none alone")
	case slices.Equal(o.scopes, wordsFlag{noScopes}):
		r.Scopes, r.IgnoreScopes = nil, true
	case o.scopes == nil:
		r.Scopes = slices.DeleteFunc(slices.Clone(r.KnownPermissions), func(p string) bool { return strings.HasSuffix(p, "*") })
	}
	if o.initial == nil && slices.Contains(r.Scopes, mcp.PermissionRead) {
		r.Initial = []string{mcp.PermissionRead}
	}
	if r.URL == "" {
		var err error
		if r.URL, err = deriveURL(places, encrypted); err != nil {
			return r, err
		}
	}
	if o.introspect == "" {
		return r, nil
	}
	var ok bool
	if r.ClientID, r.ClientSecret, ok = strings.Cut(os.Getenv(introspectVariable), ":"); !ok || r.ClientID == "" {
		return r, fmt.Errorf("-auth-introspect needs CLIENT_ID:SECRET in the environment variable %s: authorization servers respond only to registered clients", introspectVariable)
	}
	return r, nil
}

// deriveURL returns the URL of the server from its only listener. With several paths it is
// their common prefix.
func deriveURL(places []boundAddress, encrypted bool) (string, error) {
	at, ok := places[0].listener.Addr().(*net.TCPAddr)
	if !ok || len(places) > 1 || at.IP.IsUnspecified() {
		return "", errors.New("-auth-issuer needs -auth-resource, the URL of this server")
	}
	u := url.URL{Scheme: "http", Host: at.String()}
	if encrypted {
		u.Scheme = "https"
	}
	if len(places[0].routes) == 1 {
		for u.Path = range places[0].routes {
		}
	}
	return u.String(), nil
}

// hosts returns the accepted host names: known, and on a loopback address also the host of
// -auth-resource, which a reverse proxy uses.
func (o *authFlags) hosts(known []string, at net.Addr) []string {
	u, err := url.Parse(string(o.resource))
	tcp, ok := at.(*net.TCPAddr)
	if err != nil || u.Host == "" || !ok || !tcp.IP.IsLoopback() {
		return known
	}
	return append(known[:len(known):len(known)], u.Host)
}

// tokenText returns the tokens of -token-file or the environment, or "".
func (a *App) tokenText() (string, error) {
	if file := string(a.options.remote.tokenFile); file != "" {
		text, err := ReadTokens(file)
		if err == nil && strings.TrimSpace(text) == "" {
			err = fmt.Errorf("there is no token in %s", file)
		}
		return text, err
	}
	return os.Getenv(tokenVariable), nil
}

// tokenSource names the source of tokenText for messages.
func (a *App) tokenSource() string {
	if file := string(a.options.remote.tokenFile); file != "" {
		return file
	}
	return "the environment variable " + tokenVariable
}

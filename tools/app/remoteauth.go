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

// introspectVariable is the environment variable with as whom a server asks about
// tokens.
const introspectVariable = "DOUGU_INTROSPECT_CLIENT"

// Resource describes a server that asks for access tokens: the authorization servers and their users, and tokens of a file.
type Resource struct {
	Name string // for people
	URL  string // by which clients know the server
	// Issuers are the authorization servers. Without them only Tokens count.
	Issuers []string
	// Audiences are further names of the server in access tokens.
	Audiences []string
	// AccessTokensOnly accepts tokens of the type at+jwt alone.
	AccessTokensOnly bool
	// KnownPermissions are the permissions that tools need. Other permissions in Tokens and Roles are errors.
	KnownPermissions []string
	// Scopes are the permissions that tokens can have, Required the permissions without which nothing is served, and Initial the
	// permissions to ask for at first. ScopeNames has the scopes of permissions with another name.
	Scopes, Required, Initial []string
	ScopeNames                map[string]string
	// Allow, Roles and IgnoreScopes are as in auth.Resource. GroupClaims are the claims with groups.
	Allow        []string
	Roles        map[string][]string
	IgnoreScopes bool
	GroupClaims  []string
	// Introspect is the URL at which an authorization server answers questions about tokens, for the client ClientID with
	// ClientSecret. Without it the tokens are signed.
	Introspect, ClientID, ClientSecret string
	// Tokens are further tokens, as in the file of -token-file; empty for none.
	Tokens string
	Log    *slog.Logger
}

// authFlags are the flags for access tokens.
type authFlags struct {
	issuers, scopes, required, initial wordsFlag
	audiences, allow, claims           listFlag
	roles                              rolesFlag
	names                              scopeNamesFlag
	resource, introspect               textFlag
	typed                              bool
}

// noScopes is the value of -auth-scopes for authorization servers without scopes of the server.
const noScopes = "none"

func (o *authFlags) flags(flags *flag.FlagSet) {
	flags.Var(&o.issuers, "auth-issuer", "let users in who have an access token of this authorization server, a `URL`; several apart by commas, or the flag again")
	flags.Var(&o.resource, "auth-resource", "the `URL` by which clients know this server and for which tokens are issued (default that of -http)")
	flags.Var(&o.audiences, "auth-audience", "another `name` of this server in access tokens, for authorization servers that do not issue tokens for its URL; several apart by commas")
	flags.Var(&o.allow, "auth-allow", "let these `users` in alone, apart by commas: subjects, and group:NAME for the members of a group (default every user with a token)")
	flags.Var(&o.roles, "auth-role", "permissions of users, `USERS=PERMISSION,…`, where USERS is a subject, group:NAME, or * for all; several times. Users then have no others, whatever the scopes of their tokens (default the scopes alone decide)")
	flags.Var(&o.claims, "auth-group-claims", "`claims` of access tokens with the groups and roles of a user, apart by commas, such as realm_access.roles (default groups,roles)")
	flags.Var(&o.scopes, "auth-scopes", "`scopes` that clients can ask for, apart by commas; none if the authorization server has no scopes for this server and -auth-role decides (default the permissions that the tools need: read, write and so on)")
	flags.Var(&o.names, "auth-scope-name", "scope of the authorization server that stands for a permission, `PERMISSION=SCOPE`, such as read=api://my-server/files.read; several times")
	flags.Var(&o.required, "auth-required", "`scopes` without which nothing is served, apart by commas")
	flags.Var(&o.initial, "auth-initial", "`scopes` that clients are to ask for at first, apart by commas; tools that need more ask for it (default read)")
	flags.BoolVar(&o.typed, "auth-at-jwt", false, "accept signed access tokens of the type at+jwt alone (default: of a client as soon as its issuer has issued one)")
	flags.Var(&o.introspect, "auth-introspect", "ask about each token at this `URL` of the authorization server, as the client CLIENT_ID:SECRET of the environment variable "+introspectVariable+" (default: tokens are signed)")
}

func (o *authFlags) isOn() bool { return len(o.issuers) > 0 }

// isSet reports whether a flag is set that means nothing without -auth-issuer.
func (o *authFlags) isSet() bool {
	return o.resource != "" || o.introspect != "" || o.typed || o.roles != nil || o.names != nil ||
		o.scopes != nil || o.required != nil || o.initial != nil || o.audiences != nil || o.allow != nil || o.claims != nil
}

// wordsFlag are the values of a flag that may be given several times.
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

// errEmptyFlag is the error of a flag without a value, as from a variable that is not set: it must not open a server.
var errEmptyFlag = errors.New("it is empty; leave the flag out, or give it a value")

// listFlag are the values of a flag that may be given several times, apart by commas. A value may have spaces.
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

// textFlag is a text of a flag that is not empty.
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

// rolesFlag are the values of the flag -auth-role: permissions by users.
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

// scopeNamesFlag are the values of the flag -auth-scope-name: scopes by permission.
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

// checkAuthentication refuses flags that contradict each other, or the settings.
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
		return r, fmt.Errorf("-auth-introspect needs CLIENT_ID:SECRET in the environment variable %s: authorization servers answer known clients alone", introspectVariable)
	}
	return r, nil
}

// deriveURL is by which clients on this machine know the server: of several paths, what
// they have in common.
func deriveURL(places []boundAddress, encrypted bool) (string, error) {
	at, ok := places[0].listener.Addr().(*net.TCPAddr)
	if !ok || len(places) > 1 || at.IP.IsUnspecified() {
		return "", errors.New("-auth-issuer needs -auth-resource, the URL by which clients know this server")
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

// hosts are the names to which a server answers: on a loopback address what stands
// before it may ask for it by the name that it has for clients.
func (o *authFlags) hosts(known []string, at net.Addr) []string {
	u, err := url.Parse(string(o.resource))
	tcp, ok := at.(*net.TCPAddr)
	if err != nil || u.Host == "" || !ok || !tcp.IP.IsLoopback() {
		return known
	}
	return append(known[:len(known):len(known)], u.Host)
}

// tokenText are the tokens that the flags and the environment have; empty for none.
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

// tokenSource is where they are.
func (a *App) tokenSource() string {
	if file := string(a.options.remote.tokenFile); file != "" {
		return file
	}
	return "the environment variable " + tokenVariable
}

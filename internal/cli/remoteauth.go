package cli

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// introspectVariable is the environment variable with as whom a server asks about
// tokens.
const introspectVariable = "DOUGU_INTROSPECT_CLIENT"

// Resource says whose access tokens a server accepts, and as what it is known to
// those who issue them.
type Resource struct {
	Name       string // for people
	URL        string // by which clients know it
	Issuers    []string
	Scopes     []string // that tools may need
	Introspect string   // where one asks about tokens; empty: they are signed
	// As whom the server asks.
	ClientID, ClientSecret string
	// Tokens are further ones, as in the file of -token-file; empty for none.
	Tokens string
	Log    *slog.Logger
}

// authorization are the flags that say whose access tokens are accepted.
type authorization struct {
	issuers, scopes words
	resource        string
	introspect      string
}

func (o *authorization) flags(flags *flag.FlagSet) {
	flags.Var(&o.issuers, "auth-issuer", "let those in who have an access token of this authorization server, a `URL`; several apart by commas, or the flag again")
	flags.StringVar(&o.resource, "auth-resource", "", "the `URL` by which clients know this server and for which tokens are issued (default that of -http)")
	flags.Var(&o.scopes, "auth-scopes", "`scopes` that tools may need, apart by commas, which clients are told of")
	flags.StringVar(&o.introspect, "auth-introspect", "", "ask about each token at this `URL` of the authorization server, as the client CLIENT_ID:SECRET of the environment variable "+introspectVariable+" (default: tokens are signed)")
}

func (o *authorization) isOn() bool { return len(o.issuers) > 0 }

// words are the values of a flag that may be given several times.
type words []string

// String implements flag.Value.
func (w *words) String() string { return strings.Join(*w, ",") }

// Set implements flag.Value.
func (w *words) Set(text string) error {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == ' ' }) {
		*w = append(*w, word)
	}
	return nil
}

// checkAuthentication refuses flags that contradict each other, or the settings.
func (a *App) checkAuthentication(p *Program, tokens string) error {
	o := &a.options.remote.auth
	switch {
	case a.options.remote.noToken && (tokens != "" || o.isOn() || p.Authenticated):
		return a.misused(fmt.Errorf("-no-token contradicts -token-file, -auth-issuer and %s; leave one out", tokenVariable))
	case p.Authenticated && tokens != "":
		return fmt.Errorf("the settings of %s name tokens; leave out %s and -token-file", a.Name, tokenVariable)
	case p.Authenticated && o.isOn():
		return fmt.Errorf("the settings of %s name tokens; leave out -auth-issuer", a.Name)
	case !o.isOn() && (o.resource != "" || o.scopes != nil || o.introspect != ""):
		return errors.New("-auth-resource, -auth-scopes and -auth-introspect belong to -auth-issuer")
	case o.introspect != "" && len(o.issuers) > 1:
		return errors.New("-auth-introspect asks one authorization server; name one with -auth-issuer")
	case o.isOn() && a.Resource == nil:
		return fmt.Errorf("-auth-issuer: %s does not know what to do with access tokens", a.Name)
	case !o.isOn() && tokens != "" && a.Tokens == nil:
		return fmt.Errorf("there are tokens, and %s does not know what to do with them", a.Name)
	}
	return nil
}

// authentication is what is put in front of what is served.
func (a *App) authentication(p *Program, places []place, tokens string, encrypted bool, log *slog.Logger) (func(http.Handler) http.Handler, error) {
	o := &a.options.remote.auth
	var asks Authenticator
	var err error
	switch {
	case o.isOn():
		var resource Resource
		if resource, err = a.resource(places, tokens, encrypted); err == nil {
			resource.Log = log
			asks, err = a.Resource(resource)
		}
	case tokens != "":
		asks, err = a.Tokens(tokens)
		if err != nil {
			err = fmt.Errorf("the tokens in %s: %w", a.tokenSource(), err)
		}
	default:
		return p.Wrap, nil
	}
	if err != nil {
		return nil, err
	}
	return inside(asks.Wrap, p.Wrap), nil
}

// resource is what the flags say of the server.
func (a *App) resource(places []place, tokens string, encrypted bool) (Resource, error) {
	o := &a.options.remote.auth
	r := Resource{Name: a.Name, URL: o.resource, Issuers: o.issuers, Scopes: o.scopes, Introspect: o.introspect, Tokens: tokens}
	if r.URL == "" {
		var err error
		if r.URL, err = ownURL(places, encrypted); err != nil {
			return r, err
		}
	}
	if o.introspect == "" {
		return r, nil
	}
	var ok bool
	if r.ClientID, r.ClientSecret, ok = strings.Cut(os.Getenv(introspectVariable), ":"); !ok || r.ClientID == "" {
		return r, fmt.Errorf("-auth-introspect needs CLIENT_ID:SECRET in the environment variable %s: authorization servers tell of tokens only whom they know", introspectVariable)
	}
	return r, nil
}

// ownURL is by which clients on this machine know the server: of several paths, what
// they have in common.
func ownURL(places []place, encrypted bool) (string, error) {
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
func (o *authorization) hosts(known []string, at net.Addr) []string {
	u, err := url.Parse(o.resource)
	tcp, ok := at.(*net.TCPAddr)
	if err != nil || u.Host == "" || !ok || !tcp.IP.IsLoopback() {
		return known
	}
	return append(known[:len(known):len(known)], u.Host)
}

// tokenText are the tokens that the flags and the environment have; empty for none.
func (a *App) tokenText() (string, error) {
	if file := a.options.remote.tokenFile; file != "" {
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
	if file := a.options.remote.tokenFile; file != "" {
		return file
	}
	return "the environment variable " + tokenVariable
}

package app

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/localuser"
	"github.com/dougu-go/dougu/transport/websocket"
)

// Paths of the transports at an HTTP address.
const (
	httpPath      = "/mcp"
	webSocketPath = "/ws"
)

// tokenVariable is the environment variable with the tokens of clients. The flag
// -token-file replaces it.
const tokenVariable = "DOUGU_TOKEN"

// maxTokenFile is the largest accepted token file, in bytes.
const maxTokenFile = 1 << 20

// Authenticator checks the tokens of HTTP requests.
type Authenticator interface {
	// Wrap returns a handler that passes requests with a valid token to next. It refuses
	// other requests with the challenge that the client needs.
	Wrap(http.Handler) http.Handler
}

// remoteFlags are the flags for serving over the network.
type remoteFlags struct {
	http, webSocket string // addresses; empty for none
	stdio           bool
	tokenFile       textFlag
	noToken         bool
	certFile        string
	keyFile         string
	auth            authFlags
}

func (a *App) serveFlags(flags *flag.FlagSet) {
	r := &a.options.remote
	if a.ServeFlags != nil {
		a.ServeFlags(flags)
	}
	flags.StringVar(&r.http, "http", "", "serve Streamable HTTP at this `address`, such as 127.0.0.1:3000, under "+httpPath)
	flags.StringVar(&r.webSocket, "ws", "", "serve WebSocket at this `address`, which may be that of -http, under "+webSocketPath)
	flags.BoolVar(&r.stdio, "stdio", false, "serve standard input and output, in addition to -http and -ws or alone")
	flags.Var(&r.tokenFile, "token-file", "accept only clients with a bearer token from this `file`, NAME=TOKEN a line (default the tokens in the environment variable "+tokenVariable+")")
	if a.NeedsToken {
		flags.BoolVar(&r.noToken, "no-token", false, "serve loopback addresses without a token: to all programs of this user, and on systems other than Linux to all users of the machine (default: clients need one; the command token prints it)")
	}
	r.auth.flags(flags)
	flags.StringVar(&r.certFile, "tls-cert", "", "encrypt with the certificate in this PEM `file`")
	flags.StringVar(&r.keyFile, "tls-key", "", "private key of the certificate, a PEM `file`")
}

// isOn reports whether the server can be reached over the network.
func (r *remoteFlags) isOn() bool { return r.http != "" || r.webSocket != "" }

// boundAddress is a listener with the routes that it serves.
type boundAddress struct {
	listener net.Listener
	routes   map[string]transport.Route // by path
}

// networkEndpoints listens at the addresses of the flags and returns their endpoints, with
// -stdio also standard input and output. It prints the URLs.
func (a *App) networkEndpoints(ctx context.Context, p *Program, opts *transport.Options) ([]transport.Endpoint, error) {
	r := &a.options.remote
	tokens, err := a.tokenText()
	if err == nil {
		err = a.checkAuthentication(p, tokens)
	}
	if err != nil {
		return nil, err
	}
	ownToken := a.NeedsToken && !r.noToken && !p.Authenticated && tokens == "" && !r.auth.isOn()
	if ownToken {
		own, err := a.Token()
		if err != nil {
			return nil, err
		}
		tokens = own.Text
		p.Wrap = composeWraps(asOwner, p.Wrap)
	}
	encryption, err := r.encryption()
	if err != nil {
		return nil, err
	}
	authenticated := p.Authenticated || tokens != "" || r.auth.isOn()
	places, err := r.listen(ctx, authenticated)
	if err != nil {
		return nil, err
	}
	wrap, err := a.authentication(p, places, tokens, encryption != nil, opts.Log)
	if err != nil {
		return nil, errors.Join(err, closeListeners(places))
	}
	var endpoints []transport.Endpoint
	for _, at := range places {
		hosts := r.auth.hosts(p.Hosts, at.listener.Addr())
		for path := range at.routes {
			at.routes[path] = r.route(path, opts, hosts)
		}
		if !authenticated {
			at.listener = localuser.Listen(at.listener, cmp.Or(opts.Log, slog.Default()))
		}
		endpoints = append(endpoints, transport.HTTP{Listener: at.listener, TLS: encryption, Routes: at.routes, Wrap: wrap, Log: opts.Log})
		a.announce(at.listener.Addr(), at.routes, encryption != nil, authenticated && !r.auth.isOn())
	}
	if ownToken {
		a.announceToken()
	}
	if r.stdio {
		endpoints = append(endpoints, stdio{a, opts})
	}
	return endpoints, nil
}

// route returns the transport for a path.
func (r *remoteFlags) route(path string, opts *transport.Options, hosts []string) transport.Route {
	if path == webSocketPath {
		return websocket.Options{Connection: opts, Hosts: hosts}
	}
	return httpserver.Options{MaxMessage: opts.MaxMessage, Log: opts.Log, Hosts: hosts}
}

// listen listens at the addresses of the flags. HTTP and WebSocket share a listener if
// their addresses are equal. On an error it closes all listeners.
func (r *remoteFlags) listen(ctx context.Context, authenticated bool) ([]boundAddress, error) {
	var places []boundAddress
	at := make(map[string]int) // by address
	for _, wanted := range [...]struct{ address, path string }{{r.http, httpPath}, {r.webSocket, webSocketPath}} {
		if wanted.address == "" {
			continue
		}
		i, known := at[wanted.address]
		if !known {
			err := CheckAddress(wanted.address, authenticated)
			if err != nil {
				return nil, errors.Join(err, closeListeners(places))
			}
			l, err := new(net.ListenConfig).Listen(ctx, "tcp", wanted.address)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("listening: %w", err), closeListeners(places))
			}
			i = len(places)
			at[wanted.address] = i
			places = append(places, boundAddress{l, make(map[string]transport.Route)})
		}
		places[i].routes[wanted.path] = nil
	}
	return places, nil
}

func closeListeners(places []boundAddress) error {
	var err error
	for _, at := range places {
		err = errors.Join(err, at.listener.Close())
	}
	return err
}

// composeWraps returns outer(inner(next)). Both may be nil.
func composeWraps(outer, inner func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	switch {
	case inner == nil:
		return outer
	case outer == nil:
		return inner
	}
	return func(next http.Handler) http.Handler { return outer(inner(next)) }
}

// asOwner removes the principal from requests with the user's token. Over the network the
// user then has the same processes, agents and tasks as on standard input.
func asOwner(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(protocol.WithPrincipal(r.Context(), "")))
	})
}

// ReadTokens reads a token file of at most 1 MiB. It does not parse the tokens.
func ReadTokens(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("reading the tokens: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxTokenFile+1))
	if err == nil && len(raw) > maxTokenFile {
		err = fmt.Errorf("it is larger than %d bytes", maxTokenFile)
	}
	if err != nil {
		return "", fmt.Errorf("reading the tokens in %s: %w", file, err)
	}
	return string(raw), nil
}

// CheckAddress refuses an address that other machines may reach, unless clients are
// authenticated. It does not resolve names, because their addresses may change; localhost
// counts as this machine.
func CheckAddress(address string, authenticated bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the address %q: %w; write it as 127.0.0.1:3000", address, err)
	}
	if authenticated || isLoopback(host) {
		return nil
	}
	return fmt.Errorf("%s can be reached by other machines: give a token in the environment variable %s or with -token-file, name the issuer of tokens with -auth-issuer, or use 127.0.0.1", address, tokenVariable)
}

// isLoopback reports whether a host is localhost or a loopback address.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// stdio is the Endpoint of the App's standard input and output.
type stdio struct {
	app  *App
	opts *transport.Options
}

// Serve implements transport.Endpoint.
func (e stdio) Serve(ctx context.Context, d protocol.Dispatcher) error {
	if e.app.Stdin != os.Stdin || e.app.Stdout != os.Stdout {
		return transport.ServeIO(ctx, d, e.app.Stdin, nopCloser{e.app.Stdout}, e.opts)
	}
	return transport.ServeStdio(ctx, d, e.opts)
}

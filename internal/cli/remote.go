package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/streamhttp"
	"github.com/dougu-go/dougu/transport/websocket"
)

// The paths at which servers are reached.
const (
	httpPath      = "/mcp"
	webSocketPath = "/ws"
)

// tokenVariable is the environment variable with the tokens that clients must
// have.
const tokenVariable = "DOUGU_TOKEN"

// maxTokenFile bounds what is read of a file with tokens, in bytes.
const maxTokenFile = 1 << 20

// Authenticator lets requests with a known token pass, and tells the others what
// they lack.
type Authenticator interface {
	Wrap(http.Handler) http.Handler
}

// remote are the flags that let others than the parent process reach a server.
type remote struct {
	http, webSocket string // addresses; empty for none
	stdio           bool
	tokenFile       string
	certFile        string
	keyFile         string
}

func (a *App) serveFlags(flags *flag.FlagSet) {
	r := &a.options.remote
	flags.StringVar(&r.http, "http", "", "serve Streamable HTTP at this `address`, such as 127.0.0.1:3000, under "+httpPath)
	flags.StringVar(&r.webSocket, "ws", "", "serve WebSocket at this `address`, which may be that of -http, under "+webSocketPath)
	flags.BoolVar(&r.stdio, "stdio", false, "serve standard input and output too when there is -http or -ws")
	flags.StringVar(&r.tokenFile, "token-file", "", "let only those in who have one of the bearer tokens in this `file`, NAME=TOKEN a line (default those in the environment variable "+tokenVariable+")")
	flags.StringVar(&r.certFile, "tls-cert", "", "encrypt with the certificate in this PEM `file`")
	flags.StringVar(&r.keyFile, "tls-key", "", "private key of the certificate, a PEM `file`")
}

// isOn reports whether the server can be reached over the network.
func (r *remote) isOn() bool { return r.http != "" || r.webSocket != "" }

// endpoints are what the flags ask for.
func (a *App) endpoints(ctx context.Context, opts *transport.Options) ([]transport.Endpoint, error) {
	r := &a.options.remote
	wrap, err := a.authentication()
	if err != nil {
		return nil, err
	}
	encryption, err := r.encryption()
	if err != nil {
		return nil, err
	}
	routes := make(map[string]map[string]transport.Route) // by address and path
	for _, at := range []struct {
		address, path string
		route         transport.Route
	}{
		{r.http, httpPath, streamhttp.Options{MaxMessage: opts.MaxMessage, Log: opts.Log}},
		{r.webSocket, webSocketPath, websocket.Options{Connection: opts}},
	} {
		if at.address == "" {
			continue
		}
		if err := checkAddress(at.address, wrap != nil); err != nil {
			return nil, err
		}
		if routes[at.address] == nil {
			routes[at.address] = make(map[string]transport.Route)
		}
		routes[at.address][at.path] = at.route
	}
	var endpoints []transport.Endpoint
	for address, paths := range routes {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listening: %w", err), closeListeners(endpoints))
		}
		endpoints = append(endpoints, transport.HTTP{Listener: l, TLS: encryption, Routes: paths, Wrap: wrap, Log: opts.Log})
		a.announce(l.Addr(), paths, encryption != nil, wrap != nil)
	}
	if r.stdio {
		endpoints = append(endpoints, stdio{a, opts})
	}
	return endpoints, nil
}

func closeListeners(endpoints []transport.Endpoint) error {
	var err error
	for _, e := range endpoints {
		if h, ok := e.(transport.HTTP); ok {
			err = errors.Join(err, h.Listener.Close())
		}
	}
	return err
}

// authentication returns what asks for tokens, or nil when there are none.
func (a *App) authentication() (func(http.Handler) http.Handler, error) {
	text := os.Getenv(tokenVariable)
	source := "the environment variable " + tokenVariable
	if file := a.options.remote.tokenFile; file != "" {
		source = file
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading the tokens: %w", err)
		}
		defer f.Close()
		raw, err := io.ReadAll(io.LimitReader(f, maxTokenFile+1))
		if err != nil || len(raw) > maxTokenFile {
			return nil, fmt.Errorf("reading the tokens in %s: it is larger than %d bytes, or cannot be read: %w", file, maxTokenFile, err)
		}
		text = string(raw)
	} else if text == "" {
		return nil, nil
	}
	if a.Tokens == nil {
		return nil, fmt.Errorf("%s has tokens, and %s does not know what to do with them", source, a.Name)
	}
	tokens, err := a.Tokens(text)
	if err != nil {
		return nil, fmt.Errorf("the tokens in %s: %w", source, err)
	}
	return tokens.Wrap, nil
}

// checkAddress refuses addresses that others than this machine may reach, unless
// they need a token. Names are not looked up: what they mean may change.
func checkAddress(address string, authenticated bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the address %q: %w; write it as 127.0.0.1:3000", address, err)
	}
	ip, err := netip.ParseAddr(host)
	if authenticated || host == "localhost" || err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s can be reached by other machines: give a token in the environment variable %s or with -token-file, or use 127.0.0.1", address, tokenVariable)
}

// stdio is the Endpoint of the program's own streams.
type stdio struct {
	app  *App
	opts *transport.Options
}

// Serve implements transport.Endpoint.
func (e stdio) Serve(ctx context.Context, d mcp.Dispatcher) error {
	if e.app.Stdin != os.Stdin || e.app.Stdout != os.Stdout {
		return transport.ServeIO(ctx, d, e.app.Stdin, nopCloser{e.app.Stdout}, e.opts)
	}
	return transport.ServeStdio(ctx, d, e.opts)
}

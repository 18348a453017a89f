package mcpjson

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// Connector makes upstreams of servers. The zero value is ready.
type Connector struct {
	// Authorize is what sends the requests to a server with Rules.OAuth, and gets
	// tokens: the Transport of package security/oauth. principal is empty where all
	// share a connection, and for clients that were not authenticated. Without it such a server
	// cannot be used.
	Authorize func(s Server, principal string) (http.RoundTripper, error)
	// Login begins a login at a server with Rules.OAuth where a user logs in, see
	// gateway.Upstream.Login.
	Login func(ctx context.Context, s Server, principal string) (*gateway.Login, error)
	// Workspace is where a relative "cwd" is, and commands run that have none.
	// Empty: the current directory.
	Workspace string
	// Environ is the environment of the gateway, of which commands get what a
	// program needs to run, and none of the secrets that may be there. Nil:
	// os.Environ.
	Environ []string
	// Options are those of connections.
	Options *transport.Options
	// Log receives what commands write to standard error, at level debug. Default:
	// slog.Default().
	Log *slog.Logger
}

// Upstreams are the upstreams of a file.
func (c Connector) Upstreams(f *File) []gateway.Upstream {
	all := make([]gateway.Upstream, 0, len(f.Servers))
	for _, s := range f.Servers {
		all = append(all, c.Upstream(s))
	}
	return all
}

// Upstream is the upstream of one server. Its name may not be as a prefix must be:
// what is not allowed in one becomes a hyphen there.
func (c Connector) Upstream(s Server) gateway.Upstream {
	r := s.Rules
	u := gateway.Upstream{
		Name: s.Name, Prefix: r.Prefix, Bare: r.Bare, Version: s.Digest,
		Allow: r.Allow, Deny: r.Deny, Describe: r.Describe, NoInstructions: r.NoInstructions,
		Asks: r.Asks != nil && *r.Asks, Timeout: time.Duration(r.Timeout),
		PerPrincipal: r.PerPrincipal || r.Tokens != nil || r.OAuth != nil && !r.OAuth.IsShared(),
		SharedLogin:  r.OAuth != nil && r.OAuth.IsShared(),
	}
	if c.Login != nil && r.OAuth != nil && r.OAuth.AsksUser() {
		u.Login = func(ctx context.Context, principal string) (*gateway.Login, error) { return c.Login(ctx, s, principal) }
	}
	if u.Prefix == "" && !u.Bare {
		u.Prefix = prefixOf(s.Name)
	}
	u.Connect = func(_ context.Context, principal string) (mcp.Transport, error) {
		token := ""
		if r.Tokens != nil {
			if token = r.Tokens[principal]; token == "" {
				return nil, fmt.Errorf("there is no token for %q", principal)
			}
		}
		return c.transport(s, principal, token)
	}
	return u
}

// prefixOf makes a prefix of a name.
func prefixOf(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '-'
	}, name)
}

func (c Connector) transport(s Server, principal, token string) (mcp.Transport, error) {
	header := make(http.Header)
	for key, value := range s.Headers {
		header.Set(key, value)
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	var client *http.Client
	if s.Rules.OAuth != nil {
		if c.Authorize == nil {
			return nil, errors.New("it wants OAuth, which this program does not know")
		}
		with, err := c.Authorize(s, principal)
		if err != nil {
			return nil, err
		}
		client = &http.Client{Transport: with}
	}
	switch s.Kind {
	case Command:
		return c.command(s), nil
	case WebSocket:
		return &websocket.Client{URL: s.URL, Header: header, HTTPClient: client, Options: c.Options, Reconnect: transport.Reconnect{Attempts: -1}}, nil
	}
	return &httpclient.Client{URL: s.URL, Header: header, HTTPClient: client, SSE: s.Kind == SSE, Options: c.Options}, nil
}

// command runs a server in its directory, with the environment that the file
// gives it.
func (c Connector) command(s Server) mcp.Transport {
	log := c.Log
	if log == nil {
		log = slog.Default()
	}
	environ := c.Environ
	if environ == nil {
		environ = os.Environ()
	}
	dir := s.Dir
	if !filepath.IsAbs(dir) && c.Workspace != "" {
		dir = filepath.Join(c.Workspace, dir)
	}
	var env []string
	for key, value := range s.Env {
		env = append(env, key+"="+value)
	}
	slices.Sort(env)
	return transport.Command{
		Path: s.Command, Args: s.Args, Dir: dir, Env: env, Environ: inherited(environ), Options: c.Options,
		Stderr: func(line string) { log.Debug("a server writes", "server", s.Name, "line", line) },
	}
}

// inherits are the variables that a program needs to run as its user expects.
var inherits = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "PWD",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)",
	"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
	"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
}

// inherited is what commands get of an environment.
func inherited(environ []string) []string {
	kept := make([]string, 0, 16)
	for _, pair := range environ {
		key, _, _ := strings.Cut(pair, "=")
		upper := strings.ToUpper(key)
		if runtime.GOOS != "windows" && key != upper && !strings.HasSuffix(upper, "_PROXY") {
			continue
		}
		if slices.Contains(inherits, upper) || strings.HasPrefix(upper, "LC_") || strings.HasPrefix(upper, "XDG_") {
			kept = append(kept, pair)
		}
	}
	return kept
}

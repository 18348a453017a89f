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

	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

// Connector makes gateway upstreams of servers. The zero value is ready to use. Do not
// change it after the first use.
type Connector struct {
	// Authorize returns the HTTP transport that adds access tokens to requests of a server
	// with Rules.OAuth, such as the Transport of package security/oauth. principal is empty
	// for a shared connection and for unauthenticated clients. If it is nil, servers with
	// OAuth are errors.
	Authorize func(s Server, principal string) (http.RoundTripper, error)
	// Login begins a login at a server whose OAuth needs a user, see
	// gateway.Upstream.Login. If it is nil, upstreams have no login.
	Login func(ctx context.Context, s Server, principal string) (*gateway.Login, error)
	// Workspace is the directory of relative "cwd" values and of commands without one.
	// Default: the current directory.
	Workspace string
	// Environ is the environment of the gateway. Commands get only the variables that
	// programs need to run, without possible secrets. Default: os.Environ.
	Environ []string
	// Options are the options of all connections; nil means the defaults.
	Options *transport.Options
	// Log receives the standard error of commands, at level debug. Default: slog.Default().
	Log *slog.Logger
}

// Upstreams returns an upstream for each server of a file.
func (c Connector) Upstreams(f *File) []gateway.Upstream {
	all := make([]gateway.Upstream, 0, len(f.Servers))
	for _, s := range f.Servers {
		all = append(all, c.Upstream(s))
	}
	return all
}

// Upstream returns the upstream of one server. The prefix is Rules.Prefix, or else the
// server's name with a hyphen for each character that is not allowed in a prefix.
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
	u.Connect = func(_ context.Context, principal string) (protocol.Transport, error) {
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

// prefixOf replaces characters that a prefix must not contain by hyphens.
func prefixOf(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '-'
	}, name)
}

func (c Connector) transport(s Server, principal, token string) (protocol.Transport, error) {
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
			return nil, errors.New("it needs OAuth, which this program does not support")
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

// command returns the transport of a child process.
func (c Connector) command(s Server) protocol.Transport {
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

// inherits are the environment variables that commands inherit.
var inherits = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "PWD",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)",
	"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
	"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
}

// inherited returns the part of an environment that commands get.
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

package searchservice

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/localuser"
	"github.com/dougu-go/dougu/transport/websocket"
)

// The URL paths of the server.
const (
	httpPath      = "/mcp"
	webSocketPath = "/ws"
)

// StdioAlone reports whether the settings enable standard input and output and nothing else.
func (s *Server) StdioAlone() bool {
	t := s.service.Config().Transport
	return t.Stdio && !t.HTTP && !t.WebSocket && !t.TCP
}

// Endpoints opens the listeners that the settings enable and writes their URLs to standard error.
// onStdio is included if transport.stdio is enabled. Without tokens, only processes of the same
// user can connect.
func (s *Server) Endpoints(ctx context.Context, onStdio transport.Endpoint, opts *transport.Options) (_ []transport.Endpoint, err error) {
	c, tokens := s.service.Config(), s.tokens
	var listeners []net.Listener
	defer func() {
		for _, l := range listeners {
			if err != nil {
				err = errors.Join(err, l.Close())
			}
		}
	}()
	listen := func(port int) (net.Listener, error) {
		address := net.JoinHostPort(c.Server.Host, strconv.Itoa(port))
		if err := app.CheckAddress(address, tokens != nil); err != nil {
			return nil, err
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listening: %w; choose another port with -port", err)
		}
		listeners = append(listeners, l)
		if tokens == nil {
			l = localuser.Listen(l, s.service.log)
		}
		return l, nil
	}
	var endpoints []transport.Endpoint
	if c.Transport.Stdio {
		endpoints = append(endpoints, onStdio)
	}
	if routes := c.routes(opts); len(routes) > 0 {
		l, err := listen(c.Server.Port)
		if err != nil {
			return nil, err
		}
		endpoints = append(endpoints, transport.HTTP{Listener: l, Routes: routes, Wrap: s.Wrap, Log: opts.Log})
		for path, scheme := range map[string]string{httpPath: "http", webSocketPath: "ws"} {
			if routes[path] != nil {
				fmt.Fprintf(s.stderr, "%s serves %s://%s%s\n", programName, scheme, l.Addr(), path)
			}
		}
	}
	if c.Transport.TCP {
		port := c.Server.Port
		if port > 0 {
			port++
		}
		l, err := listen(port)
		if err != nil {
			return nil, err
		}
		o := *opts
		if tokens != nil {
			o.Verify = tokens.Verify
		}
		endpoints = append(endpoints, transport.Listen{Listener: l, Options: &o})
		fmt.Fprintf(s.stderr, "%s serves tcp://%s\n", programName, l.Addr())
	}
	return endpoints, nil
}

// programName is the name of the program in messages and metrics.
const programName = "cqm"

// routes returns the handlers of HTTP and WebSocket by path.
func (c Config) routes(opts *transport.Options) map[string]transport.Route {
	routes := make(map[string]transport.Route)
	if c.Transport.HTTP {
		routes[httpPath] = httpserver.Options{
			MaxMessage: opts.MaxMessage, Log: opts.Log, Hosts: c.Transport.Hosts,
			KeepAlive: milliseconds(c.Connection.KeepAliveInterval), SessionIdle: milliseconds(c.Connection.IdleTimeout),
		}
	}
	if c.Transport.WebSocket {
		routes[webSocketPath] = websocket.Options{Connection: opts, Hosts: c.Transport.Hosts, Ping: milliseconds(c.Connection.HeartbeatInterval)}
	}
	return routes
}

// tokens returns the tokens that network clients must send, or nil if authentication is disabled.
func (c Config) tokens() (*auth.Tokens, error) {
	a := c.Security.Authentication
	if !a.Enabled {
		return nil, nil
	}
	text := ""
	if a.TokenFile != "" {
		var err error
		if text, err = app.ReadTokens(a.TokenFile); err != nil {
			return nil, err
		}
	}
	if a.TokenSecret != "" {
		text += "\nclient=" + a.TokenSecret + "\n"
	}
	tokens, err := auth.ParseTokens(text)
	if err != nil {
		return nil, fmt.Errorf("security.authentication: %w", err)
	}
	return tokens, nil
}

// Authenticated reports whether network clients need a token.
func (s *Server) Authenticated() bool { return s.tokens != nil }

// Wrap returns a handler that checks tokens, serves the monitoring paths, and forwards all other
// requests to next.
func (s *Server) Wrap(next http.Handler) http.Handler {
	handler := s.wrapMonitoring(next)
	if s.tokens != nil {
		handler = s.tokens.Wrap(handler)
	}
	return handler
}

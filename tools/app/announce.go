package app

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"

	"github.com/dougu-go/dougu/transport"
)

// encryption returns the TLS configuration of the flags -tls-cert and -tls-key, or nil
// without them.
func (r *remoteFlags) encryption() (*tls.Config, error) {
	switch {
	case r.certFile == "" && r.keyFile == "":
		return nil, nil
	case r.certFile == "" || r.keyFile == "":
		return nil, errors.New("-tls-cert and -tls-key belong together")
	}
	pair, err := tls.LoadX509KeyPair(r.certFile, r.keyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// announce prints the URL of each route, and the client configuration for HTTP.
func (a *App) announce(at net.Addr, routes map[string]transport.Route, encrypted, authenticated bool) {
	for _, path := range slices.Sorted(maps.Keys(routes)) {
		scheme := map[string]string{httpPath: "http", webSocketPath: "ws"}[path]
		if encrypted {
			scheme += "s"
		}
		url := scheme + "://" + at.String() + path
		fmt.Fprintf(a.Stderr, "%s %s serves %s\n", a.Name, a.Version, url)
		if path == httpPath {
			a.explainURL(url, authenticated)
		}
	}
}

// explainURL prints the configuration of a client for a server at a URL.
func (a *App) explainURL(url string, authenticated bool) {
	entry := map[string]any{"url": url}
	if authenticated {
		entry["headers"] = map[string]string{"Authorization": "Bearer TOKEN"}
	}
	config, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{a.Name: entry}}, "  ", "  ")
	if err != nil {
		return // strings always encode
	}
	fmt.Fprintf(a.Stderr, "Clients connect with this in their configuration (Cursor: .cursor/mcp.json), which \"%s install CLIENT -http %s\" makes:\n\n  %s\n\n", a.Name, url, config)
}

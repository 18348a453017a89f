package oauth

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/internal/safehttp"
)

// dialControl returns a net.Dialer.Control function that rejects addresses outside r.
func dialControl(r safehttp.Reach) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, c syscall.RawConn) error {
		if err := r.Control(network, address, c); err != nil {
			return fmt.Errorf("%w, but a private, local or reserved one, and the server that points there is not in such a network: %w (an authorization server in Client.Registered may be anywhere)", err, ErrRefusedAddress)
		}
		return nil
	}
}

// checkURL parses the URL of a request: https, or http on this machine. Other URLs fail with
// ErrRefusedAddress.
func checkURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%q is no URL", printable(raw))
	}
	if err := checkParsed(u); err != nil {
		return nil, err
	}
	return u, nil
}

func checkParsed(u *url.URL) error {
	if err := safehttp.CheckParsed(u); err != nil {
		return fmt.Errorf("%w: %w", err, ErrRefusedAddress)
	}
	return nil
}

// parseResource parses and normalizes the URL of a resource. It converts ws and wss to http and
// https.
func parseResource(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("the URL of the resource cannot be read")
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	}
	u.Fragment, u.RawFragment = "", ""
	if err := checkParsed(u); err != nil {
		return nil, fmt.Errorf("the resource: %w", err)
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), canonicalHost(u)
	return u, nil
}

// canonicalHost returns the host in lower case, without the default port of the scheme.
func canonicalHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		port = ""
	}
	switch {
	case port != "":
		return net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		return "[" + host + "]"
	}
	return host
}

// origin returns the scheme and host of a URL, for example https://example.com.
func origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + canonicalHost(u) }

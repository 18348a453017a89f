package origin

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// anything, in a list of a Policy, switches its check off.
const anything = "*"

// Policy decides whether a request is allowed by its Host and Origin. The zero value is the safest: on a loopback
// address it allows only names of this machine, and it allows no page of another site.
type Policy struct {
	// Hosts are the allowed names of the server, for example "example.com" with any port, or "example.com:8443". If there
	// are any, other names are refused, except names of this machine on a loopback address. "*" allows every name.
	Hosts []string
	// Origins are the sites whose pages may send requests in addition to the server's own, for example
	// "https://app.example.com". "null" allows pages without a site, and "*" allows all.
	Origins []string
}

// Check returns why r must be refused, or nil. A request without an Origin does
// not come from a page, or from one of the server's own; browsers that say
// otherwise (Fetch Metadata) are believed.
func (p *Policy) Check(r *http.Request) error {
	if err := p.checkHost(r); err != nil {
		return err
	}
	switch origins := r.Header.Values("Origin"); len(origins) {
	case 0:
		return p.checkSite(r)
	case 1:
		return p.checkOrigin(r, origins[0])
	}
	return fmt.Errorf("the request has more than one Origin header")
}

func (p *Policy) checkHost(r *http.Request) error {
	local := onLoopback(r)
	if !local && len(p.Hosts) == 0 || slices.Contains(p.Hosts, anything) {
		return nil
	}
	name, port, err := splitHost(r.Host)
	switch {
	case err != nil:
		return err
	case local && IsLoopback(name):
		return nil
	}
	for _, listed := range p.Hosts {
		listedName, listedPort, err := splitHost(listed)
		if err == nil && listedName == name && (listedPort == "" || listedPort == port) {
			return nil
		}
	}
	return fmt.Errorf("the server does not answer to the name %q; if it should, list the name in Hosts", clip(r.Host))
}

func (p *Policy) checkOrigin(r *http.Request, value string) error {
	if slices.Contains(p.Origins, anything) {
		return nil
	}
	refused := fmt.Errorf("pages of %q may not use this server; to allow them, add the origin to Origins", clip(value))
	if value == "null" {
		if slices.Contains(p.Origins, value) {
			return nil
		}
		return refused
	}
	site, err := parseSite(value)
	if err != nil {
		return err
	}
	if isOwn(r, site) {
		return nil
	}
	for _, listed := range p.Origins {
		if other, err := parseSite(listed); err == nil && other == site {
			return nil
		}
	}
	return refused
}

// isOwn reports whether a site is the one that the request is sent to. Without
// TLS the scheme is not known: a proxy may have ended it.
func isOwn(r *http.Request, s site) bool {
	if s.scheme != "https" && (s.scheme != "http" || r.TLS != nil) {
		return false
	}
	own, err := parseSite(s.scheme + "://" + r.Host)
	return err == nil && own == s
}

// checkSite checks the header Sec-Fetch-Site, which browsers send with requests that have no Origin, for example requests
// for images.
func (p *Policy) checkSite(r *http.Request) error {
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site != "cross-site" && site != "same-site", slices.Contains(p.Origins, anything):
		return nil
	}
	return fmt.Errorf("pages of other sites may not use this server, and this request does not name its site")
}

// onLoopback reports whether the request came to a loopback address of this
// machine, whatever addresses the server listens on.
func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// IsLoopback reports whether a host always refers to this machine: "localhost", or an address like 127.0.0.1, ::1
// or ::ffff:127.0.0.1 without brackets.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// site is an origin: a scheme, a name and a port, which is empty where it is
// the scheme's own.
type site struct{ scheme, name, port string }

// parseSite reads the serialization of an origin (RFC 6454 §6.2).
func parseSite(value string) (site, error) {
	bad := fmt.Errorf("the Origin %q is malformed; it is a scheme, a host and perhaps a port", clip(value))
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" || strings.ContainsAny(value, "?#") {
		return site{}, bad
	}
	name, port, err := splitHost(u.Host)
	if err != nil {
		return site{}, bad
	}
	s := site{strings.ToLower(u.Scheme), name, port}
	if s.scheme == "http" && port == "80" || s.scheme == "https" && port == "443" {
		s.port = ""
	}
	return s, nil
}

// splitHost takes a Host header apart: a name in lower case or an address
// without brackets, and a port, which may be empty.
func splitHost(host string) (name, port string, err error) {
	bad := fmt.Errorf("the Host header %q is missing or malformed", clip(host))
	u := url.URL{Host: host}
	name, port = strings.ToLower(u.Hostname()), u.Port()
	rebuilt := name
	if strings.HasPrefix(host, "[") {
		rebuilt = "[" + name + "]"
		if _, err := netip.ParseAddr(name); err != nil {
			return "", "", bad
		}
	} else if strings.Contains(name, ":") {
		return "", "", bad
	}
	if port != "" {
		rebuilt += ":" + port
	}
	if name == "" || !strings.EqualFold(rebuilt, host) || strings.ContainsAny(host, " \t/\\@?#%,") {
		return "", "", bad
	}
	return name, port, nil
}

// clip shortens untrusted text for an error message.
func clip(s string) string {
	const most = 100
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

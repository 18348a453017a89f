package apps

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxSources limits the origins of each list. maxSource limits the length of an origin, in
	// bytes.
	maxSources = 100
	maxSource  = 256
)

// CSP lists the origins that a page needs, for example "https://api.example.com" or
// "https://*.example.com". The zero value permits no external origin (MCP Apps, "UI Resource
// Format").
type CSP struct {
	Connect  []string `json:"connectDomains"`  // Connect are origins of requests: https, http, wss or ws.
	Resource []string `json:"resourceDomains"` // Resource are origins of scripts, styles, images, fonts and media.
	Frame    []string `json:"frameDomains"`    // Frame are origins of frames in the page.
	BaseURI  []string `json:"baseUriDomains"`  // BaseURI are origins for the base of relative URLs.
}

// lists returns all lists with their permitted schemes.
func (c *CSP) lists() []sourceList {
	web := []string{"https", "http"}
	return []sourceList{
		{"connectDomains", &c.Connect, append(web, "wss", "ws")}, {"resourceDomains", &c.Resource, web},
		{"frameDomains", &c.Frame, web}, {"baseUriDomains", &c.BaseURI, web},
	}
}

// sourceList is one list of a CSP.
type sourceList struct {
	name    string
	sources *[]string
	schemes []string
}

// Granted returns the valid origins, and a message for each refused one. Only origins with a scheme
// and a host are valid: a server cannot request all origins or add directives. A host can display
// refused to developers of the page.
func (c CSP) Granted() (granted CSP, refused []string) {
	from := c.lists()
	for i, to := range granted.lists() {
		*to.sources = []string{}
		for n, source := range *from[i].sources {
			if n == maxSources {
				refused = append(refused, fmt.Sprintf("%s: %d more than %d", to.name, len(*from[i].sources)-n, maxSources))
				break
			}
			origin, err := canonical(source, to.schemes)
			if err != nil {
				refused = append(refused, to.name+": "+err.Error())
			} else if !slices.Contains(*to.sources, origin) {
				*to.sources = append(*to.sources, origin)
			}
		}
	}
	return granted, refused
}

// Policy returns the Content-Security-Policy for the granted origins. The host must apply it to the
// page, as a header or as the first meta element. It is never wider than the policy of the
// specification. It is stricter where the specification would let a page reach its host: forms are
// disabled, and requests go only to declared origins.
func (c CSP) Policy() string {
	c, _ = c.Granted()
	resources := append([]string{"'self'"}, c.Resource...)
	inline := append([]string{"'self'", "'unsafe-inline'"}, c.Resource...)
	data := append([]string{"'self'", "data:"}, c.Resource...)
	var b strings.Builder
	b.WriteString("default-src 'none'")
	for _, d := range []struct {
		name    string
		sources []string
		without string // value of an empty list
	}{
		{"script-src", inline, ""}, {"style-src", inline, ""}, {"img-src", data, ""}, {"font-src", resources, ""}, {"media-src", data, ""},
		{"connect-src", c.Connect, "'none'"}, {"frame-src", c.Frame, "'none'"}, {"object-src", nil, "'none'"},
		{"base-uri", c.BaseURI, "'self'"}, {"form-action", nil, "'none'"},
	} {
		if len(d.sources) == 0 {
			d.sources = []string{d.without}
		}
		b.WriteString("; " + d.name + " " + strings.Join(d.sources, " "))
	}
	return b.String()
}

// canonical returns an origin in the form of policies, or the reason to refuse it.
func canonical(source string, schemes []string) (string, error) {
	if len(source) > maxSource {
		return "", fmt.Errorf("an origin of %d bytes; at most %d are allowed", len(source), maxSource)
	}
	scheme, rest, ok := strings.Cut(strings.ToLower(source), "://")
	if !ok || !slices.Contains(schemes, scheme) {
		return "", fmt.Errorf("%q is no origin of %s", source, strings.Join(schemes, ", "))
	}
	rest = strings.TrimSuffix(rest, "/")
	host, port := rest, ""
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.HasSuffix(rest, "]") {
		host, port = rest[:i], rest[i+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("the port of %q is not a number from 1 to 65535", source)
		}
	}
	if !isHost(host) {
		return "", fmt.Errorf("%q does not name a host", source)
	}
	return scheme + "://" + rest, nil
}

// isHost reports whether s is a host name, an IP address, or "*." before a host name with a dot;
// *.com is refused.
func isHost(s string) bool {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return ok && err == nil && address.Is6() && address.Zone() == ""
	}
	if under, ok := strings.CutPrefix(s, "*."); ok {
		if s = under; !strings.Contains(s, ".") {
			return false
		}
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
				return false
			}
		}
	}
	return true
}

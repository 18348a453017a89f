package apps

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxSources is how many origins each list may have, and maxSource how long
	// each may be, in bytes.
	maxSources = 100
	maxSource  = 256
)

// CSP are the origins that a page needs, such as "https://api.example.com" or
// "https://*.example.com". The zero value is none: nothing is loaded from
// anywhere, and nothing sent (MCP Apps, "UI Resource Format").
type CSP struct {
	Connect  []string `json:"connectDomains"`  // requests: https, http, wss or ws
	Resource []string `json:"resourceDomains"` // scripts, styles, images, fonts, media
	Frame    []string `json:"frameDomains"`    // pages inside the page
	BaseURI  []string `json:"baseUriDomains"`  // what relative URLs may begin at
}

// lists are all lists with the schemes that each may have.
func (c *CSP) lists() []sourceList {
	web := []string{"https", "http"}
	return []sourceList{
		{"connectDomains", &c.Connect, append(web, "wss", "ws")}, {"resourceDomains", &c.Resource, web},
		{"frameDomains", &c.Frame, web}, {"baseUriDomains", &c.BaseURI, web},
	}
}

type sourceList struct {
	name    string
	sources *[]string
	schemes []string
}

// Granted is what of it is allowed, and refused what is not, with the reason: only
// origins with a scheme and a host are, so that a server can neither ask for
// everything nor write directives of its own. A host shows refused to who wants to
// know why a page does not work.
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

// Policy is the Content-Security-Policy for what is granted, which a host must
// apply to the page: with a header, or a meta element before everything else. It is
// never wider than the specification's, and narrower where that would let a page
// reach its host: forms are not sent, and requests go to declared origins alone.
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
		without string // where there are no sources
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

// canonical is an origin as policies have it.
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

// isHost reports whether s is a name, an address, or "*." before a name that is not
// a whole domain of names, such as *.com.
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

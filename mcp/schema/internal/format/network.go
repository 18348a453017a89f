package format

import (
	"net/netip"
	"net/url"
	"strings"
)

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isHostname checks RFC 1123, section 2.1. A trailing dot is permitted.
func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	const longest, longestLabel = 253, 63
	if len(s) > longest {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > longestLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isAlphanumeric(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isEmail checks RFC 5322, section 3.4.1. The domain is a host name or an IP address in brackets.
func isEmail(s string) bool {
	const longest, longestLocal = 254, 64
	at := strings.LastIndexByte(s, '@')
	if len(s) > longest || at < 0 || at > longestLocal {
		return false
	}
	domain := s[at+1:]
	if strings.HasPrefix(domain, "[") && strings.HasSuffix(domain, "]") {
		address := domain[1 : len(domain)-1]
		if six, ok := strings.CutPrefix(address, "IPv6:"); ok {
			return isIPv6(six)
		}
		return isIPv4(address)
	}
	return isHostname(domain) && isLocalPart(s[:at])
}

// isLocalPart checks the part of an email address before the @: a dot-atom or a quoted string (RFC 5322, section 3.4.1, and RFC 6532).
func isLocalPart(s string) bool {
	if inner, ok := strings.CutPrefix(s, `"`); ok {
		inner, ok = strings.CutSuffix(inner, `"`)
		return ok && isQuotedContent(inner)
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.ContainsFunc(atom, isNoAtomRune) {
			return false
		}
	}
	return true
}

// isQuotedContent checks the content of a quoted string.
func isQuotedContent(s string) bool {
	escaped := false
	for _, r := range s {
		switch {
		case r < ' ' && r != '\t' || r == 0x7f:
			return false
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			return false
		}
	}
	return !escaped
}

// isNoAtomRune reports whether r cannot be in an atom.
func isNoAtomRune(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("()<>[]:;@\\,.\"", r)
}

// isURI checks an absolute URI.
func isURI(s string) bool {
	u := parseURI(s)
	return u != nil && u.IsAbs()
}

// isURIReference checks a URI or relative reference.
func isURIReference(s string) bool { return parseURI(s) != nil && !strings.Contains(s, `\`) }

// parseURI parses a URI or relative reference (RFC 3986). It returns nil if it is invalid.
func parseURI(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		return nil
	}
	if host := u.Hostname(); strings.Contains(host, ":") && !(strings.HasPrefix(u.Host, "[") && isIPv6(host)) {
		return nil
	}
	return u
}

// isURITemplate checks that the expressions of a template are complete (RFC 6570).
func isURITemplate(s string) bool {
	u := parseURI(s)
	if u == nil {
		return false
	}
	inside := false
	for i := range len(u.RawPath) {
		switch c := u.RawPath[i]; {
		case c == '{' && inside, c == '}' && !inside, c == '/' && inside:
			return false
		case c == '{' || c == '}':
			inside = c == '{'
		}
	}
	return !inside
}

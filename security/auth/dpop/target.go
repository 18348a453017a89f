package dpop

import (
	"net/url"
	"path"
	"strings"
)

// sameTarget reports whether two URLs mean the same place: after what RFC 3986
// §6.2.2 and §6.2.3 say is all the same, and without query and fragment (RFC 9449
// §4.3). The URL of a WebSocket is that of the HTTP request that opens it.
func sameTarget(a, b string) bool {
	x, okA := normal(a)
	y, okB := normal(b)
	return okA && okB && x == y
}

func normal(target string) (string, bool) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return "", false
	}
	scheme, port := httpScheme(u.Scheme), u.Port()
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return scheme + "://" + host + normalPath(u.EscapedPath()), true
}

// httpScheme is the scheme of the HTTP request that opens a WebSocket, and any
// other in small letters.
func httpScheme(scheme string) string {
	switch scheme = strings.ToLower(scheme); scheme {
	case "ws":
		return "http"
	case "wss":
		return "https"
	}
	return scheme
}

// normalPath removes the segments . and .., and escapes where that is needed and
// in capital letters alone.
func normalPath(escaped string) string {
	var b strings.Builder
	for i := 0; i < len(escaped); i++ {
		if escaped[i] != '%' || i+2 >= len(escaped) {
			b.WriteByte(escaped[i])
			continue
		}
		triple := escaped[i : i+3]
		if c, err := url.PathUnescape(triple); err == nil && len(c) == 1 && isUnreserved(c[0]) {
			b.WriteString(c)
		} else {
			b.WriteString(strings.ToUpper(triple))
		}
		i += 2
	}
	plain := b.String()
	if plain == "" {
		return "/"
	}
	if !strings.Contains(plain, "/.") {
		return plain // also one with // in it, which path.Clean would change
	}
	clean := path.Clean(plain)
	if clean != "/" && (strings.HasSuffix(plain, "/") || strings.HasSuffix(plain, "/.") || strings.HasSuffix(plain, "/..")) {
		clean += "/"
	}
	return clean
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

package dpop

import (
	"net/url"
	"path"
	"strings"
)

// sameTarget reports whether two URLs are equal after normalization (RFC 3986 §6.2.2, §6.2.3),
// without query and fragment (RFC 9449 §4.3). A WebSocket URL equals the HTTP URL of its handshake.
func sameTarget(a, b string) bool {
	x, okA := normalize(a)
	y, okB := normalize(b)
	return okA && okB && x == y
}

func normalize(target string) (string, bool) {
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
	return scheme + "://" + host + normalizePath(u.EscapedPath()), true
}

// httpScheme converts ws and wss to http and https, and other schemes to lower case.
func httpScheme(scheme string) string {
	switch scheme = strings.ToLower(scheme); scheme {
	case "ws":
		return "http"
	case "wss":
		return "https"
	}
	return scheme
}

// normalizePath removes the segments . and .., decodes unneeded escapes and writes the others in
// upper case.
func normalizePath(escaped string) string {
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
		return plain // path.Clean would also change a path that contains "//"
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

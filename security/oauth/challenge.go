package oauth

import (
	"net/http"
	"strings"
)

// maxChallenge limits the WWW-Authenticate headers of a response that are parsed, in bytes.
const maxChallenge = 16 << 10

// challenge is the combined Bearer and DPoP challenges of a response (RFC 6750 §3, RFC 9449 §7.1,
// RFC 9728 §5.1).
type challenge struct {
	metadata     string   // URL of the resource's metadata; empty if absent
	scopes       []string // nil if absent
	code         string   // "invalid_token", "insufficient_scope", "use_dpop_nonce" or another error code
	otherSchemes bool     // the response contains only challenges of other schemes
}

// readChallenge combines the challenges of a response. The first value of each parameter counts.
func readChallenge(h http.Header) challenge {
	var c challenge
	all := parseChallenges(h.Values("WWW-Authenticate"))
	c.otherSchemes = len(all) > 0
	for _, one := range all {
		if one.scheme != "bearer" && one.scheme != "dpop" {
			continue
		}
		c.otherSchemes = false
		if c.metadata == "" {
			c.metadata = one.params["resource_metadata"]
		}
		if scope, said := one.params["scope"]; said && c.scopes == nil {
			c.scopes = splitScopes(scope)
		}
		if c.code == "" {
			c.code = one.params["error"]
		}
	}
	return c
}

// authChallenge is one challenge of a header (RFC 9110 §11.6.1).
type authChallenge struct {
	scheme string // in lower case
	params map[string]string
}

// parseChallenges parses WWW-Authenticate headers, each with one or more challenges. A syntax error
// ends the parsing of its header.
func parseChallenges(values []string) []authChallenge {
	var all []authChallenge
	left := maxChallenge
	for _, value := range values {
		if left -= len(value); left < 0 {
			break
		}
		all = append(all, parseChallenge(value)...)
	}
	return all
}

func parseChallenge(value string) []authChallenge {
	var all []authChallenge
	s := scanner{value}
	for {
		s.separators()
		name := s.token()
		if name == "" {
			return all
		}
		s.blanks()
		// A name with "=" is a parameter of the last challenge; any other name starts a new
		// challenge.
		if s.peek() == '=' && len(all) > 0 {
			s.text = s.text[1:]
			s.blanks()
			text, ok := s.value()
			if !ok {
				return all
			}
			params := all[len(all)-1].params
			if name = strings.ToLower(name); params[name] == "" {
				params[name] = text
			}
			continue
		}
		all = append(all, authChallenge{strings.ToLower(name), make(map[string]string)})
		s.token68()
	}
}

// scanner splits the value of a header into its elements.
type scanner struct{ text string }

func (s *scanner) peek() byte {
	if s.text == "" {
		return 0
	}
	return s.text[0]
}

func (s *scanner) blanks()     { s.text = strings.TrimLeft(s.text, " \t") }
func (s *scanner) separators() { s.text = strings.TrimLeft(s.text, " \t,") }

// token reads a token (RFC 9110 §5.6.2).
func (s *scanner) token() string {
	end := 0
	for end < len(s.text) && isTokenByte(s.text[end]) {
		end++
	}
	token := s.text[:end]
	s.text = s.text[end:]
	return token
}

// token68 skips the token68 credentials that some schemes use instead of parameters (RFC 9110
// §11.2).
func (s *scanner) token68() {
	end := strings.IndexAny(s.text, " \t,\"")
	if end < 0 {
		end = len(s.text)
	}
	rest := strings.TrimLeft(s.text[end:], " \t")
	isParameter := strings.ContainsRune(strings.TrimRight(s.text[:end], "="), '=')
	if !isParameter && (rest == "" || rest[0] == ',') {
		s.text = rest
	}
}

// value reads a token or a quoted string. It reports false for an unterminated string.
func (s *scanner) value() (string, bool) {
	if s.peek() != '"' {
		end := strings.IndexAny(s.text, " \t,")
		if end < 0 {
			end = len(s.text)
		}
		value := s.text[:end] // lenient, because many servers do not quote URLs
		s.text = s.text[end:]
		return value, true
	}
	var b strings.Builder
	for i := 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.text = s.text[i+1:]
			return b.String(), true
		case c == '\\' && i+1 < len(s.text):
			i++
			b.WriteByte(s.text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

func isTokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

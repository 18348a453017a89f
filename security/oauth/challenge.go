package oauth

import (
	"net/http"
	"strings"
)

// maxChallenge bounds what is read of the challenges of a response, in bytes.
const maxChallenge = 16 << 10

// challenge is what a server says about the token that it wants (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1).
type challenge struct {
	metadata string   // the URL of the resource's metadata; empty when it is not said
	scopes   []string // nil when it is not said
	code     string   // such as "invalid_token", "insufficient_scope", "use_dpop_nonce"
	foreign  bool     // only other schemes are asked for
}

// readChallenge takes the challenges of a response together. What one of them says first counts.
func readChallenge(h http.Header) challenge {
	var c challenge
	all := parseChallenges(h.Values("WWW-Authenticate"))
	c.foreign = len(all) > 0
	for _, one := range all {
		if one.scheme != "bearer" && one.scheme != "dpop" {
			continue
		}
		c.foreign = false
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

// oneChallenge is a challenge of RFC 9110 §11.6.1.
type oneChallenge struct {
	scheme string // in lower case
	params map[string]string
}

// parseChallenges reads WWW-Authenticate headers, each of which may hold several challenges. What cannot be read ends that
// header.
func parseChallenges(values []string) []oneChallenge {
	var all []oneChallenge
	left := maxChallenge
	for _, value := range values {
		if left -= len(value); left < 0 {
			break
		}
		all = append(all, parseChallenge(value)...)
	}
	return all
}

func parseChallenge(value string) []oneChallenge {
	var all []oneChallenge
	s := scanner{value}
	for {
		s.separators()
		name := s.token()
		if name == "" {
			return all
		}
		s.blanks()
		// A name with a value belongs to the challenge before it, and another name begins one.
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
		all = append(all, oneChallenge{strings.ToLower(name), make(map[string]string)})
		s.token68()
	}
}

// scanner reads the elements of a header's value.
type scanner struct{ text string }

func (s *scanner) peek() byte {
	if s.text == "" {
		return 0
	}
	return s.text[0]
}

func (s *scanner) blanks()     { s.text = strings.TrimLeft(s.text, " \t") }
func (s *scanner) separators() { s.text = strings.TrimLeft(s.text, " \t,") }

// token reads a token of RFC 9110 §5.6.2.
func (s *scanner) token() string {
	end := 0
	for end < len(s.text) && isTokenByte(s.text[end]) {
		end++
	}
	token := s.text[:end]
	s.text = s.text[end:]
	return token
}

// token68 skips what some schemes have instead of parameters.
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

// value reads a token or a quoted string.
func (s *scanner) value() (string, bool) {
	if s.peek() != '"' {
		end := strings.IndexAny(s.text, " \t,")
		if end < 0 {
			end = len(s.text)
		}
		value := s.text[:end] // leniently: many servers do not quote URLs
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

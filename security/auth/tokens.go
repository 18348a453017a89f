package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
)

const (
	// minToken is the minimum length of a token, in bytes. Shorter tokens can be guessed.
	minToken = 16
	// maxToken is the maximum length of a token, in bytes.
	maxToken = 4 << 10
	// maxTokens limits the number of tokens, because each request is compared with all of them.
	maxTokens = 4096
)

// Tokens is a list of accepted bearer tokens with their principals. It stores only SHA-256 hashes.
// The zero value and nil accept no token. It is safe for concurrent use.
type Tokens struct{ entries []tokenEntry }

// tokenEntry is one token of a Tokens.
type tokenEntry struct {
	principal   string
	permissions []string
	limited     bool // the token is limited to permissions
	hash        [sha256.Size]byte
}

// NewTokens returns a list with one token, which has all permissions. The token must have 16 to
// 4096 characters of RFC 6750 §2.1.
func NewTokens(principal, token string) (*Tokens, error) {
	t := new(Tokens)
	if err := t.add(tokenEntry{principal: principal}, token); err != nil {
		return nil, err
	}
	return t, nil
}

// ParseTokens parses "alice=TOKEN,bob=TOKEN": principals and tokens, separated by commas or white
// space. A token without a name belongs to the principal "client". Lines that begin with # are
// comments. A principal can have several tokens. A token has 16 to 4096 characters of RFC 6750 §2.1
// and belongs to one principal. Errors contain principals, never tokens.
//
// Brackets limit a token to permissions: "alice=TOKEN[issues:write,docs:read]" allows tools that
// require one or both of these permissions, and tools that require none. TOKEN[] allows only tools
// that require none. See Permits for "*".
func ParseTokens(text string) (*Tokens, error) {
	t := new(Tokens)
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, entry := range split(line) {
			pair, permissions, limited := strings.Cut(entry, "[")
			principal, token, named := strings.Cut(pair, "=")
			if !named || token == "" || token == "=" { // only padding
				principal, token = "client", pair
			}
			k := tokenEntry{principal: principal, limited: limited}
			if limited {
				var err error
				if k.permissions, err = parsePermissions(permissions); err != nil {
					return nil, fmt.Errorf("the permissions of %q: %w", principal, err)
				}
			}
			if err := t.add(k, token); err != nil {
				return nil, err
			}
		}
	}
	if len(t.entries) == 0 {
		return nil, errors.New("there is no token; write NAME=TOKEN, with a token such as \"openssl rand -hex 32\" makes")
	}
	return t, nil
}

// split splits a line at the separators outside brackets.
func split(line string) (entries []string) {
	begin, inside := -1, false
	for i, c := range line {
		apart := isSeparator(c) && !inside
		switch {
		case apart && begin >= 0:
			entries, begin = append(entries, line[begin:i]), -1
		case !apart && begin < 0:
			begin = i
		}
		inside = c == '[' || inside && c != ']'
	}
	if begin >= 0 {
		entries = append(entries, line[begin:])
	}
	return entries
}

func isSeparator(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }

func (t *Tokens) add(k tokenEntry, token string) error {
	switch {
	case k.principal == "":
		return errors.New("a token needs the name of a principal")
	case len(token) < minToken:
		return fmt.Errorf("the token of %q has %d characters; it needs at least %d, such as \"openssl rand -hex 32\" makes", k.principal, len(token), minToken)
	case !isToken(token):
		return fmt.Errorf("the token of %q is too long, or has a character other than A–Z a–z 0–9 - . _ ~ + / and = at its end", k.principal)
	case len(t.entries) == maxTokens:
		return fmt.Errorf("there are more than %d tokens", maxTokens)
	}
	k.hash = sha256.Sum256([]byte(token))
	for _, other := range t.entries {
		if other.hash == k.hash {
			return fmt.Errorf("%q and %q have the same token", other.principal, k.principal)
		}
	}
	t.entries = append(t.entries, k)
	return nil
}

// isToken reports whether s is a b64token of RFC 6750 §2.1.
func isToken(s string) bool { return isBase64Token(s, maxToken) }

func isBase64Token(s string, most int) bool {
	body := strings.TrimRight(s, "=")
	if body == "" || len(s) > most {
		return false
	}
	for _, c := range []byte(body) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~+/", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// Verify returns the principal of a token. The comparison takes the same time for all tokens. It
// can be used as transport.Options.Verify.
func (t *Tokens) Verify(token string) (principal string, ok bool) {
	if k := t.find(token); k != nil {
		return k.principal, true
	}
	return "", false
}

// find returns the entry of a token, or nil.
func (t *Tokens) find(token string) *tokenEntry {
	if t == nil || len(token) > maxToken {
		return nil
	}
	sum := sha256.Sum256([]byte(token))
	found := -1
	for i := range t.entries {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.entries[i].hash[:]), i, found)
	}
	if found < 0 {
		return nil
	}
	return &t.entries[found]
}

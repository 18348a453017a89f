package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
)

const (
	// minToken is the shortest token that is accepted, in bytes: what is shorter
	// can be guessed.
	minToken = 16
	// maxToken is the longest that is looked at.
	maxToken = 4 << 10
	// maxTokens bounds how many there are, since each is compared with.
	maxTokens = 4096
)

// Tokens are the bearer tokens that a server accepts, each with the principal
// that it stands for. Only their SHA-256 is kept. The zero value, and nil, accept
// none. Tokens may be used concurrently.
type Tokens struct{ known []known }

type known struct {
	principal   string
	permissions []string
	limited     bool // to the permissions
	sum         [sha256.Size]byte
}

// NewTokens returns a set with one token.
func NewTokens(principal, token string) (*Tokens, error) {
	t := new(Tokens)
	if err := t.add(known{principal: principal}, token); err != nil {
		return nil, err
	}
	return t, nil
}

// ParseTokens reads "alice=TOKEN,bob=TOKEN": principals and their tokens,
// separated by commas or white space. A token without a name is that of the
// principal "client". A line that begins with # says nothing. A principal may
// have several tokens; a token has 16 to 4096 characters of RFC 6750 §2.1 and one
// principal. Errors name principals, and never tokens.
//
// A token may be limited to permissions: "alice=TOKEN[issues:write,docs:read]" is
// good for tools that need one or both of these, and for those that need none;
// TOKEN[] is for the latter alone. See Permits for "*".
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
			k := known{principal: principal, limited: limited}
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
	if len(t.known) == 0 {
		return nil, errors.New("there is no token; write NAME=TOKEN, with a token such as \"openssl rand -hex 32\" makes")
	}
	return t, nil
}

// split takes a line apart at what separates tokens, which also separates the
// permissions in brackets.
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

func (t *Tokens) add(k known, token string) error {
	switch {
	case k.principal == "":
		return errors.New("a token needs the name of a principal")
	case len(token) < minToken:
		return fmt.Errorf("the token of %q has %d characters; it needs at least %d, such as \"openssl rand -hex 32\" makes", k.principal, len(token), minToken)
	case !isToken(token):
		return fmt.Errorf("the token of %q is too long, or has a character other than A–Z a–z 0–9 - . _ ~ + / and = at its end", k.principal)
	case len(t.known) == maxTokens:
		return fmt.Errorf("there are more than %d tokens", maxTokens)
	}
	k.sum = sha256.Sum256([]byte(token))
	for _, other := range t.known {
		if other.sum == k.sum {
			return fmt.Errorf("%q and %q have the same token", other.principal, k.principal)
		}
	}
	t.known = append(t.known, k)
	return nil
}

// isToken reports whether s is a b64token of RFC 6750 §2.1.
func isToken(s string) bool { return isB64(s, maxToken) }

func isB64(s string, most int) bool {
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

// Verify returns the principal of a token. It compares with every token that is
// known, in a time that does not depend on which one it is.
func (t *Tokens) Verify(token string) (principal string, ok bool) {
	if k := t.find(token); k != nil {
		return k.principal, true
	}
	return "", false
}

// find returns what is known of a token, or nil.
func (t *Tokens) find(token string) *known {
	if t == nil || len(token) > maxToken {
		return nil
	}
	sum := sha256.Sum256([]byte(token))
	found := -1
	for i := range t.known {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.known[i].sum[:]), i, found)
	}
	if found < 0 {
		return nil
	}
	return &t.known[found]
}

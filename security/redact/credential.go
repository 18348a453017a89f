package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// Redact replaces each credential in a text by "[redacted]": bearer tokens and passwords in
// headers, JSON Web Tokens, keys of well-known services, private key blocks, passwords in URLs, and
// values after a secret name and "=" or ":". Other text is unchanged, including sentences about
// secrets such as "password: must not be empty".
func (r *Redactor) Redact(s string) string {
	var out strings.Builder
	scan := secretScanner{redactor: r, s: s}
	done := 0
	for i := 0; i < len(s); {
		start, end := scan.at(i)
		if end <= i {
			i++
			continue
		}
		out.WriteString(s[done:start])
		out.WriteString(redacted)
		done, i = end, end
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// secretScanner finds secrets in one text, in time proportional to its length.
type secretScanner struct {
	redactor *Redactor
	s        string
	noToken  int // no web token begins before this offset
}

// at returns the secret that is recognized at offset i; end is 0 if there is none.
func (x *secretScanner) at(i int) (start, end int) {
	s := x.s
	switch c := s[i]; {
	case c == ':' && strings.HasPrefix(s[i:], "://"):
		return urlPassword(s, i+3)
	case c == ':' || c == '=':
		return x.redactor.assignedValue(s, i)
	case c == '-':
		return privateKey(s, i)
	case !isWord(c) || i > 0 && isWord(s[i-1]):
		return 0, 0
	}
	if start, end := scheme(s, i); end > 0 {
		return start, end
	}
	if end := x.webToken(i); end > 0 {
		return i, end
	}
	return i, serviceKey(s, i)
}

func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// isToken reports whether a character can be part of a token of base64, base64url or RFC 6750.
func isToken(c byte) bool { return isWord(c) || strings.IndexByte("-.~+/=", c) >= 0 }

func isBase64URL(c byte) bool { return isWord(c) || c == '-' }

// run returns the end of the longest run of characters from i on that satisfy ok.
func run(s string, i int, ok func(byte) bool) int {
	for i < len(s) && ok(s[i]) {
		i++
	}
	return i
}

// urlPassword finds the user information of a URL whose authority begins at i: the password, or a lone long user name. A
// password may contain "@".
func urlPassword(s string, i int) (int, int) {
	colon, at := -1, -1
authority:
	for j := i; j < min(len(s), i+512); j++ {
		switch s[j] {
		case ':':
			if colon < 0 {
				colon = j
			}
		case '@':
			at = j
		case '/', '?', '#', ' ', '\t', '\n', '"', '\'', '<', '>':
			break authority
		}
	}
	switch {
	case colon >= 0 && at > colon+1:
		return colon + 1, at
	case (colon < 0 || colon > at) && at-i >= 16:
		return i, at
	}
	return 0, 0
}

// assignedValue finds the value behind a secret name and the "=" or ":" at i.
func (r *Redactor) assignedValue(s string, i int) (int, int) {
	nameEnd := i
	for nameEnd > 0 && strings.IndexByte(` "'\`, s[nameEnd-1]) >= 0 {
		nameEnd--
	}
	name := nameEnd
	for name > 0 && nameEnd-name < 64 && (isWord(s[name-1]) || s[name-1] == '-' || s[name-1] == '.') {
		name--
	}
	if name == nameEnd || !r.SecretKey(s[name:nameEnd]) {
		return 0, 0
	}
	start := run(s, i+1, isBlank)
	if start == len(s) {
		return 0, 0
	}
	if s[start] == '\\' && start+1 < len(s) && (s[start+1] == '"' || s[start+1] == '\'') {
		return start + 2, escapedEnd(s, start+2)
	}
	if quote := s[start]; quote == '"' || quote == '\'' {
		end := quotedEnd(s, start)
		if end == start+2 && !isWord(s[start+1]) && s[start+1] < utf8.RuneSelf {
			return 0, 0 // a single sign, as in: unexpected token: '}'
		}
		return start + 1, end
	}
	if from, end := privateKey(s, start); end > 0 {
		return from, end
	}
	end := run(s, start, isBare)
	if s[i] == ':' && nameEnd == i && start > i+1 && isProse(s, start, end) {
		return 0, 0
	}
	if word := s[start:end]; end < len(s) && isBlank(s[end]) && isScheme(word) {
		end = run(s, run(s, end, isBlank), isBare) // Authorization: Bearer …
	} else if s[i] == ':' && isHeader(s[name:nameEnd]) {
		end = headerEnd(s, name, start)
	}
	if end == start || s[start:end] == redacted {
		return 0, 0
	}
	return start, end
}

// isProse reports whether s[start:end] begins a sentence about a secret, as in "password: must not be empty". Only
// exact words count. The words after it are scanned like other text, so a passphrase that begins with an exact word
// is not redacted: "password: the quick brown fox".
func isProse(s string, start, end int) bool {
	word, rest := s[start:end], s[end:]
	if word = strings.TrimSuffix(word, "."); proseStates[word] || proseStates[strings.TrimSuffix(word, ":")] {
		return true
	}
	next, spaced := strings.CutPrefix(rest, " ")
	if !spaced || next == "" || next[0] == ' ' {
		return false
	}
	if proseStarts[word] {
		return true
	}
	next = next[:run(next, 0, isBare)]
	// The word open precedes a path, and set the name of a setting.
	return slices.Contains(prosePairs[word], strings.TrimRight(next, ".:")) || word == "open" && strings.ContainsAny(next, `/\`) || word == "set" && strings.ContainsAny(next, "._-")
}

// Words at the beginning of sentences about secrets. The sets are never changed.
var (
	// proseStates describe a secret and may end the sentence.
	proseStates = wordSet("missing required expired empty invalid unknown none unset absent unauthorized")
	// proseStarts are followed by further words.
	proseStarts = wordSet("must not no the it is are was has a an this that cannot could should may if when there too unexpected unable failed")
	// prosePairs begin the texts of common errors.
	prosePairs = map[string][]string{
		"permission": {"denied"}, "connection": {"refused", "reset", "closed", "is"}, "context": {"deadline", "canceled"}, "access": {"denied", "is"}, "operation": {"not"},
		"file": {"does", "already"},
	}
)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func isBare(c byte) bool { return c > ' ' && strings.IndexByte(`,;&"'(){}<>`, c) < 0 }

// quotedEnd finds the closing quote of the string that opens at i, or the end of the text.
func quotedEnd(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case s[i]:
			if j == i+1 {
				return 0 // nothing in it
			}
			return j
		}
	}
	return len(s)
}

// escapedEnd returns the end of a string in a quoted text, which begins at i behind \" and ends at the next \".
func escapedEnd(s string, i int) int {
	for j := i; j+1 < len(s); j++ {
		if s[j] == '\\' {
			if s[j+1] == s[i-1] {
				return j
			}
			j++
		}
	}
	return len(s)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isScheme reports whether a word is an authentication scheme with credentials of one word.
func isScheme(word string) bool {
	return strings.EqualFold(word, "bearer") || strings.EqualFold(word, "basic") || strings.EqualFold(word, "token")
}

// isHeader reports whether a name is an HTTP header with a secret value of several parts.
func isHeader(name string) bool {
	name = strings.ToLower(name)
	return name == "authorization" || name == "proxy-authorization" || name == "cookie" || name == "set-cookie"
}

// headerEnd returns the end of the value of a header whose name begins at name: the end of the line, or of the quotes around the
// header.
func headerEnd(s string, name, start int) int {
	end := start + len(s[start:])
	if at := strings.IndexAny(s[start:], "\r\n"); at >= 0 {
		end = start + at
	}
	if name > 0 && (s[name-1] == '"' || s[name-1] == '\'') {
		if at := strings.IndexByte(s[start:end], s[name-1]); at >= 0 {
			end = start + at
		}
	}
	return end
}

// scheme finds the credentials after the word Bearer or Basic at i. Both words also occur in prose,
// so the credentials must look like a token.
func scheme(s string, i int) (int, int) {
	const bearer, basic = "bearer ", "basic "
	if s[i]|0x20 != 'b' {
		return 0, 0
	}
	if len(s)-i > len(bearer) && strings.EqualFold(s[i:i+len(bearer)], bearer) {
		start := i + len(bearer)
		end := run(s, start, isToken)
		if end-start >= 20 || end-start >= 8 && strings.ContainsAny(s[start:end], "0123456789") {
			return start, end
		}
	}
	if len(s)-i > len(basic) && strings.EqualFold(s[i:i+len(basic)], basic) {
		start := i + len(basic)
		end := run(s, start, isToken)
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s[start:end], "="))
		if err == nil && strings.ContainsRune(string(plain), ':') {
			return start, end
		}
	}
	return 0, 0
}

// webToken finds the end of a JSON Web Token at i: two parts of base64url that begin as JSON objects do, and a signature.
func (x *secretScanner) webToken(i int) int {
	s := x.s
	if i < x.noToken || !strings.HasPrefix(s[i:], "eyJ") {
		return 0
	}
	header := run(s, i, isBase64URL)
	x.noToken = header // another start in the same part fails too
	if header-i < 10 || !strings.HasPrefix(s[header:], ".") {
		return 0
	}
	payload := run(s, header+1, isBase64URL)
	if payload-header < 10 || !strings.HasPrefix(s[payload:], ".") {
		return 0
	}
	return run(s, payload+1, isBase64URL)
}

// serviceKeys are prefixes of keys of well-known services, with the minimum number of base64url
// characters after them.
var serviceKeys = [...]struct {
	prefix string
	least  int
}{
	{"AKIA", 16}, {"ASIA", 16}, // Amazon
	{"AIza", 30}, {"ya29.", 20}, {"GOCSPX-", 20}, // Google
	{"ghp_", 30}, {"gho_", 30}, {"ghu_", 30}, {"ghs_", 30}, {"ghr_", 30}, {"github_pat_", 30}, {"glpat-", 16}, // forges
	{"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"xapp-", 10}, // Slack
	{"sk-", 20}, {"sk_live_", 16}, {"sk_test_", 16}, {"rk_live_", 16}, {"rk_test_", 16}, {"whsec_", 16}, // OpenAI, Anthropic, Stripe
	{"npm_", 30}, {"pypi-", 30}, {"hf_", 30}, {"dop_v1_", 30}, {"SG.", 30}, {"lin_api_", 30}, {"key_", 40},
}

// serviceKey finds the end of a key of a well-known service at i.
func serviceKey(s string, i int) int {
	for _, key := range serviceKeys {
		if s[i] != key.prefix[0] || !strings.HasPrefix(s[i:], key.prefix) {
			continue
		}
		body := i + len(key.prefix)
		end := run(s, body, func(c byte) bool { return isBase64URL(c) || c == '.' })
		if end-body >= key.least {
			return end
		}
	}
	return 0
}

// privateKey finds a PEM block with a private key at i. A block without an end extends to the end
// of the text.
func privateKey(s string, i int) (int, int) {
	const begin, finish, dashes = "-----BEGIN ", "-----END ", "-----"
	if !strings.HasPrefix(s[i:], begin) {
		return 0, 0
	}
	label, _, ok := strings.Cut(s[i+len(begin):min(len(s), i+len(begin)+64)], dashes)
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return 0, 0
	}
	end := strings.Index(s[i:], finish+label+dashes)
	if end < 0 {
		return i, len(s)
	}
	return i, i + end + len(finish) + len(label) + len(dashes)
}

// secretWords are last words of variable names that hold credentials, in addition to the names of
// SecretKey.
var secretWords = []string{"pass", "sshpass", "pat", "key", "keys", "creds", "cred", "dsn", "webhook"}

// SecretVariable reports whether an environment variable holds a credential: by its name, for example DB_PASS or
// API_KEY, or by a value in which FindSecret finds one.
func (r *Redactor) SecretVariable(name, value string) bool {
	words := strings.Split(strings.ToLower(name), "_")
	if r.SecretKey(name) || slices.Contains(secretWords, words[len(words)-1]) {
		return true
	}
	_, end := r.FindSecret(value)
	return end > 0
}

// FindSecret returns the first credential in a text; end is 0 if there is none. It is stricter than
// Redact, for reviews before a publication. It finds keys of well-known services, private keys, web
// tokens, passwords in URLs, and random-looking literals after a secret name. Code that reads a
// password is not reported.
func (r *Redactor) FindSecret(s string) (start, end int) {
	scan := secretScanner{redactor: r, s: s}
	for i := 0; i < len(s); i++ {
		start, end := scan.at(i)
		if end <= i {
			continue
		}
		if c := s[i]; (c == ':' || c == '=') && !strings.HasPrefix(s[i:], "://") && !looksRandom(s[start:end]) || isPlaceholder(s[start:end]) {
			i = max(i, start-1)
			continue
		}
		return start, end
	}
	return 0, 0
}

// looksRandom reports whether a value is more likely a secret than a word, a name or an expression.
func looksRandom(value string) bool {
	const least = 8
	if len(value) < least || strings.ContainsAny(value, " \t()[]{}<>$") {
		return false
	}
	letters, digits, signs := 0, 0, 0
	for _, c := range []byte(value) {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		case '0' <= c && c <= '9':
			digits++
		default:
			signs++
		}
	}
	return digits > 0 && letters > 0 && (digits+letters >= 3*signs)
}

// isPlaceholder reports whether a value is a placeholder for a secret.
func isPlaceholder(value string) bool {
	value = strings.ToLower(value)
	for _, word := range []string{"example", "changeme", "placeholder", "your_", "your-", "xxxx", "redacted", "${", "{{", "<"} {
		if strings.Contains(value, word) {
			return true
		}
	}
	return false
}

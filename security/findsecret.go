package security

import (
	"slices"
	"strings"
)

// secretWords end the names of variables that hold credentials, beside the names of SecretKey.
var secretWords = []string{"pass", "sshpass", "pat", "key", "keys", "creds", "cred", "dsn", "webhook"}

// SecretVariable reports whether a variable of the environment holds a credential: by its name, such as DB_PASS or API_KEY, or by a
// value in which FindSecret finds one.
func (r *Redactor) SecretVariable(name, value string) bool {
	words := strings.Split(strings.ToLower(name), "_")
	if r.SecretKey(name) || slices.Contains(secretWords, words[len(words)-1]) {
		return true
	}
	_, end := r.FindSecret(value)
	return end > 0
}

// FindSecret finds the first thing in a text that is a credential, not only where one could stand, as Redact has it: the key of a
// well-known service, a private key, a web token, a password in a URL, or a literal after a secret name that looks
// made up by a machine. end is 0 if there is none. It is for what people are to look at before it is published: code that reads
// a password from somewhere is not found.
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

// looksRandom tells whether a value is rather a secret than a word, a name or an expression.
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

// isPlaceholder tells whether a value stands for one that is to be filled in.
func isPlaceholder(value string) bool {
	value = strings.ToLower(value)
	for _, word := range []string{"example", "changeme", "placeholder", "your_", "your-", "xxxx", "redacted", "${", "{{", "<"} {
		if strings.Contains(value, word) {
			return true
		}
	}
	return false
}

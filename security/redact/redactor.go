// Package redact takes secrets out of texts, JSON and log records. A [Redactor] knows two signs of a secret: the name of a value,
// such as password or apiKey, and text that looks like a credential, such as a bearer token or a private key. [NewHandler] puts a
// Redactor before any slog.Handler. It guards against accidents, not against an author who hides a secret from it.
package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Options configures New. Every member has a default.
type Options struct {
	// Keys are further names whose values are secret, beside password, token, apiKey, authorization and the like. They match
	// anywhere in a name, whatever its case, dashes and underscores.
	Keys []string
	// MaxValue is the number of bytes beyond which a value is cut to its beginning, size and digest; 256 by default.
	MaxValue int
}

// Redactor takes secrets out of what is written to logs: values of names that say they are secret, and text that looks like a
// credential. It is a guard against accidents, not against somebody who hides a secret from it. A nil *Redactor is the default
// one. It scans by hand, in one pass and without regular expressions; even so it is not meant for the results of tools.
type Redactor struct {
	keys     []string
	maxValue int
}

const (
	redacted        = "[redacted]"
	defaultMaxValue = 256
)

// New makes a Redactor.
func New(o Options) *Redactor {
	r := &Redactor{maxValue: o.MaxValue}
	for _, key := range o.Keys {
		if key = plainKey(key); key != "" {
			r.keys = append(r.keys, key)
		}
	}
	return r
}

func (r *Redactor) limit() int {
	if r == nil || r.maxValue <= 0 {
		return defaultMaxValue
	}
	return r.maxValue
}

// secretParts make a name secret wherever they stand in it; secretEnds only at its end, so that "maxTokens" is none.
var (
	secretParts = [...]string{"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "signingkey", "encryptionkey", "credential", "authorization", "cookie", "connectionstring"}
	secretEnds  = [...]string{"token", "pwd", "auth", "jwt", "bearer"}
)

// SecretKey reports whether the name of a value says that the value is secret.
func (r *Redactor) SecretKey(name string) bool {
	name = plainKey(name)
	for _, part := range secretParts {
		if strings.Contains(name, part) {
			return true
		}
	}
	for _, end := range secretEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	if r != nil {
		for _, part := range r.keys {
			if strings.Contains(name, part) {
				return true
			}
		}
	}
	return false
}

// plainKey drops everything but letters and digits from a name: "X-Api-Key" and "x_apiKey" are one.
func plainKey(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'A' <= c && c <= 'Z':
			return c + ('a' - 'A')
		case c == '-' || c == '_' || c == '.' || c == ' ':
			return -1
		}
		return c
	}, name)
}

// Shorten cuts a long text to its beginning, and says how long it was and what its sha256 begins with, so that two values can
// still be told apart.
func (r *Redactor) Shorten(s string) string {
	limit := r.limit()
	if len(s) <= limit {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return cutText(s, limit) + digestNote(len(s), sum)
}

func digestNote(size int, sum [sha256.Size]byte) string {
	return fmt.Sprintf("… [%d bytes, sha256 %s]", size, hex.EncodeToString(sum[:8]))
}

func cutText(s string, limit int) string {
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// secretSpan is how much of a long text behind the cut is looked at, so that a secret that the cut goes through is still seen.
const secretSpan = 4096

// Text redacts and shortens a text. Of a long one only the beginning is read, apart from the digest.
func (r *Redactor) Text(s string) string {
	limit := r.limit()
	if len(s) <= limit {
		return r.Redact(s)
	}
	sum := sha256.Sum256([]byte(s))
	head := r.Redact(cutText(s, min(len(s)-1, limit+secretSpan)))
	if len(head) > limit {
		head = cutText(head, limit)
	}
	return head + digestNote(len(s), sum)
}

// JSON redacts and shortens the values in a JSON text. What is no JSON is redacted as text, and returned as a JSON string.
func (r *Redactor) JSON(text []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil || dec.More() {
		value = string(text)
	}
	return encodeJSON(r.value(value, false))
}

// value redacts in place what can hold secrets. Everything below a secret name is secret.
func (r *Redactor) value(v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = r.value(member, secret || r.SecretKey(key))
		}
	case []any:
		for i, element := range v {
			v[i] = r.value(element, secret)
		}
	case string:
		if secret && v != "" {
			return redacted
		}
		return r.Text(v)
	case json.Number:
		if secret {
			return redacted
		}
	}
	return v
}

// encodeJSON encodes values that were decoded from JSON, which cannot fail.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

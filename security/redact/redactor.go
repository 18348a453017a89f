// Package redact removes secrets from texts, JSON and log records. A [Redactor] recognizes a secret
// by the name of a value, such as password or apiKey, or by its form, such as a bearer token or a
// private key. [NewHandler] adds a Redactor to any slog.Handler. It prevents accidents. It does not
// find a secret that an author hides on purpose.
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

// Options are the settings of New. Each field has a default.
type Options struct {
	// Keys are additional names of secret values, besides password, token, apiKey, authorization
	// and similar names. They match any part of a name; case, dashes and underscores are ignored.
	Keys []string
	// MaxValue is the maximum length of a value, in bytes. A longer value is replaced by its
	// beginning, size and digest. Default 256.
	MaxValue int
}

// Redactor removes secrets from log values: values with secret names and text that looks like a
// credential. A nil *Redactor uses the defaults. It is safe for concurrent use. It prevents
// accidents only. It is for logs and audit records; for the results of tools, which can have
// megabytes, it is too slow.
type Redactor struct {
	keys     []string
	maxValue int
}

const (
	redacted        = "[redacted]"
	defaultMaxValue = 256
)

// New returns a Redactor.
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

// secretParts mark a name as secret at any position; secretEnds only at its end, so that
// "maxTokens" is not secret.
var (
	secretParts = [...]string{"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "signingkey", "encryptionkey", "credential", "authorization", "cookie", "connectionstring"}
	secretEnds  = [...]string{"token", "pwd", "auth", "jwt", "bearer"}
)

// SecretKey reports whether a name marks its value as secret.
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

// plainKey returns a name in lower case without separators: "X-Api-Key" and "x_apiKey" are equal.
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

// Shorten truncates a long text to MaxValue bytes and appends its size and the beginning of its
// SHA-256, so that different values remain distinguishable.
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

// secretSpan is the number of bytes after the cut that are scanned, so that a secret across the cut
// is found.
const secretSpan = 4096

// Text redacts and shortens a text; Redact finds the secrets. In a text longer than MaxValue, only
// the first MaxValue and secretSpan bytes are searched for secrets, because the rest is cut off. The
// digest is that of all bytes.
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

// JSON redacts and shortens the values of a JSON text. Invalid JSON is redacted as text and
// returned as a JSON string.
func (r *Redactor) JSON(text []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil || dec.More() {
		value = string(text)
	}
	return encodeJSON(r.value(value, false))
}

// value redacts a decoded value in place. secret is true below a secret name: all strings, except the
// empty one, and all numbers are then redacted. Booleans and null are never redacted.
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

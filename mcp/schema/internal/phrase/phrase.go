// Package phrase formats paths and values for messages about invalid JSON. Its results have no line
// breaks, and are short for any value, except lists of many values.
package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Token returns a JSON token for a message, in about 40 bytes. Objects and arrays are only named.
func Token(raw []byte) string { return TokenWithin(raw, 40) }

// TokenWithin is Token with another maximum number of bytes.
func TokenWithin(raw []byte, most int) string {
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "an array"
	case len(raw) <= most:
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	cut := most - 4
	for cut > 0 && !utf8.RuneStart(raw[cut]) {
		cut--
	}
	s := strings.ToValidUTF8(string(raw[:cut]), "\uFFFD") + "…"
	if raw[0] == '"' {
		s += `"`
	}
	return s
}

// OneOf returns a list of permitted tokens, at most twelve.
func OneOf(raws [][]byte) string {
	const most = 12
	if len(raws) == 1 {
		return Token(raws[0])
	}
	s := "one of "
	for k, raw := range raws {
		if k == most {
			return s + fmt.Sprintf(" or %d others", len(raws)-most)
		}
		if k > 0 {
			s += ", "
		}
		s += Token(raw)
	}
	return s
}

// Member returns the path of an object's member. Names that would be ambiguous after a dot are put
// into brackets.
func Member(path, name string) string {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == '.' || r == '[' || r == ']' || r == '"' || r == 0x7F || r == utf8.RuneError
	}) {
		return path + "[" + Token(jsonx.AppendQuoted(nil, name)) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// Item returns the path of an array's element.
func Item(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// Count returns a number with a noun, for example "1 item", "2 items", "2 properties".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// OneLine replaces control characters by spaces, for text from untrusted schemas.
func OneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// articles lists the types of JSON Schema with their names in messages.
var articles = [...]struct{ name, text string }{
	{"string", "a string"},
	{"integer", "an integer"},
	{"number", "a number"},
	{"boolean", "true or false"},
	{"array", "an array"},
	{"object", "an object"},
	{"null", "null"},
}

// MustBe returns a message with the permitted types in a fixed order. It omits an integer if
// numbers are permitted.
func MustBe(allowed func(name string) bool) string {
	s := ""
	for _, a := range articles {
		if !allowed(a.name) || a.name == "integer" && allowed("number") {
			continue
		}
		if s != "" {
			s += " or "
		}
		s += a.text
	}
	if s == "" {
		return "is not allowed"
	}
	return "must be " + s
}

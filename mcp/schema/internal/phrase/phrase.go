// Package phrase words what is wrong with a JSON value: where it is, what it
// is, and what it should be. Nothing that it returns breaks a line, and all but
// lists of many values is short, whatever the value holds.
package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Token renders a JSON token in about 40 bytes; an object or array is only
// named.
func Token(raw []byte) string { return TokenWithin(raw, 40) }

// TokenWithin is Token with another bound than 40 bytes.
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

// OneOf lists the tokens that are allowed, the first dozen of them.
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

// Member is the path of an object's member, in brackets where a dot would
// mislead.
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

// Item is the path of an array's element.
func Item(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// Count is "1 item", "2 items", "2 properties".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		what = stem + "ie"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// OneLine keeps text from elsewhere, such as a pattern, from breaking a line.
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

// articles are the types of JSON Schema in the order in which they are listed.
var articles = [...]struct{ name, text string }{
	{"string", "a string"},
	{"integer", "an integer"},
	{"number", "a number"},
	{"boolean", "true or false"},
	{"array", "an array"},
	{"object", "an object"},
	{"null", "null"},
}

// MustBe lists the types that are allowed, in a fixed order; an integer is not
// mentioned beside a number.
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

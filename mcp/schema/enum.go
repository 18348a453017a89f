package schema

import (
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// literal is one value of enum or const.
type literal struct {
	kind  typeSet
	text  string  // of a string; the key of an array or object
	exact decimal // of a number
	raw   []byte  // token
}

// newLiteral returns the literal of a token; false for a number over the limits.
func newLiteral(raw []byte) (literal, bool) {
	l := literal{kind: typeOf(raw[0]), raw: raw}
	switch l.kind {
	case typeObject, typeArray:
		key, ok := appendKey(nil, raw)
		l.text = string(key)
		return l, ok
	case typeString:
		l.text = unquoted(raw)
	case typeNumber:
		exact, ok := parseDecimal(raw)
		l.exact = exact
		return l, ok
	}
	return l, true
}

// types returns the JSON type of the literal for a schema.
func (l *literal) types() typeSet {
	if l.kind == typeNumber && l.exact.integral() {
		return typeInteger
	}
	return l.kind
}

// key returns a text that is the same for equal literals only.
func (l *literal) key() string {
	switch l.kind {
	case typeString:
		return `"` + l.text
	case typeNumber:
		return string(l.exact.appendKey(make([]byte, 0, 64)))
	case typeObject, typeArray:
		return l.text
	}
	return string(l.raw)
}

// appendKey appends the key of a number.
func (d *decimal) appendKey(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%d e%d ", d.sign(), d.scale)
	for k := d.first; k < d.last; k++ {
		dst = append(dst, d.at(k))
	}
	return dst
}

// appendKey appends the key of any value, with members sorted by name. It returns false for a
// number over the limits.
func appendKey(dst, raw []byte) ([]byte, bool) {
	switch typeOf(raw[0]) {
	case typeArray:
		dst = append(dst, '[')
		ok := true
		for elements := jsonx.Array(raw); ok && elements.Next(); {
			dst, ok = appendKey(dst, elements.Value())
			dst = append(dst, ',')
		}
		return append(dst, ']'), ok
	case typeObject:
		var keys []string
		for members := jsonx.Object(raw); members.Next(); {
			key, ok := appendKey(append(jsonx.AppendQuoted(nil, members.Name()), ':'), members.Value())
			if !ok {
				return dst, false
			}
			keys = append(keys, string(key))
		}
		slices.Sort(keys)
		dst = append(dst, '{')
		for _, key := range keys {
			dst = append(append(dst, key...), ',')
		}
		return append(dst, '}'), true
	case typeString:
		return jsonx.AppendQuoted(dst, unquoted(raw)), true
	case typeNumber:
		exact, ok := parseDecimal(raw)
		return exact.appendKey(dst), ok
	}
	return append(dst, raw...), true
}

// enumeration holds the values of enum or const. Large enumerations have sets.
type enumeration struct {
	literals []literal
	texts    map[string]bool // the strings; nil in small enumerations
	others   map[string]bool // the keys of the other values
}

// manyLiterals is the size from which an enumeration has sets.
const manyLiterals = 16

// add adds a literal.
func (e *enumeration) add(l literal) {
	e.literals = append(e.literals, l)
	switch {
	case len(e.literals) == manyLiterals:
		e.texts, e.others = map[string]bool{}, map[string]bool{}
		for k := range e.literals {
			e.index(&e.literals[k])
		}
	case len(e.literals) > manyLiterals:
		e.index(&l)
	}
}

// index adds a literal to the sets.
func (e *enumeration) index(l *literal) {
	if l.kind == typeString {
		e.texts[l.text] = true
	} else {
		e.others[l.key()] = true
	}
}

// has reports whether the enumeration contains l.
func (e *enumeration) has(l *literal) bool {
	switch {
	case e.texts == nil:
		return slices.ContainsFunc(e.literals, func(other literal) bool { return other.kind == l.kind && other.key() == l.key() })
	case l.kind == typeString:
		return e.texts[l.text]
	}
	return e.others[l.key()]
}

// allows reports whether the enumeration contains a valid token.
func (e *enumeration) allows(raw []byte, escaped bool) bool {
	kind := typeOf(raw[0])
	switch {
	case kind == typeString && !escaped:
		return e.allowsText(raw[1 : len(raw)-1])
	case kind != typeNumber || e.texts != nil:
		l, ok := newLiteral(raw)
		return ok && e.has(&l)
	}
	exact, ok := parseDecimal(raw)
	for k := range e.literals {
		if l := &e.literals[k]; ok && l.kind == typeNumber && l.exact.compare(&exact) == 0 {
			return true
		}
	}
	return false
}

// allowsText reports whether the enumeration contains a string without escapes.
func (e *enumeration) allowsText(text []byte) bool {
	if e.texts != nil {
		return e.texts[string(text)]
	}
	for k := range e.literals {
		if l := &e.literals[k]; l.kind == typeString && l.text == string(text) {
			return true
		}
	}
	return false
}

// String returns the values for messages.
func (e *enumeration) String() string {
	raws := make([][]byte, len(e.literals))
	for k, l := range e.literals {
		raws[k] = l.raw
	}
	return phrase.OneOf(raws)
}

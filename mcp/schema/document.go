package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// value is a JSON value. Members keep their order and scalars keep their bytes, so that models see
// a schema as its author wrote it. Scalars may be shared between documents: replace them, do not
// modify them.
type value struct {
	kind     typeSet
	raw      []byte   // token of a scalar
	members  []member // members of an object, in order
	elements []*value // elements of an array

	// compiled and node are the result of compiling an object as a schema.
	compiled bool
	node     *node
}

// member is a name and a value of an object.
type member struct {
	name  string
	value *value
}

// parseDocument parses a document. It rejects duplicate names, invalid Unicode and numbers over the
// limits, like Prepare.
func parseDocument(data []byte) (*value, error) {
	if err := jsonx.Valid(data); err != nil {
		return nil, err
	}
	return parseValue(data[jsonx.Space(data, 0):])
}

// parseValue parses the value at the start of valid input.
func parseValue(data []byte) (*value, error) {
	v := &value{kind: typeOf(data[0])}
	switch v.kind {
	case typeObject:
		return v, v.parseMembers(data)
	case typeArray:
		elements := jsonx.Array(data)
		for elements.Next() {
			e, err := parseValue(elements.Value())
			if err != nil {
				return nil, err
			}
			v.elements = append(v.elements, e)
		}
		return v, nil
	}
	end, flags, err := jsonx.Skip(data, 0)
	if err != nil {
		return nil, err
	}
	if flags&(jsonx.LoneSurrogate|jsonx.InvalidUTF8) != 0 {
		return nil, errors.New("text is not valid Unicode")
	}
	v.raw = data[:end]
	if v.kind == typeNumber {
		if _, ok := parseDecimal(v.raw); !ok {
			return nil, fmt.Errorf("number %s is out of bounds", phrase.Token(v.raw))
		}
	}
	return v, nil
}

// parseMembers parses the members of an object.
func (v *value) parseMembers(data []byte) error {
	seen := map[string]bool{}
	members := jsonx.Object(data)
	for members.Next() {
		name := members.Name()
		if seen[name] {
			return fmt.Errorf("name %q is given twice", name)
		}
		seen[name] = true
		m, err := parseValue(members.Value())
		if err != nil {
			return err
		}
		v.members = append(v.members, member{name, m})
	}
	if members.Flags()&(jsonx.LoneSurrogate|jsonx.InvalidUTF8) != 0 {
		return errors.New("text is not valid Unicode")
	}
	return members.Err()
}

// get returns the named member, or nil.
func (v *value) get(name string) *value {
	for i := range v.members {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return nil
}

// set replaces the named member, or appends it.
func (v *value) set(name string, to *value) {
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = to
			return
		}
	}
	v.members = append(v.members, member{name, to})
}

// remove removes the named member, if any.
func (v *value) remove(name string) {
	for i := range v.members {
		if v.members[i].name == name {
			v.members = append(v.members[:i:i], v.members[i+1:]...)
			return
		}
	}
}

// insert replaces the named member, or inserts it in reading order.
func (v *value) insert(name string, to *value) {
	at := len(v.members)
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = to
			return
		}
	}
	for at > 0 && precedes(name, v.members[at-1].name) {
		at--
	}
	v.members = slices.Insert(v.members, at, member{name, to})
}

// memberText returns a member that is a string without escapes, for example a type, or "".
func (v *value) memberText(name string) string {
	if w := v.get(name); w != nil && w.kind == typeString {
		return stringView(w.raw[1 : len(w.raw)-1])
	}
	return ""
}

// deeperThan reports whether containers are nested deeper than levels.
func (v *value) deeperThan(levels int) bool {
	if len(v.members)+len(v.elements) == 0 && v.raw != nil {
		return false
	}
	if levels == 0 {
		return true
	}
	for _, m := range v.members {
		if m.value.deeperThan(levels - 1) {
			return true
		}
	}
	for _, e := range v.elements {
		if e.deeperThan(levels - 1) {
			return true
		}
	}
	return false
}

// text returns the text of a string.
func (v *value) text() (string, bool) {
	if v.kind != typeString {
		return "", false
	}
	if bytes.IndexByte(v.raw, '\\') < 0 {
		return stringView(v.raw[1 : len(v.raw)-1]), true
	}
	s, err := jsonx.Unquote(v.raw)
	return s, err == nil
}

// texts returns the strings of an array of strings.
func (v *value) texts() ([]string, bool) {
	if v.kind != typeArray {
		return nil, false
	}
	all := make([]string, 0, len(v.elements))
	for _, e := range v.elements {
		s, ok := e.text()
		if !ok {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}

// count returns a non-negative integer, clamped to 2^53.
func (v *value) count() (n int, ok bool) {
	if v.kind != typeNumber {
		return 0, false
	}
	d, ok := parseDecimal(v.raw)
	if !ok || d.sign() < 0 {
		return 0, false
	}
	m, ok := d.magnitude()
	return int(min(m, 1<<53)), ok
}

// isTrue reports whether v is the token true.
func (v *value) isTrue() bool { return bytes.Equal(v.raw, []byte("true")) }

// isFalse reports whether v is the token false.
func (v *value) isFalse() bool { return bytes.Equal(v.raw, []byte("false")) }

var (
	trueValue  = &value{kind: typeBoolean, raw: []byte("true")}
	falseValue = &value{kind: typeBoolean, raw: []byte("false")}
)

// object returns an object with capacity for a few more members.
func object(members ...member) *value {
	o := &struct {
		value
		room [4]member
	}{value: value{kind: typeObject}}
	o.members = append(o.room[:0], members...)
	return &o.value
}

// array returns an array.
func array(elements ...*value) *value { return &value{kind: typeArray, elements: elements} }

// quoted returns a string.
func quoted(s string) *value {
	return &value{kind: typeString, raw: jsonx.AppendQuoted(make([]byte, 0, len(s)+2), s)}
}

// number returns the number of a valid token.
func number[T ~string | ~[]byte](token T) *value { return &value{kind: typeNumber, raw: []byte(token)} }

// integerValue returns the number n.
func integerValue(n uint64) *value { return number(strconv.AppendUint(nil, n, 10)) }

// clone returns a deep copy that shares only scalars.
func (v *value) clone() *value {
	if v.kind != typeObject && v.kind != typeArray {
		return v
	}
	c := &value{kind: v.kind, members: slices.Clone(v.members), elements: slices.Clone(v.elements)}
	for i := range c.members {
		c.members[i].value = c.members[i].value.clone()
	}
	for i := range c.elements {
		c.elements[i] = c.elements[i].clone()
	}
	return c
}

// String returns the value for error messages.
func (v *value) String() string { return phrase.TokenWithin(v.append(nil), 100) }

// append appends the value without white space.
func (v *value) append(dst []byte) []byte {
	switch v.kind {
	case typeObject:
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsonx.AppendQuoted(dst, m.name), ':')
			dst = m.value.append(dst)
		}
		return append(dst, '}')
	case typeArray:
		dst = append(dst, '[')
		for i, e := range v.elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, v.raw...)
}

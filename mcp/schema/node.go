package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// typeSet is a set of JSON Schema types. A schema for any number has both typeNumber and
// typeInteger.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject

	anyType = typeNull | typeBoolean | typeInteger | typeNumber | typeString | typeArray | typeObject
)

// typeNames maps types to their names.
var typeNames = [...]struct {
	set  typeSet
	name string
}{
	{typeString, "string"},
	{typeInteger, "integer"},
	{typeNumber, "number"},
	{typeBoolean, "boolean"},
	{typeArray, "array"},
	{typeObject, "object"},
	{typeNull, "null"},
}

// typeNamed returns the set of a type name. The set of "number" includes integers.
func typeNamed(name string) (typeSet, bool) {
	for _, t := range typeNames {
		if t.name == name {
			if t.set == typeNumber {
				return typeNumber | typeInteger, true
			}
			return t.set, true
		}
	}
	return 0, false
}

// typeOf returns the type of the value that starts with c; typeNumber for all numbers.
func typeOf(c byte) typeSet {
	switch c {
	case '"':
		return typeString
	case '{':
		return typeObject
	case '[':
		return typeArray
	case 't', 'f':
		return typeBoolean
	case 'n':
		return typeNull
	}
	return typeNumber
}

// node is one compiled subschema. A nil node allows every value. Recursive schemas are cycles of
// nodes.
type node struct {
	types        typeSet // permitted types
	needsSpecial bool    // the walker must use its method special
	bound        bool    // binder has processed the node
	// alternatives, if not nil, replace the other rules. For each JSON type at most one of them
	// allows values.
	alternatives []*node
	combination  *combination // other schemas for the same value
	enum         *enumeration // nil permits all values
	text         *textRules
	number       *numberRules
	array        *arrayRules
	object       *objectRules

	// guard and decode come from the Go type that the value is decoded into.
	guard  guard
	decode reflect.Type // if not nil, values need a trial decode
}

// requireDecode requires a trial decode for the node.
func (n *node) requireDecode(t reflect.Type) { n.decode, n.needsSpecial = t, true }

// textRules holds the keywords of strings. Lengths are in code points.
type textRules struct {
	minLength, maxLength int // maxLength < 0 means no limit
	pattern              *regexp.Regexp
	cost                 int // see pattern.Cost
	format               string
	valid                func(string) bool // nil if the format is not asserted
}

// arrayRules holds the keywords of arrays.
type arrayRules struct {
	prefix             []*node // schemas of the first items
	items              *node   // schema of further items
	minItems, maxItems int     // maxItems < 0 means no limit
	unique             bool
}

// objectRules holds the keywords of objects.
type objectRules struct {
	properties []property
	index      map[string]int // properties by name; nil if there are few
	folded     map[string]int // properties by case-folded name; nil for a closed object
	aliases    map[string]int // properties by further accepted names; nil if there are none
	required   []uint64       // set of properties, one bit each
	defaults   []uint64       // set of properties with a default

	closed       bool  // further names are refused
	additional   *node // schema of further names
	names        *node // schema of all names; nil permits all
	minimum      int
	maximum      int          // < 0 means no limit
	requiredOnly []string     // required names that are no properties
	key          reflect.Type // if not nil, a map type into which names must decode
}

// property is one declared member of an object.
type property struct {
	name          string // name that values are accepted and reported under
	token         []byte // JSON string of the name that Prepare returns; nil if it is always name
	unlisted      bool   // not in the list, and not suggested for another name
	node          *node
	value         []byte // normalized default; nil if none
	insert        []byte // value with its name before it
	isStructValue bool   // a struct without pointer: its own defaults apply if it is absent
}

// maxUnindexed is the number of names up to which a linear search is as fast as an index.
const maxUnindexed = 8

// indexOf returns the index of the property with this name, or -1.
func (o *objectRules) indexOf(name []byte) int {
	if o.index != nil {
		if k, ok := o.index[string(name)]; ok {
			return k
		}
		return -1
	}
	for k := range o.properties {
		if o.properties[k].name == string(name) {
			return k
		}
	}
	return -1
}

// named returns the index of the property with this name or alias, or -1.
func (o *objectRules) named(name []byte) int {
	k := o.indexOf(name)
	if k < 0 && o.aliases != nil {
		if alias, ok := o.aliases[string(name)]; ok {
			return alias
		}
	}
	return k
}

// setRequired marks a property as required.
func (o *objectRules) setRequired(k int) { o.required[k/64] |= 1 << (k % 64) }

// optional reports whether a property is not required.
func (o *objectRules) optional(k int) bool { return o.required[k/64]&(1<<(k%64)) == 0 }

// setDefault sets the default of a property.
func (o *objectRules) setDefault(k int, v []byte) {
	p := &o.properties[k]
	p.value = v
	p.insert = append(append(jsonx.AppendQuoted(nil, p.name), ':'), v...)
	o.defaults[k/64] |= 1 << (k % 64)
}

// guard holds the constraints of a Go type beyond the schema, so that encoding/json can decode
// every accepted value.
type guard struct {
	kind    guardKind
	minimum int64  // minimum of an integer type
	maximum uint64 // maximum of an integer type, or bits of a float type
	name    string // of the Go type, for messages
}

// guardKind is the kind of a guard.
type guardKind uint8

const (
	noGuard guardKind = iota
	guardInteger
	guardFloat32
	guardFloat64
	guardBase64
	guardTime
	guardDuration
	guardQuotedInteger // json:",string"
	guardQuotedFloat
	guardQuotedBool
	guardQuotedString
)

// guardOf returns the guard of a number or boolean kind.
func guardOf(t reflect.Type) guard {
	g := guard{name: t.Kind().String()}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		g.kind = guardInteger
		g.minimum = math.MinInt64 >> (64 - t.Bits())
		g.maximum = math.MaxInt64 >> (64 - t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		g.kind = guardInteger
		g.maximum = math.MaxUint64 >> (64 - t.Bits())
	case reflect.Float32:
		g.kind = guardFloat32
	case reflect.Float64:
		g.kind = guardFloat64
	}
	return g
}

// isInteger reports whether the guard limits integers.
func (g *guard) isInteger() bool { return g.kind == guardInteger || g.kind == guardDuration }

// fits reports whether a whole number is in the range of the Go type.
func (g *guard) fits(neg bool, m uint64) bool {
	if neg && m > 0 {
		return m-1 <= uint64(-(g.minimum+1)) && g.minimum < 0
	}
	return m <= g.maximum
}

// tryDecode decodes data into a new value of t and returns the error. A panic becomes errUnreadable.
func tryDecode(t reflect.Type, data []byte) (problem error) {
	defer func() {
		if recover() != nil {
			problem = errUnreadable
		}
	}()
	return json.Unmarshal(data, reflect.New(t).Interface())
}

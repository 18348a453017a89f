package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// typeSet is a set of the types that JSON Schema knows. typeNumber includes
// integers, so a schema that allows any number has both bits set.
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

// typeOf is the type of the value that starts with c, numbers being typeNumber.
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

// node is one compiled subschema. A nil node allows every value. Nodes form a
// graph: a recursive schema is a cycle in it.
type node struct {
	types   typeSet
	special bool // there are alternatives, more, or a type that decides
	bound   bool // to a Go type
	// alternatives, when not nil, decide alone: exactly one of them, or none,
	// allows values of any given type.
	alternatives []*node
	more         *combination
	enum         *enumeration // nil: any value
	text         *textRules
	number       *numberRules
	array        *arrayRules
	object       *objectRules

	// What follows comes from the Go type that the value is decoded into.
	guard  guard
	decode reflect.Type // not nil: only a trial decode tells
}

// decodedInto makes a trial decode tell whether a value is allowed.
func (n *node) decodedInto(t reflect.Type) { n.decode, n.special = t, true }

// textRules are the keywords that limit strings. Lengths are in code points.
type textRules struct {
	minLength, maxLength int // maxLength < 0: none
	pattern              *regexp.Regexp
	cost                 int // of the pattern
	format               string
	valid                func(string) bool // nil: the format is not asserted
}

// arrayRules are the keywords that limit arrays.
type arrayRules struct {
	prefix             []*node
	items              *node
	minItems, maxItems int // maxItems < 0: none
	unique             bool
}

// objectRules are the keywords that limit objects.
type objectRules struct {
	properties []property
	index      map[string]int // of properties by name; nil when they are few
	folded     map[string]int // of properties by case-folded name; nil for a closed object
	required   []uint64       // sets of properties, one bit each
	defaults   []uint64

	closed       bool  // no further names
	additional   *node // of further names
	names        *node // of every name, as a string; nil: any
	minimum      int
	maximum      int // < 0: none
	requiredOnly []string
	key          reflect.Type // not nil: a Go map that the name must decode into
}

// property is one declared member of an object.
type property struct {
	name    string
	node    *node
	value   []byte // the default, normalised; nil: none
	insert  []byte // the same with its name before it
	implied bool   // a Go struct by value, so its own defaults hold when it is absent
}

// few is how many names are found as fast without an index.
const few = 8

// at is the index of the property with a name, or -1.
func (o *objectRules) at(name []byte) int {
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

func (o *objectRules) need(k int)          { o.required[k/64] |= 1 << (k % 64) }
func (o *objectRules) optional(k int) bool { return o.required[k/64]&(1<<(k%64)) == 0 }
func (o *objectRules) setDefault(k int, v []byte) {
	p := &o.properties[k]
	p.value = v
	p.insert = append(append(jsonx.AppendQuoted(nil, p.name), ':'), v...)
	o.defaults[k/64] |= 1 << (k % 64)
}

// guard is what a Go type demands of a value beyond its schema, so that
// encoding/json cannot fail on what was accepted.
type guard struct {
	kind   guardKind
	lowest int64 // of an integer type
	high   uint64
	name   string // of the Go type
}

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

// guardOf is the guard of a number or boolean kind.
func guardOf(t reflect.Type) guard {
	g := guard{name: t.Kind().String()}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		g.kind = guardInteger
		g.lowest = math.MinInt64 >> (64 - t.Bits())
		g.high = math.MaxInt64 >> (64 - t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		g.kind = guardInteger
		g.high = math.MaxUint64 >> (64 - t.Bits())
	case reflect.Float32:
		g.kind = guardFloat32
	case reflect.Float64:
		g.kind = guardFloat64
	}
	return g
}

// ranged reports whether the Go type is an integer.
func (g *guard) ranged() bool { return g.kind == guardInteger || g.kind == guardDuration }

// fits reports whether a whole number is in the range of the Go type.
func (g *guard) fits(neg bool, m uint64) bool {
	if neg && m > 0 {
		return m-1 <= uint64(-(g.lowest+1)) && g.lowest < 0
	}
	return m <= g.high
}

// decodes runs the type's own decoding on data and returns its complaint.
func decodes(t reflect.Type, data []byte) (problem error) {
	defer func() {
		if recover() != nil {
			problem = errUnreadable
		}
	}()
	return json.Unmarshal(data, reflect.New(t).Interface())
}

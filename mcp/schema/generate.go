package schema

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// generator makes the schema of one Go type. Scalars and the hooks of
// [jsonschema] go to its Reflector. Structs, containers and recursion are walked
// here, by the rules of encoding/json and with the path at hand for errors.
type generator struct {
	output bool
	doc    *value
	hooked bool // a type has supplied a schema of its own
	stated bool // a tag says what may contradict the rest
	count  int
	trail  trail
	open   []place          // named types that are being generated
	named  map[place]string // recursive: its name under $defs
	taken  map[string]bool
	defs   []member
}

const definitions = "#/$defs/"

// place is a type as it is met: whether it is addressable decides which of its
// methods encoding/json uses.
type place struct {
	typ         reflect.Type
	addressable bool
}

// generate makes the schema of t.
func generate(t reflect.Type, output bool) (g generator, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a schema method failed: %v", r)
		}
	}()
	if t == nil {
		return g, errors.New("no type is given")
	}
	g.output = output
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	if g.doc, err = g.schema(place{t, true}); err != nil {
		return g, err
	}
	if name, ok := strings.CutPrefix(g.doc.word("$ref"), definitions); ok {
		// Clients expect the type of the arguments itself at the root.
		if i := slices.IndexFunc(g.defs, func(m member) bool { return m.name == name }); i >= 0 {
			g.doc = g.defs[i].value.clone()
		}
	}
	if !output && g.doc.word("type") != "object" {
		return g, fmt.Errorf("arguments must be an object: use a struct or a map, not %v", describe(t))
	}
	if len(g.defs) > 0 {
		slices.SortFunc(g.defs, func(a, b member) int { return cmp.Compare(a.name, b.name) })
		g.doc.put("$defs", object(g.defs...))
	}
	if g.doc.deeperThan(jsonx.MaxDepth) {
		return g, fmt.Errorf("is nested so deeply that its schema has more than %d levels", jsonx.MaxDepth)
	}
	return g, nil
}

func describe(t reflect.Type) string {
	if shapeOf(t, false, true) == asAnything {
		return t.String() + ", which has its own UnmarshalJSON (perhaps promoted from an embedded field)"
	}
	return t.String()
}

// schema generates the schema of the type at p.
func (g *generator) schema(p place) (*value, error) {
	if g.count++; g.count > maxSubschemas {
		return nil, fmt.Errorf("has more than %d parts", maxSubschemas)
	}
	for hops := 0; p.typ.Kind() == reflect.Pointer; hops++ {
		if hops == 16 {
			return nil, g.trail.errorf("pointers without an end")
		}
		p = place{p.typ.Elem(), true}
	}
	if p.typ.Name() == "" || kindName(p.typ.Kind()) != "" {
		return g.fresh(p) // no type comes back to itself but by a name
	}
	if name := g.named[p]; name != "" {
		return reference(name), nil
	}
	if slices.Contains(g.open, p) {
		return reference(g.name(p)), nil
	}
	g.open = append(g.open, p)
	s, err := g.fresh(p)
	g.open = g.open[:len(g.open)-1]
	if err != nil {
		return nil, err
	}
	if name := g.named[p]; name != "" {
		g.defs = append(g.defs, member{name, s})
		return reference(name), nil
	}
	return s, nil
}

func reference(name string) *value { return object(member{"$ref", quoted(definitions + name)}) }

// name makes a name for $defs out of a type's, without what would have to be
// escaped, and unlike any other.
func (g *generator) name(p place) string {
	base, arguments, generic := strings.Cut(p.typ.Name(), "[")
	if generic {
		for a := range strings.SplitSeq(strings.TrimSuffix(arguments, "]"), ",") {
			base += "_" + a[strings.LastIndexAny(a, "./")+1:]
		}
	}
	base = strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, base)
	if g.named == nil {
		g.named, g.taken = map[place]string{}, map[string]bool{}
	}
	name := base
	for n := 2; g.taken[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	g.taken[name] = true
	g.named[p] = name
	return name
}

// fresh generates the schema of a type that is not a pointer.
func (g *generator) fresh(p place) (*value, error) {
	t := p.typ
	if s, done, err := g.hook(p); done || err != nil {
		return s, err
	}
	switch shapeOf(t, g.output, p.addressable) {
	case asTime:
		return g.leaf(t)
	case asDuration:
		return object(member{"type", stringType}, member{"pattern", durationPattern}), nil
	case asNumber:
		return object(member{"type", numberType}), nil
	case asInteger:
		return object(member{"type", integerType}), nil
	case asText:
		return g.extend(t, object(member{"type", stringType}))
	case asAnything:
		return g.extend(t, object())
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.object(p)
	case reflect.Slice, reflect.Array:
		return g.array(p)
	case reflect.Map:
		return g.mapping(p)
	case reflect.Interface:
		if !g.output && t.NumMethod() > 0 {
			return nil, g.trail.errorf("nothing can be decoded into the interface %v", t)
		}
		return object(), nil
	case reflect.Uintptr:
		return object(member{"type", integerType}), nil
	}
	if kindName(t.Kind()) == "" {
		return nil, g.trail.errorf("%v has no JSON form", t)
	}
	return g.leaf(t)
}

func (g *generator) array(p place) (*value, error) {
	t := p.typ
	if isBytes(t) {
		return g.leaf(t)
	}
	g.trail.push(bySuffix, "[]")
	items, err := g.nullable(place{t.Elem(), p.addressable || t.Kind() == reflect.Slice})
	g.trail.pop()
	if err != nil {
		return nil, err
	}
	s := object(member{"type", arrayType}, member{"items", items})
	if t.Kind() == reflect.Array {
		n := whole(uint64(t.Len()))
		s.members = append(s.members, member{"maxItems", n}, member{"minItems", n})
	}
	return g.extend(t, s)
}

func (g *generator) mapping(p place) (*value, error) {
	t := p.typ
	s := object(member{"type", objectType})
	form, _ := keyOf(t.Key(), g.output)
	if form == badKey {
		return nil, g.trail.errorf("%v cannot be the key of a JSON object", t.Key())
	}
	g.trail.push(bySuffix, ".*")
	values, err := g.nullable(place{t.Elem(), false})
	g.trail.pop()
	if err != nil {
		return nil, err
	}
	if t.Elem().Kind() != reflect.Interface {
		s.put("additionalProperties", values)
	}
	switch form {
	case integerKey:
		s.put("propertyNames", object(member{"pattern", integerPattern}))
	case unsignedKey:
		s.put("propertyNames", object(member{"pattern", unsignedPattern}))
	}
	return g.extend(t, s)
}

// nullable generates the schema of a value that, in output, is null when it is a
// nil pointer.
func (g *generator) nullable(p place) (*value, error) {
	s, err := g.schema(p)
	if err != nil || !g.output || p.typ.Kind() != reflect.Pointer || !s.restricts() {
		return s, err
	}
	return object(member{"anyOf", array(s, object(member{"type", nullType}))}), nil
}

// restricts reports whether a schema has a type, or refers to one that has.
func (v *value) restricts() bool { return v.get("type") != nil || v.get("$ref") != nil }

func (g *generator) object(p place) (*value, error) {
	fields := fieldsOf(p.typ)
	properties := &value{kind: typeObject, members: make([]member, 0, len(fields))}
	required := &value{kind: typeArray, elements: make([]*value, 0, len(fields))}
	for i := range fields {
		f := &fields[i]
		g.trail.push(byField, f.goName)
		property, needed, err := g.property(f, p.addressable)
		g.trail.pop()
		if err != nil {
			return nil, err
		}
		if property == nil {
			continue
		}
		properties.members = append(properties.members, member{f.name, property})
		if needed {
			required.elements = append(required.elements, quoted(f.name))
		}
	}
	s := &value{kind: typeObject, members: make([]member, 0, 4)}
	s.members = append(s.members, member{"type", objectType}, member{"properties", properties})
	if len(required.elements) > 0 {
		s.members = append(s.members, member{"required", required})
	}
	s.members = append(s.members, member{"additionalProperties", falseValue})
	return g.extend(p.typ, s)
}

// property generates the schema of a field; nil if the field is hidden.
func (g *generator) property(f *field, addressable bool) (s *value, required bool, err error) {
	if f.unsettable && !g.output {
		return nil, false, g.trail.errorf("encoding/json cannot set a field of an embedded pointer to an unexported struct")
	}
	list, hidden, err := parseTag(f.tag)
	if err != nil {
		return nil, false, g.trail.errorf("%w", err)
	}
	if hidden {
		if g.output {
			return nil, false, g.trail.errorf(`jsonschema:"-" would hide what is still written; use json:"-"`)
		}
		return nil, false, nil
	}
	of := place{f.typ, addressable || f.optional}
	if f.quoted {
		s, err = g.quoted(of)
	} else {
		s, err = g.schema(of)
	}
	if err != nil {
		return nil, false, err
	}
	if g.output && isDuration(f.typ) && s.word("type") == "integer" {
		s.put("description", quoted("nanoseconds"))
	}
	if err := applyTag(s, list); err != nil {
		return nil, false, g.trail.errorf("%w", err)
	}
	g.stated = g.stated || slices.ContainsFunc(list, keyword.contradicts)
	word := slices.ContainsFunc(list, func(k keyword) bool { return k.name == "required" })
	preset := s.get("default") != nil
	if word && preset {
		return nil, false, g.trail.errorf("a required property cannot have a default")
	}
	pointer := f.typ.Kind() == reflect.Pointer
	if !g.output {
		return s, word || !f.omit && !f.optional && !pointer && !preset, nil
	}
	if pointer && !f.omit && s.restricts() {
		s = orNull(s)
	}
	return s, !f.omit && !f.optional, nil
}

func isDuration(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Duration]() || t == reflect.TypeFor[*time.Duration]()
}

// quoted generates the schema of a field with the option ",string".
func (g *generator) quoted(p place) (*value, error) {
	if p.typ.Kind() == reflect.Pointer {
		p = place{p.typ.Elem(), true}
	}
	s := object(member{"type", stringType})
	switch shape := shapeOf(p.typ, g.output, p.addressable); {
	case shape == asNumber:
		s.put("pattern", numberPattern)
		return s, nil
	case shape != byKind && shape != asDuration:
		return nil, g.trail.errorf(`the option ",string" does not go with the methods of %v`, p.typ)
	}
	switch kindName(p.typ.Kind()) {
	case "integer":
		s.put("pattern", integerPattern)
	case "number":
		s.put("pattern", numberPattern)
	case "boolean":
		s.put("enum", array(quoted("true"), quoted("false")))
	}
	return s, nil
}

// isNullable reports whether s is what nullable and orNull make.
func isNullable(s *value) bool {
	branches := s.get("anyOf")
	return branches != nil && len(branches.elements) == 2 && branches.elements[1].word("type") == "null"
}

// orNull allows null besides s, and keeps what is said about s in front.
func orNull(s *value) *value {
	outer := object()
	for _, name := range []string{"title", "description", "deprecated"} {
		if said := s.get(name); said != nil {
			outer.put(name, said)
			s.remove(name)
		}
	}
	outer.put("anyOf", array(s, object(member{"type", nullType})))
	return outer
}

// Words of the schemas that are generated.
var (
	nullType    = &value{kind: typeString, raw: []byte(`"null"`)}
	stringType  = &value{kind: typeString, raw: []byte(`"string"`)}
	numberType  = &value{kind: typeString, raw: []byte(`"number"`)}
	integerType = &value{kind: typeString, raw: []byte(`"integer"`)}
	arrayType   = &value{kind: typeString, raw: []byte(`"array"`)}
	objectType  = &value{kind: typeString, raw: []byte(`"object"`)}

	integerPattern  = &value{kind: typeString, raw: []byte(`"^(0|-?[1-9][0-9]*)$"`)}
	unsignedPattern = &value{kind: typeString, raw: []byte(`"^(0|[1-9][0-9]*)$"`)}
	numberPattern   = &value{kind: typeString, raw: []byte(`"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$"`)}
	// What time.ParseDuration takes, nearly.
	durationPattern = &value{kind: typeString, raw: []byte(`"^-?([0-9.]+(ns|us|ms|s|m|h))+$"`)}
)

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

// generator generates the schema of one Go type. It passes scalars and hooks to the Reflector of
// [jsonschema], and walks structs, containers and recursion itself, by the rules of encoding/json
// and with paths for errors.
type generator struct {
	output        bool                 // the schema describes results
	doc           *value               // generated document
	hasHooks      bool                 // a type supplied its own schema
	mayContradict bool                 // a tag may contradict other keywords
	count         int                  // number of subschemas
	path          schemaPath           // current path, for errors
	inProgress    []typePlace          // named types that are being generated
	named         map[typePlace]string // recursive types, with their names under $defs
	usedNames     map[string]bool      // names in use under $defs
	defs          []member
}

// definitions is the prefix of references to $defs.
const definitions = "#/$defs/"

// typePlace is a type and whether its value is addressable. Addressability decides which methods
// encoding/json uses.
type typePlace struct {
	typ         reflect.Type
	addressable bool
}

// generate generates the schema of t, for arguments or results.
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
	if g.doc, err = g.schema(typePlace{t, true}); err != nil {
		return g, err
	}
	if name, ok := strings.CutPrefix(g.doc.memberText("$ref"), definitions); ok {
		// Clients expect the type of the arguments itself at the root.
		if i := slices.IndexFunc(g.defs, func(m member) bool { return m.name == name }); i >= 0 {
			g.doc = g.defs[i].value.clone()
		}
	}
	if !output && g.doc.memberText("type") != "object" {
		return g, fmt.Errorf("arguments must be an object: use a struct or a map, not %v", describe(t))
	}
	if len(g.defs) > 0 {
		slices.SortFunc(g.defs, func(a, b member) int { return cmp.Compare(a.name, b.name) })
		g.doc.insert("$defs", object(g.defs...))
	}
	if g.doc.deeperThan(jsonx.MaxDepth) {
		return g, fmt.Errorf("is nested so deeply that its schema has more than %d levels", jsonx.MaxDepth)
	}
	return g, nil
}

// describe returns the name of a type for the error about arguments.
func describe(t reflect.Type) string {
	if shapeOf(t, false, true) == asAnything {
		return t.String() + ", which has its own UnmarshalJSON (perhaps promoted from an embedded field)"
	}
	return t.String()
}

// schema generates the schema of the type at p.
func (g *generator) schema(p typePlace) (*value, error) {
	if g.count++; g.count > maxSubschemas {
		return nil, fmt.Errorf("has more than %d parts", maxSubschemas)
	}
	for hops := 0; p.typ.Kind() == reflect.Pointer; hops++ {
		if hops == 16 {
			return nil, g.path.errorf("pointers without an end")
		}
		p = typePlace{p.typ.Elem(), true}
	}
	if p.typ.Name() == "" || kindName(p.typ.Kind()) != "" {
		return g.generate(p) // only named types can be recursive
	}
	if name := g.named[p]; name != "" {
		return reference(name), nil
	}
	if slices.Contains(g.inProgress, p) {
		return reference(g.name(p)), nil
	}
	g.inProgress = append(g.inProgress, p)
	s, err := g.generate(p)
	g.inProgress = g.inProgress[:len(g.inProgress)-1]
	if err != nil {
		return nil, err
	}
	if name := g.named[p]; name != "" {
		g.defs = append(g.defs, member{name, s})
		return reference(name), nil
	}
	return s, nil
}

// reference returns a schema that refers to a definition.
func reference(name string) *value { return object(member{"$ref", quoted(definitions + name)}) }

// name returns a new name under $defs for a type. It contains only letters, digits and underscores.
func (g *generator) name(p typePlace) string {
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
		g.named, g.usedNames = map[typePlace]string{}, map[string]bool{}
	}
	name := base
	for n := 2; g.usedNames[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	g.usedNames[name] = true
	g.named[p] = name
	return name
}

// generate generates the schema of a type other than a pointer.
func (g *generator) generate(p typePlace) (*value, error) {
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
			return nil, g.path.errorf("nothing can be decoded into the interface %v", t)
		}
		return object(), nil
	case reflect.Uintptr:
		return object(member{"type", integerType}), nil
	}
	if kindName(t.Kind()) == "" {
		return nil, g.path.errorf("%v has no JSON form", t)
	}
	return g.leaf(t)
}

// array generates the schema of an array or slice.
func (g *generator) array(p typePlace) (*value, error) {
	t := p.typ
	if isBytes(t) {
		return g.leaf(t)
	}
	g.path.push(bySuffix, "[]")
	items, err := g.nullable(typePlace{t.Elem(), p.addressable || t.Kind() == reflect.Slice})
	g.path.pop()
	if err != nil {
		return nil, err
	}
	s := object(member{"type", arrayType}, member{"items", items})
	if t.Kind() == reflect.Array {
		n := integerValue(uint64(t.Len()))
		s.members = append(s.members, member{"maxItems", n}, member{"minItems", n})
	}
	return g.extend(t, s)
}

// mapping generates the schema of a map.
func (g *generator) mapping(p typePlace) (*value, error) {
	t := p.typ
	s := object(member{"type", objectType})
	form, _ := keyOf(t.Key(), g.output)
	if form == badKey {
		return nil, g.path.errorf("%v cannot be the key of a JSON object", t.Key())
	}
	g.path.push(bySuffix, ".*")
	values, err := g.nullable(typePlace{t.Elem(), false})
	g.path.pop()
	if err != nil {
		return nil, err
	}
	if t.Elem().Kind() != reflect.Interface {
		s.insert("additionalProperties", values)
	}
	switch form {
	case integerKey:
		s.insert("propertyNames", object(member{"pattern", integerPattern}))
	case unsignedKey:
		s.insert("propertyNames", object(member{"pattern", unsignedPattern}))
	}
	return g.extend(t, s)
}

// nullable generates the schema of a value. In results a pointer may also be null.
func (g *generator) nullable(p typePlace) (*value, error) {
	s, err := g.schema(p)
	if err != nil || !g.output || p.typ.Kind() != reflect.Pointer || !s.hasType() {
		return s, err
	}
	return object(member{"anyOf", array(s, object(member{"type", nullType}))}), nil
}

// hasType reports whether a schema has a type or a reference.
func (v *value) hasType() bool { return v.get("type") != nil || v.get("$ref") != nil }

// object generates the schema of a struct.
func (g *generator) object(p typePlace) (*value, error) {
	fields := fieldsOf(p.typ)
	properties := &value{kind: typeObject, members: make([]member, 0, len(fields))}
	required := &value{kind: typeArray, elements: make([]*value, 0, len(fields))}
	for i := range fields {
		f := &fields[i]
		g.path.push(byField, f.goName)
		property, needed, err := g.property(p.typ, f, p.addressable)
		g.path.pop()
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

// property generates the schema of a field of owner; nil if the field is hidden.
func (g *generator) property(owner reflect.Type, f *field, addressable bool) (s *value, required bool, err error) {
	if f.unsettable && !g.output {
		return nil, false, g.path.errorf("encoding/json cannot set a field of an embedded pointer to an unexported struct")
	}
	list, hidden, err := parseTag(f.tag)
	if err != nil {
		return nil, false, g.tagError(owner, f, err)
	}
	if hidden {
		if g.output {
			return nil, false, g.path.errorf(`jsonschema:"-" would hide what is still written; use json:"-"`)
		}
		return nil, false, nil
	}
	of := typePlace{f.typ, addressable || f.optional}
	if f.quoted {
		s, err = g.quoted(of)
	} else {
		s, err = g.schema(of)
	}
	if err != nil {
		return nil, false, err
	}
	if g.output && isDuration(f.typ) && s.memberText("type") == "integer" {
		s.insert("description", quoted("nanoseconds"))
	}
	if err := applyTag(s, list); err != nil {
		return nil, false, g.tagError(owner, f, err)
	}
	g.mayContradict = g.mayContradict || slices.ContainsFunc(list, keyword.contradicts)
	word := slices.ContainsFunc(list, func(k keyword) bool { return k.name == "required" })
	preset := s.get("default") != nil
	if word && preset {
		return nil, false, g.path.errorf("a required property cannot have a default")
	}
	pointer := f.typ.Kind() == reflect.Pointer
	if !g.output {
		return s, word || !f.omit && !f.optional && !pointer && !preset, nil
	}
	if pointer && !f.omit && s.hasType() {
		s = orNull(s)
	}
	return s, !f.omit && !f.optional, nil
}

// tagError returns the error for an invalid tag, with the path, the field, its struct and the tag.
func (g *generator) tagError(owner reflect.Type, f *field, err error) error {
	return g.path.errorf("%w; the tag of field %s of %s is %s", err, f.goName, typeName(owner), f.tag)
}

// isDuration reports whether t is time.Duration or a pointer to it.
func isDuration(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Duration]() || t == reflect.TypeFor[*time.Duration]()
}

// quoted generates the schema of a field with the option ",string".
func (g *generator) quoted(p typePlace) (*value, error) {
	if p.typ.Kind() == reflect.Pointer {
		p = typePlace{p.typ.Elem(), true}
	}
	s := object(member{"type", stringType})
	switch shape := shapeOf(p.typ, g.output, p.addressable); {
	case shape == asNumber:
		s.insert("pattern", numberPattern)
		return s, nil
	case shape != byKind && shape != asDuration:
		return nil, g.path.errorf(`the option ",string" does not go with the methods of %v`, p.typ)
	}
	switch kindName(p.typ.Kind()) {
	case "integer":
		s.insert("pattern", integerPattern)
	case "number":
		s.insert("pattern", numberPattern)
	case "boolean":
		s.insert("enum", array(quoted("true"), quoted("false")))
	}
	return s, nil
}

// isNullable reports whether s has the form that nullable and orNull return.
func isNullable(s *value) bool {
	branches := s.get("anyOf")
	return branches != nil && len(branches.elements) == 2 && branches.elements[1].memberText("type") == "null"
}

// orNull returns a schema that also allows null. Title and description move to the front.
func orNull(s *value) *value {
	outer := object()
	for _, name := range []string{"title", "description", "deprecated"} {
		if said := s.get(name); said != nil {
			outer.insert(name, said)
			s.remove(name)
		}
	}
	outer.insert("anyOf", array(s, object(member{"type", nullType})))
	return outer
}

// Values of generated keywords.
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
	// approximately the syntax of time.ParseDuration
	durationPattern = &value{kind: typeString, raw: []byte(`"^-?([0-9.]+(ns|us|ms|s|m|h))+$"`)}
)

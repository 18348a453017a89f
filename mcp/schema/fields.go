package schema

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// field is one member of a struct in JSON, by the rules of encoding/json.
type field struct {
	name       string
	goName     string // for error messages, for example "Embedded.Field"
	typ        reflect.Type
	tag        reflect.StructTag
	index      []int
	tagged     bool // the name comes from the tag
	omit       bool // omitempty or omitzero
	quoted     bool // ",string" on an applicable type
	optional   bool // in an embedded pointer, which may be nil
	unsettable bool // in an embedded pointer to an unexported struct
}

// fieldsOf returns the members of a struct in the order of declaration, by the rules of
// encoding/json. Of fields with one name the least nested wins, then the one with a tag; otherwise
// the name is dropped.
func fieldsOf(t reflect.Type) []field {
	fields, plain := plainFields(t)
	if plain {
		return fields
	}
	candidates := candidateFields(t)
	byName := map[string][]int{}
	for i, f := range candidates {
		byName[f.name] = append(byName[f.name], i)
	}
	fields = candidates[:0:0]
	for i, f := range candidates {
		if dominant(candidates, byName[f.name]) == i {
			fields = append(fields, f)
		}
	}
	slices.SortStableFunc(fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return fields
}

// plainFields returns the members of a struct without embedded fields and duplicate names. plain is
// false for other structs.
func plainFields(t reflect.Type) (fields []field, plain bool) {
	fields = make([]field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			return nil, false
		}
		f, _, ok := readField(&sf, field{})
		if !ok {
			continue
		}
		for k := range fields {
			if fields[k].name == f.name {
				return nil, false
			}
		}
		fields = append(fields, f)
	}
	return fields, true
}

// dominant returns the index of the field that wins among fields of one name, or -1.
func dominant(all []field, same []int) int {
	best, ties := same[0], 0
	for _, i := range same[1:] {
		a, b := all[i], all[best]
		switch {
		case len(a.index) != len(b.index):
			if len(a.index) < len(b.index) {
				best, ties = i, 0
			}
		case a.tagged != b.tagged:
			if a.tagged {
				best, ties = i, 0
			}
		default:
			ties++
		}
	}
	if ties > 0 {
		return -1
	}
	return best
}

// embeddedStruct is an embedded struct whose fields are promoted.
type embeddedStruct struct {
	typ      reflect.Type
	prefix   field // inherited by its fields
	repeated bool  // embedded several times at one depth: its fields cancel each other
}

// candidateFields walks embedded structs breadth first, each type once.
func candidateFields(t reflect.Type) []field {
	var fields []field
	visited := map[reflect.Type]bool{}
	for level := []embeddedStruct{{typ: t}}; len(level) > 0; {
		var next []embeddedStruct
		at := map[reflect.Type]int{} // index in next, plus one
		for _, e := range level {
			if visited[e.typ] {
				continue
			}
			visited[e.typ] = true
			for i := range e.typ.NumField() {
				sf := e.typ.Field(i)
				f, inner, ok := readField(&sf, e.prefix)
				f.index = append(slices.Clone(e.prefix.index), i)
				switch {
				case !ok:
				case inner == nil:
					fields = append(fields, f)
					if e.repeated {
						fields = append(fields, f)
					}
				case at[inner] > 0:
					next[at[inner]-1].repeated = true
				default:
					next = append(next, embeddedStruct{typ: inner, prefix: f})
					at[inner] = len(next)
				}
			}
		}
		level = next
	}
	return fields
}

// readField reads a field of a struct. prefix holds the properties inherited from embedding
// structs. inner is set if the field is a struct whose fields are promoted.
func readField(sf *reflect.StructField, prefix field) (f field, inner reflect.Type, ok bool) {
	base := sf.Type
	if base.Kind() == reflect.Pointer && base.Name() == "" {
		base = base.Elem()
	}
	if !sf.IsExported() && !(sf.Anonymous && base.Kind() == reflect.Struct) {
		return f, nil, false
	}
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return f, nil, false
	}
	f = prefix
	f.goName = sf.Name
	if prefix.goName != "" {
		f.goName = prefix.goName + "." + sf.Name
	}
	f.typ, f.tag = sf.Type, sf.Tag
	name, options, _ := strings.Cut(tag, ",")
	f.tagged = validName(name)
	if sf.Anonymous && base.Kind() == reflect.Struct && !f.tagged {
		if sf.Type.Kind() == reflect.Pointer {
			f.optional = true
			f.unsettable = f.unsettable || !sf.IsExported()
		}
		return f, base, true
	}
	f.unsettable = f.unsettable || !sf.IsExported() && sf.Type.Kind() == reflect.Pointer
	if f.name = sf.Name; f.tagged {
		f.name = name
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty", "omitzero":
			f.omit = true
		case "string":
			f.quoted = quotable(base)
		}
	}
	return f, nil, true
}

// quotable reports whether encoding/json applies ",string" to a type.
func quotable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64, reflect.Uintptr,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// validName reports whether encoding/json accepts a name in a tag. It ignores other names.
func validName(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

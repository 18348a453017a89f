package schema

import (
	"encoding"
	"encoding/json"
	"math/big"
	"reflect"
	"time"
)

// shape is the way in which encoding/json represents a Go type.
type shape int

const (
	byKind     shape = iota // by reflect.Kind
	asText                  // a string, by text methods
	asAnything              // any value, by JSON methods
	asTime
	asDuration
	asNumber  // json.Number
	asInteger // big.Int
)

// shapeOf returns the shape of t for decoding, or for encoding if output is set. Encoding uses
// methods of a pointer only for addressable values.
func shapeOf(t reflect.Type, output, addressable bool) shape {
	switch t {
	case reflect.TypeFor[time.Time]():
		return asTime
	case reflect.TypeFor[time.Duration]():
		if !output {
			return asDuration
		}
	case reflect.TypeFor[json.Number]():
		return asNumber
	case reflect.TypeFor[big.Int]():
		if !output || addressable {
			return asInteger
		}
	}
	has := func(method reflect.Type) bool {
		return t.Implements(method) || t.Kind() != reflect.Pointer && (addressable || !output) && reflect.PointerTo(t).Implements(method)
	}
	own, text := reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()
	if output {
		own, text = reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()
	}
	switch {
	case t.Kind() == reflect.Interface:
		return byKind
	case has(own):
		return asAnything
	case has(text):
		return asText
	}
	return byKind
}

// isBytes reports whether encoding/json encodes t as base64.
func isBytes(t reflect.Type) bool {
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Uint8 {
		return false
	}
	p := reflect.PointerTo(t.Elem())
	return !p.Implements(reflect.TypeFor[json.Marshaler]()) && !p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// keyForm is the form of the keys of a map in JSON.
type keyForm int

const (
	badKey keyForm = iota
	textKey
	integerKey
	unsignedKey
)

// keyOf returns the form of a map's keys. decode reports whether a key needs a trial decode.
func keyOf(t reflect.Type, output bool) (form keyForm, decode bool) {
	text := t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
	if !output {
		text = reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	}
	switch t.Kind() {
	case reflect.String:
		return textKey, text
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		form = integerKey
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		form = unsignedKey
	}
	if text {
		return textKey, true
	}
	return form, true
}

// kindName returns the JSON type of a scalar kind, or "".
func kindName(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "integer"
	}
	return ""
}

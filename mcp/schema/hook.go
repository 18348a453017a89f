package schema

import (
	"reflect"

	"github.com/invopop/jsonschema"
)

// The methods by which a type describes itself to [jsonschema]. They are looked
// for on values, as the Reflector does, and called on zero values.
type (
	aliaser   interface{ JSONSchemaAlias() any }
	describer interface{ JSONSchema() *jsonschema.Schema }
	extender  interface{ JSONSchemaExtend(*jsonschema.Schema) }
)

// hooks reports whether a type supplies a schema of its own, or changes the one
// that is generated.
func hooks(t reflect.Type) (own, extended bool) {
	if t.NumMethod() == 0 || t.Kind() == reflect.Interface {
		return false, false
	}
	own = t.Implements(reflect.TypeFor[aliaser]()) || t.Implements(reflect.TypeFor[describer]())
	return own, t.Implements(reflect.TypeFor[extender]())
}

// hook generates the schema of a type that supplies its own.
func (g *generator) hook(p place) (s *value, done bool, err error) {
	if own, _ := hooks(p.typ); !own {
		return nil, false, nil
	}
	g.hooked = true
	if own, ok := reflect.Zero(p.typ).Interface().(aliaser); ok {
		alias := reflect.TypeOf(own.JSONSchemaAlias())
		if alias == nil || alias == p.typ {
			return nil, true, g.trail.errorf("%v: JSONSchemaAlias must return a value of another type", p.typ)
		}
		s, err = g.schema(place{alias, p.addressable})
		return s, true, err
	}
	if own, ok := reflect.Zero(p.typ).Interface().(describer); ok && own.JSONSchema() == nil {
		return nil, true, g.trail.errorf("%v: JSONSchema returned nil", p.typ)
	}
	s, err = g.leaf(p.typ)
	return s, true, err
}

// extend lets a type change its generated schema.
func (g *generator) extend(t reflect.Type, s *value) (*value, error) {
	if _, extended := hooks(t); !extended {
		return s, nil
	}
	g.hooked = true
	own, _ := reflect.Zero(t).Interface().(extender)
	changed := toReflected(s)
	own.JSONSchemaExtend(changed)
	return fromReflected(changed)
}

// leaf asks the Reflector about a scalar, or a type that describes itself.
func (g *generator) leaf(t reflect.Type) (*value, error) {
	if members := predeclared()[t.Kind()]; members != nil && t.PkgPath() == "" {
		return object(members...), nil
	}
	s := reflected(t)
	if own, extended := hooks(t); own || extended || len(s.OneOf) > 0 { // which an enumeration of protobuf has
		g.hooked = true
		return fromReflected(s)
	}
	return plain(s), nil
}

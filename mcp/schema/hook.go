package schema

import (
	"reflect"
	"time"

	"github.com/invopop/jsonschema"
)

// Interfaces by which a type describes itself to [jsonschema]. Like the Reflector, the package
// looks for methods on values, and calls them on zero values.
type (
	aliaser   interface{ JSONSchemaAlias() any }
	describer interface{ JSONSchema() *jsonschema.Schema }
	extender  interface{ JSONSchemaExtend(*jsonschema.Schema) }

	// protobufEnum is an enumeration of protobuf, whose JSON is a name or a number.
	protobufEnum interface{ EnumDescriptor() ([]byte, []int) }
)

// hooks reports whether a type supplies its own schema, or modifies the generated one.
func hooks(t reflect.Type) (own, extended bool) {
	if t.NumMethod() == 0 || t.Kind() == reflect.Interface {
		return false, false
	}
	own = t.Implements(reflect.TypeFor[aliaser]()) || t.Implements(reflect.TypeFor[describer]())
	return own, t.Implements(reflect.TypeFor[extender]())
}

// hook generates the schema of a type that supplies its own.
func (g *generator) hook(p typePlace) (s *value, done bool, err error) {
	if own, _ := hooks(p.typ); !own {
		return nil, false, nil
	}
	g.hasHooks = true
	if own, ok := reflect.Zero(p.typ).Interface().(aliaser); ok {
		alias := reflect.TypeOf(own.JSONSchemaAlias())
		if alias == nil || alias == p.typ {
			return nil, true, g.path.errorf("%v: JSONSchemaAlias must return a value of another type", p.typ)
		}
		s, err = g.schema(typePlace{alias, p.addressable})
		return s, true, err
	}
	if own, ok := reflect.Zero(p.typ).Interface().(describer); ok && own.JSONSchema() == nil {
		return nil, true, g.path.errorf("%v: JSONSchema returned nil", p.typ)
	}
	s, err = g.leaf(p.typ)
	return s, true, err
}

// extend lets a type modify its generated schema.
func (g *generator) extend(t reflect.Type, s *value) (*value, error) {
	if _, extended := hooks(t); !extended {
		return s, nil
	}
	g.hasHooks = true
	own, _ := reflect.Zero(t).Interface().(extender)
	changed := toReflected(s)
	own.JSONSchemaExtend(changed)
	return fromReflected(changed)
}

// leaf returns the schema of a scalar, a time, bytes, or a type that describes itself.
func (g *generator) leaf(t reflect.Type) (*value, error) {
	switch own, extended := hooks(t); {
	case own || extended:
		g.hasHooks = true
		return fromReflected(described(t))
	case t.Implements(reflect.TypeFor[protobufEnum]()):
		g.hasHooks = true
		return fromReflected(&jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}})
	case t == reflect.TypeFor[time.Time]():
		return object(member{"type", stringType}, member{"format", quoted("date-time")}), nil
	case isBytes(t):
		return object(member{"type", stringType}, member{"contentEncoding", quoted("base64")}), nil
	}
	return object(member{"type", quoted(scalarType(t.Kind()))}), nil
}

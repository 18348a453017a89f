package schema

import (
	"reflect"
	"time"
)

// Methods by which a type describes itself to github.com/invopop/jsonschema. Like the Reflector of that library, the package looks for
// methods on values, and calls them on zero values.
type (
	aliaser interface{ JSONSchemaAlias() any }

	// protobufEnum is an enumeration of protobuf, whose JSON is a name or a number.
	protobufEnum interface{ EnumDescriptor() ([]byte, []int) }
)

// describer returns the method JSONSchema() *jsonschema.Schema of a type, whose first parameter is the receiver.
func describer(t reflect.Type) (method reflect.Value, ok bool) {
	m, ok := t.MethodByName("JSONSchema")
	return m.Func, ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && isReflected(m.Type.Out(0))
}

// extender returns the method JSONSchemaExtend(*jsonschema.Schema) of a type, whose first parameter is the receiver.
func extender(t reflect.Type) (method reflect.Value, ok bool) {
	m, ok := t.MethodByName("JSONSchemaExtend")
	return m.Func, ok && m.Type.NumIn() == 2 && m.Type.NumOut() == 0 && isReflected(m.Type.In(1))
}

// hooks reports whether a type supplies its own schema, or modifies the generated one.
func hooks(t reflect.Type) (own, extended bool) {
	if t.NumMethod() == 0 || t.Kind() == reflect.Interface {
		return false, false
	}
	_, own = describer(t)
	_, extended = extender(t)
	return own || t.Implements(reflect.TypeFor[aliaser]()), extended
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
	if own, ok := describer(p.typ); ok && own.Call([]reflect.Value{reflect.Zero(p.typ)})[0].IsNil() {
		return nil, true, g.path.errorf("%v: JSONSchema returned nil", p.typ)
	}
	s, err = g.leaf(p.typ)
	return s, true, err
}

// extend lets a type modify its generated schema.
func (g *generator) extend(t reflect.Type, s *value) (*value, error) {
	if _, changes := hooks(t); !changes {
		return s, nil
	}
	g.hasHooks = true
	return extended(t, s)
}

// leaf returns the schema of a scalar, a time, bytes, or a type that describes itself.
func (g *generator) leaf(t reflect.Type) (*value, error) {
	switch own, changes := hooks(t); {
	case own || changes:
		g.hasHooks = true
		return described(t)
	case t.Implements(reflect.TypeFor[protobufEnum]()):
		g.hasHooks = true
		return object(member{"oneOf", &value{kind: typeArray, elements: []*value{object(member{"type", stringType}), object(member{"type", integerType})}}}), nil
	case t == reflect.TypeFor[time.Time]():
		return object(member{"type", stringType}, member{"format", quoted("date-time")}), nil
	case isBytes(t):
		return object(member{"type", stringType}, member{"contentEncoding", quoted("base64")}), nil
	}
	return object(member{"type", quoted(kindName(t.Kind()))}), nil
}

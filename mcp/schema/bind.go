package schema

import (
	"encoding/json"
	"reflect"
)

// binder adds constraints to nodes, so that accepted values can be decoded into the Go type.
type binder struct{ path schemaPath }

// bind binds a node to a type and returns it. A nil node becomes a new one, unless the type accepts
// every value. Each node is bound once, so recursive types terminate.
func (b *binder) bind(n *node, t reflect.Type) (*node, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n == nil {
		if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
			return nil, nil
		}
		n = &node{types: anyType}
		n.requireDecode(t)
		return n, nil
	}
	if n.bound {
		return n, nil
	}
	n.bound = true
	own, extended := hooks(t)
	if own || n.alternatives != nil {
		n.requireDecode(t)
		return n, nil
	}
	accepts, err := b.shape(n, t)
	if err != nil {
		return nil, err
	}
	if extended {
		n.requireDecode(t)
	}
	if n.types &= accepts; n.types == 0 {
		return nil, b.path.errorf("the schema allows nothing that %v can be decoded from", t)
	}
	return n, nil
}

// shape binds a node to a type other than a pointer. It returns the JSON types that can be decoded
// into it.
func (b *binder) shape(n *node, t reflect.Type) (typeSet, error) {
	switch shapeOf(t, false, true) {
	case asTime:
		n.guard = guard{kind: guardTime}
		return typeString, nil
	case asDuration:
		n.guard = durationGuard()
		if n.enum == nil {
			n.types |= typeInteger
		}
		return typeString | typeInteger, nil
	case asNumber:
		return typeNumber | typeInteger, nil
	case asInteger:
		n.requireDecode(t)
		return typeInteger, nil
	case asText:
		n.requireDecode(t)
		return typeString, nil
	case asAnything:
		if t != reflect.TypeFor[json.RawMessage]() {
			n.requireDecode(t)
		}
		return anyType, nil
	}
	return b.kind(n, t)
}

// kind is shape for types without methods of their own.
func (b *binder) kind(n *node, t reflect.Type) (typeSet, error) {
	switch kindName(t.Kind()) {
	case "boolean":
		return typeBoolean, nil
	case "string":
		return typeString, nil
	case "number":
		n.guard = guardOf(t)
		return typeNumber | typeInteger, nil
	case "integer":
		n.guard = guardOf(t)
		return typeInteger, nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if isBytes(t) {
			n.guard = guard{kind: guardBase64}
			return typeString, nil
		}
		return typeArray, b.items(n, t.Elem())
	case reflect.Map:
		return typeObject, b.mapping(n, t)
	case reflect.Struct:
		return typeObject, b.structure(n, t)
	}
	return anyType, nil
}

// items binds the items of an array or slice.
func (b *binder) items(n *node, elem reflect.Type) (err error) {
	a := n.arrays()
	b.path.push(bySuffix, "[]")
	for k := range a.prefix {
		if a.prefix[k], err = b.bind(a.prefix[k], elem); err != nil {
			return err
		}
	}
	a.items, err = b.bind(a.items, elem)
	b.path.pop()
	return err
}

// mapping binds the keys and values of a map.
func (b *binder) mapping(n *node, t reflect.Type) (err error) {
	o := n.objects()
	if _, decode := keyOf(t.Key(), false); decode {
		o.key = reflect.MapOf(t.Key(), reflect.TypeFor[any]())
	}
	b.path.push(bySuffix, ".*")
	for k := range o.properties {
		p := &o.properties[k]
		if p.node, err = b.bind(p.node, t.Elem()); err != nil {
			return err
		}
	}
	o.additional, err = b.bind(o.additional, t.Elem())
	b.path.pop()
	return err
}

// structure binds the fields of a struct.
func (b *binder) structure(n *node, t reflect.Type) (err error) {
	o := n.objects()
	fields := fieldsOf(t)
	for i := range fields {
		f := &fields[i]
		k := o.indexOf([]byte(f.name))
		if k < 0 {
			continue
		}
		p := &o.properties[k]
		if f.quoted && p.node != nil {
			p.node.guard = quotedGuard(f.typ)
			continue
		}
		b.path.push(byName, f.name)
		if p.node, err = b.bind(p.node, f.typ); err != nil {
			return err
		}
		b.path.pop()
		p.isStructValue = f.typ.Kind() == reflect.Struct && !f.optional && p.node != nil && p.node.object != nil
	}
	return nil
}

// quotedGuard returns the guard of a field with the option ",string".
func quotedGuard(t reflect.Type) guard {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	g := guardOf(t)
	switch {
	case t == reflect.TypeFor[json.Number]():
		g.kind, g.maximum = guardQuotedFloat, 64
	case kindName(t.Kind()) == "integer":
		g.kind = guardQuotedInteger
	case kindName(t.Kind()) == "number":
		g.kind, g.maximum = guardQuotedFloat, uint64(t.Bits())
	case t.Kind() == reflect.Bool:
		g.kind = guardQuotedBool
	default:
		g.kind = guardQuotedString
	}
	return g
}

package schema

import (
	"encoding/json"
	"reflect"
)

// binder adds to nodes what the Go types that values are decoded into demand.
type binder struct{ trail trail }

// bind binds a node to a type and returns it. Where the schema says nothing and
// the node is nil, that is a new one, unless the type takes everything too. A
// node is bound once, so a recursive type comes to an end.
func (b *binder) bind(n *node, t reflect.Type) (*node, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n == nil {
		if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
			return nil, nil
		}
		n = &node{types: anyType}
		n.decodedInto(t)
		return n, nil
	}
	if n.bound {
		return n, nil
	}
	n.bound = true
	own, extended := hooks(t)
	if own || n.alternatives != nil {
		n.decodedInto(t)
		return n, nil
	}
	accepts, err := b.shape(n, t)
	if err != nil {
		return nil, err
	}
	if extended {
		n.decodedInto(t)
	}
	if n.types &= accepts; n.types == 0 {
		return nil, b.trail.errorf("the schema allows nothing that %v can be decoded from", t)
	}
	return n, nil
}

// shape binds a node to a type that is no pointer and returns the types of values
// that can be decoded into it.
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
		n.decodedInto(t)
		return typeInteger, nil
	case asText:
		n.decodedInto(t)
		return typeString, nil
	case asAnything:
		if t != reflect.TypeFor[json.RawMessage]() {
			n.decodedInto(t)
		}
		return anyType, nil
	}
	return b.kind(n, t)
}

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

func (b *binder) items(n *node, elem reflect.Type) (err error) {
	a := n.arrays()
	b.trail.push(bySuffix, "[]")
	for k := range a.prefix {
		if a.prefix[k], err = b.bind(a.prefix[k], elem); err != nil {
			return err
		}
	}
	a.items, err = b.bind(a.items, elem)
	b.trail.pop()
	return err
}

func (b *binder) mapping(n *node, t reflect.Type) (err error) {
	o := n.objects()
	if _, decode := keyOf(t.Key(), false); decode {
		o.key = reflect.MapOf(t.Key(), reflect.TypeFor[any]())
	}
	b.trail.push(bySuffix, ".*")
	for k := range o.properties {
		p := &o.properties[k]
		if p.node, err = b.bind(p.node, t.Elem()); err != nil {
			return err
		}
	}
	o.additional, err = b.bind(o.additional, t.Elem())
	b.trail.pop()
	return err
}

func (b *binder) structure(n *node, t reflect.Type) (err error) {
	o := n.objects()
	fields := fieldsOf(t)
	for i := range fields {
		f := &fields[i]
		k := o.at([]byte(f.name))
		if k < 0 {
			continue
		}
		p := &o.properties[k]
		if f.quoted && p.node != nil {
			p.node.guard = quotedGuard(f.typ)
			continue
		}
		b.trail.push(byName, f.name)
		if p.node, err = b.bind(p.node, f.typ); err != nil {
			return err
		}
		b.trail.pop()
		p.implied = f.typ.Kind() == reflect.Struct && !f.optional && p.node != nil && p.node.object != nil
	}
	return nil
}

// quotedGuard is the guard of a field with the option ",string".
func quotedGuard(t reflect.Type) guard {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	g := guardOf(t)
	switch {
	case t == reflect.TypeFor[json.Number]():
		g.kind, g.high = guardQuotedFloat, 64
	case kindName(t.Kind()) == "integer":
		g.kind = guardQuotedInteger
	case kindName(t.Kind()) == "number":
		g.kind, g.high = guardQuotedFloat, uint64(t.Bits())
	case t.Kind() == reflect.Bool:
		g.kind = guardQuotedBool
	default:
		g.kind = guardQuotedString
	}
	return g
}

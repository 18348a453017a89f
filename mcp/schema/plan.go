package schema

import "reflect"

// plan says where in the JSON of a Go type null stands for a nil slice or map. A
// nil plan means nowhere.
type plan struct {
	empty  string // what null becomes here; "" leaves it
	item   *plan  // of the elements of an array
	value  *plan  // of the members of an object that have no plan of their own
	fields map[string]*plan
}

// planner makes plans, one for each type at each kind of place, so that a
// recursive type gets a cyclic plan.
type planner struct {
	plans   map[place]*plan
	pointer bool // some method is only found on a pointer
	trail   trail
}

// plan returns the plan of the type at p.
func (b *planner) plan(p place) (*plan, error) {
	behind := false
	for hops := 0; p.typ.Kind() == reflect.Pointer; hops++ {
		if hops == 16 {
			return nil, b.trail.errorf("pointers without an end")
		}
		p, behind = place{p.typ.Elem(), true}, true
	}
	made, ok := b.plans[p]
	if !ok {
		made = &plan{}
		b.plans[p] = made
		if err := b.fill(made, p); err != nil {
			return nil, err
		}
	}
	if behind && made.empty != "" {
		// null is a nil pointer here, as the schema says.
		copied := *made
		copied.empty = ""
		return &copied, nil
	}
	return made, nil
}

func (b *planner) within(kind legKind, step string, p place) (*plan, error) {
	b.trail.push(kind, step)
	made, err := b.plan(p)
	if err == nil {
		b.trail.pop()
	}
	return made, err
}

func (b *planner) fill(made *plan, p place) (err error) {
	t := p.typ
	if shape := shapeOf(t, true, p.addressable); shape != byKind {
		b.pointer = b.pointer || shapeOf(t, true, false) != shape
		return nil
	}
	switch t.Kind() {
	case reflect.Slice:
		if isBytes(t) {
			made.empty = `""`
			return nil
		}
		made.empty = "[]"
		made.item, err = b.within(bySuffix, "[]", place{t.Elem(), true})
	case reflect.Array:
		made.item, err = b.within(bySuffix, "[]", place{t.Elem(), p.addressable})
	case reflect.Map:
		if form, _ := keyOf(t.Key(), true); form == badKey {
			return b.trail.errorf("%v cannot be the key of a JSON object", t.Key())
		}
		made.empty = "{}"
		made.value, err = b.within(bySuffix, ".*", place{t.Elem(), false})
	case reflect.Struct:
		made.fields = map[string]*plan{}
		for _, f := range fieldsOf(t) {
			of := place{f.typ, p.addressable || f.optional}
			if made.fields[f.name], err = b.within(byField, f.goName, of); err != nil {
				return err
			}
		}
	case reflect.Interface:
	default:
		if kindName(t.Kind()) == "" {
			return b.trail.errorf("%v has no JSON form", t)
		}
	}
	return err
}

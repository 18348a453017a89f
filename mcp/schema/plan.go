package schema

import "reflect"

// nullPlan describes where null in the JSON of a Go type represents a nil slice or map. A nil plan
// means nowhere.
type nullPlan struct {
	replacement string               // replacement of null; "" keeps it
	item        *nullPlan            // plan of array elements
	value       *nullPlan            // plan of members without an own plan
	fields      map[string]*nullPlan // plans of members, by name
}

// planner creates one plan for each place, so that recursive types get cyclic plans.
type planner struct {
	plans   map[typePlace]*nullPlan
	pointer bool       // a method needs a pointer
	path    schemaPath // current path, for errors
}

// plan returns the plan of the type at p.
func (b *planner) plan(p typePlace) (*nullPlan, error) {
	behind := false
	for hops := 0; p.typ.Kind() == reflect.Pointer; hops++ {
		if hops == 16 {
			return nil, b.path.errorf("pointers without an end")
		}
		p, behind = typePlace{p.typ.Elem(), true}, true
	}
	made, ok := b.plans[p]
	if !ok {
		made = &nullPlan{}
		b.plans[p] = made
		if err := b.fill(made, p); err != nil {
			return nil, err
		}
	}
	if behind && made.replacement != "" {
		// null is a nil pointer here, as the schema says.
		copied := *made
		copied.replacement = ""
		return &copied, nil
	}
	return made, nil
}

// planAt returns the plan of a type whose path is one step longer.
func (b *planner) planAt(kind pathStepKind, step string, p typePlace) (*nullPlan, error) {
	b.path.push(kind, step)
	made, err := b.plan(p)
	if err == nil {
		b.path.pop()
	}
	return made, err
}

// fill sets the plan of the type at p.
func (b *planner) fill(made *nullPlan, p typePlace) (err error) {
	t := p.typ
	if shape := shapeOf(t, true, p.addressable); shape != byKind {
		b.pointer = b.pointer || shapeOf(t, true, false) != shape
		return nil
	}
	switch t.Kind() {
	case reflect.Slice:
		if isBytes(t) {
			made.replacement = `""`
			return nil
		}
		made.replacement = "[]"
		made.item, err = b.planAt(bySuffix, "[]", typePlace{t.Elem(), true})
	case reflect.Array:
		made.item, err = b.planAt(bySuffix, "[]", typePlace{t.Elem(), p.addressable})
	case reflect.Map:
		if form, _ := keyOf(t.Key(), true); form == badKey {
			return b.path.errorf("%v cannot be the key of a JSON object", t.Key())
		}
		made.replacement = "{}"
		made.value, err = b.planAt(bySuffix, ".*", typePlace{t.Elem(), false})
	case reflect.Struct:
		made.fields = map[string]*nullPlan{}
		for _, f := range fieldsOf(t) {
			of := typePlace{f.typ, p.addressable || f.optional}
			if made.fields[f.name], err = b.planAt(byField, f.goName, of); err != nil {
				return err
			}
		}
	case reflect.Interface:
	default:
		if kindName(t.Kind()) == "" {
			return b.path.errorf("%v has no JSON form", t)
		}
	}
	return err
}

package schema

import "github.com/dougu-go/dougu/mcp/schema/internal/phrase"

// objects returns the rules of a node for objects, and creates them if necessary.
func (n *node) objects() *objectRules {
	if n.object == nil {
		n.object = &objectRules{maximum: -1}
	}
	return n.object
}

// arrays returns the rules of a node for arrays, and creates them if necessary.
func (n *node) arrays() *arrayRules {
	if n.array == nil {
		n.array = &arrayRules{maxItems: -1}
	}
	return n.array
}

// properties compiles the declared members of an object. It registers all names first, because the
// schemas may refer back.
func (c *compiler) properties(n *node, doc, v *value) error {
	if v.kind != typeObject {
		return c.path.errorf("properties must be an object")
	}
	o := n.objects()
	words := (len(v.members) + 63) / 64
	o.properties = make([]property, len(v.members))
	sets := make([]uint64, 2*words)
	o.required, o.defaults = sets[:words:words], sets[words:]
	if len(v.members) > maxUnindexed {
		o.index = make(map[string]int, len(v.members))
	}
	for k, m := range v.members {
		o.properties[k].name = m.name
		if o.index != nil {
			o.index[m.name] = k
		}
	}
	for k, m := range v.members {
		p, err := c.compileAt(byName, m.name, m.value)
		if err != nil {
			return err
		}
		o.properties[k].node = p
		c.recordDefault(o, k, m)
	}
	additional := doc.get("additionalProperties")
	if additional == nil || !additional.isFalse() || doc.get("patternProperties") != nil {
		o.folded = make(map[string]int, len(o.properties))
		for k := range o.properties {
			o.folded[string(foldName(nil, []byte(o.properties[k].name)))] = k
		}
	}
	if required := doc.get("required"); required != nil {
		return c.require(o, required)
	}
	return nil
}

// recordDefault records a property that may get a default: its own, or an object with defaults of its
// properties.
func (c *compiler) recordDefault(o *objectRules, k int, m member) {
	switch {
	case m.value.get("default") != nil:
		c.path.push(byName, m.name)
		c.defaults = append(c.defaults, defaultValue{o, k, m.value, c.path.String()})
		c.path.pop()
		c.hasDefaults = true
	case o.properties[k].node != nil && o.properties[k].node.object != nil:
		c.defaults = append(c.defaults, defaultValue{object: o, at: k, doc: m.value})
	}
}

// require marks the required members. Properties must be known.
func (c *compiler) require(o *objectRules, v *value) error {
	names, ok := v.texts()
	if !ok {
		return c.path.errorf("required must be an array of strings")
	}
	for _, name := range names {
		if k := o.indexOf([]byte(name)); k >= 0 {
			o.setRequired(k)
		} else {
			o.requiredOnly = append(o.requiredOnly, name)
		}
	}
	return nil
}

// objectKeyword compiles a keyword of objects other than properties.
func (c *compiler) objectKeyword(n *node, doc *value, m member) (err error) {
	o := n.objects()
	switch m.name {
	case "required":
		if doc.get("properties") == nil { // otherwise properties handles it
			return c.require(o, m.value)
		}
	case "minProperties":
		return c.count(&o.minimum, m)
	case "maxProperties":
		return c.count(&o.maximum, m)
	case "additionalProperties":
		switch {
		case doc.get("patternProperties") != nil: // patternProperties handles it
		case m.value.isFalse():
			o.closed = true
		default:
			o.additional, err = c.compileAt(bySuffix, ".*", m.value)
		}
	case "propertyNames":
		o.names, err = c.compileAt(bySuffix, " (names)", m.value)
	}
	return err
}

// arrayKeyword compiles a keyword of arrays.
func (c *compiler) arrayKeyword(n *node, doc *value, m member) (err error) {
	a := n.arrays()
	switch m.name {
	case "minItems":
		return c.count(&a.minItems, m)
	case "maxItems":
		return c.count(&a.maxItems, m)
	case "uniqueItems":
		a.unique = m.value.isTrue()
	case "items":
		if m.value.kind == typeArray && c.dialect < draft20 {
			return c.tuple(a, m, doc.get("additionalItems"))
		}
		a.items, err = c.compileAt(bySuffix, "[]", m.value)
	case "prefixItems":
		if c.dialect >= draft20 {
			a.prefix, err = c.branches("[]", m)
		}
	}
	return err
}

// tuple compiles a list of item schemas, the form before 2020-12.
func (c *compiler) tuple(a *arrayRules, m member, additional *value) (err error) {
	if a.prefix, err = c.branches("[]", m); err == nil && additional != nil {
		a.items, err = c.compileAt(bySuffix, "[]", additional)
	}
	return err
}

// union compiles anyOf and oneOf. Method resolveUnions decides later which unions become alternatives.
func (c *compiler) union(n *node, doc *value, m member) error {
	branches, err := c.branches("", m)
	if err != nil {
		return err
	}
	if len(branches) == 0 {
		return c.path.errorf("%s must not be empty", m.name)
	}
	u := union{node: n, doc: doc, branches: branches, isOneOf: m.name == "oneOf"}
	for _, sibling := range doc.members {
		if sibling.name != m.name && (sibling.name == "$ref" || contains(assertions, sibling.name)) {
			c.combine(u)
			return nil
		}
	}
	n.alternatives, n.needsSpecial = branches, true
	c.special = append(c.special, n)
	c.unions = append(c.unions, u)
	return nil
}

// combine adds a union to the combination of its node.
func (c *compiler) combine(u union) {
	more := c.combination(u.node)
	if u.isOneOf {
		more.one = append(more.one, u.branches)
	} else {
		more.any = append(more.any, u.branches)
	}
}

// resolveUnions turns each union into an enumeration if its branches are enumerations. It keeps the
// branches as alternatives if at most one can apply to each JSON type. Any other union becomes a
// combination.
func (c *compiler) resolveUnions() {
	for _, u := range c.unions {
		switch {
		case u.enumerate():
			c.enums = append(c.enums, enumValues{u.node, u.doc, ""})
		case !u.disjoint():
			u.node.alternatives, u.node.types = nil, anyType
			c.combine(u)
		}
	}
}

// enumerate merges branches that are only enumerations, and reports whether all are.
func (u union) enumerate() bool {
	enum := &enumeration{}
	var types typeSet
	for _, b := range u.node.alternatives {
		if b == nil || b.enum == nil || b.text != nil || b.number != nil || b.array != nil || b.object != nil || b.combination != nil {
			return false
		}
		for _, l := range b.enum.literals {
			if b.types&l.types() == 0 {
				continue
			}
			if u.isOneOf && enum.has(&l) {
				return false
			}
			enum.add(l)
		}
		types |= b.types
	}
	u.node.alternatives, u.node.needsSpecial = nil, false
	u.node.enum, u.node.types = enum, types
	return true
}

// disjoint reports whether no JSON type is allowed by two branches.
func (u union) disjoint() bool {
	var types typeSet
	for _, b := range u.node.alternatives {
		if b == nil || types&b.types != 0 {
			return false
		}
		types |= b.types
	}
	u.node.types = types
	return true
}

// alternative returns the branch of a union for values of a type, or nil.
func (n *node) alternative(t typeSet) *node {
	if t == typeNumber {
		t |= typeInteger
	}
	for _, a := range n.alternatives {
		if a.types&t != 0 {
			return a
		}
	}
	return nil
}

// checkEnums returns an error if the rest of a schema refuses a value of its enumeration. authored
// limits the check to schemas whose author receives the error. bound adds the constraints of the Go
// type, for example that 300 does not fit a uint8.
func (c *compiler) checkEnums(authored func(*value) bool, bound bool) error {
	for _, e := range c.enums {
		if !authored(e.doc) {
			continue
		}
		rest := *e.node
		rest.enum, rest.types = nil, anyType
		if !bound {
			rest.guard, rest.decode = guard{}, nil
		}
		if declared := e.doc.get("type"); declared != nil {
			if err := c.types(&rest, declared); err != nil {
				return err
			}
		}
		for _, l := range e.node.enum.literals {
			if _, err := prepare(&rest, l.raw, false); err != nil {
				return pathError(e.path, "enum value %s: %s", phrase.Token(l.raw), err.Violations[0].Message)
			}
		}
	}
	return nil
}

// applyDefaults sets the defaults of all properties. A default that its own schema refuses is an
// error if authored, otherwise it is ignored.
func (c *compiler) applyDefaults(authored func(*value) bool) error {
	if !c.hasDefaults {
		return nil
	}
	for _, d := range c.defaults {
		if err := c.applyDefault(d, authored); err != nil {
			return err
		}
	}
	return nil
}

// applyDefault sets the default of one property.
func (c *compiler) applyDefault(d defaultValue, authored func(*value) bool) error {
	p := &d.object.properties[d.at]
	stated := d.doc.get("default")
	if stated == nil {
		if p.isStructValue && d.object.optional(d.at) {
			if v, err := prepare(p.node, []byte("{}"), c.hasCombinations); err == nil && len(v) > len("{}") {
				d.object.setDefault(d.at, v)
			}
		}
		return nil
	}
	raw := stated.append(nil)
	v, err := prepare(p.node, raw, c.hasCombinations)
	if err == nil {
		d.object.setDefault(d.at, v)
		return nil
	}
	if authored(d.doc) {
		v := err.Violations[0]
		return pathError(d.path, "default %s: %s", phrase.Token(raw), v)
	}
	return nil
}

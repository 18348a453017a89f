package uses

// found is a member of a type.
type found struct {
	symbol   *symbol
	receiver *instance // with the type arguments for the member's types
	static   typ       // the type whose member was looked up
}

// find returns the members of a type with a name. known is false if the member can belong
// to an unknown type.
func (s *search) find(t typ, name string) (all []found, known bool) {
	if !s.step() {
		return nil, false
	}
	s.nesting++
	defer func() { s.nesting-- }()
	switch t := t.(type) {
	case *instance:
		return s.findInClass(t, name)
	case *reference:
		switch t.symbol.kind {
		case symClass:
			return s.findInClass(&instance{class: t.symbol.class}, name)
		case symNamespace:
			if m := t.symbol.names.names[name]; m != nil {
				return []found{{m, nil, t}}, true
			}
			if m := s.namespacePart(t.symbol.name, name); m != nil {
				return []found{{m, nil, t}}, true
			}
			for other := t.symbol.next; other != nil; other = other.next {
				if other.kind != symNamespace {
					return s.find(&reference{symbol: other}, name)
				}
			}
		case symFunction:
			if t.symbol.class != nil {
				if m := t.symbol.class.members[name]; m != nil {
					return []found{{m, nil, t}}, true
				}
			}
			for other := t.symbol.next; other != nil; other = other.next {
				if other.kind == symNamespace {
					return s.find(&reference{symbol: other}, name)
				}
			}
			return nil, true
		}
		return nil, true
	case *moduleRef:
		if m := s.exported(t.text, name, 0); m != nil {
			return []found{{m, nil, t}}, true
		}
		return nil, false
	case *unionOf:
		known = true
		for _, one := range t.types {
			m, k := s.find(one, name)
			all = append(all, m...)
			known = known && k
		}
		return all, known
	case *generic, *external, *methodOf, *signature:
		return nil, true
	}
	return nil, false
}

// findInClass looks a member up in a class and its bases.
func (s *search) findInClass(t *instance, name string) ([]found, bool) {
	var all []found
	known := s.walkBases(t, func(c *instance) bool {
		if m := c.class.members[name]; m != nil {
			all = []found{{m, c, t}}
		}
		return all == nil
	})
	return all, known || all != nil
}

// walkBases calls visit for an instance and for the instances of its base classes, breadth first and each class once, until visit
// returns false. known is false if a base of a visited class is unknown.
func (s *search) walkBases(t *instance, visit func(c *instance) bool) (known bool) {
	level, visited := []*instance{t}, map[*class]bool{}
	known = true
	for n := 0; n < len(level) && n < 200; n++ {
		c := level[n]
		if visited[c.class] {
			continue
		}
		visited[c.class] = true
		if !visit(c) {
			break
		}
		bases, sure := s.bases(c)
		known = known && sure
		level = append(level, bases...)
	}
	return known
}

// bases returns the base classes of an instance. sure is false if a base is unknown.
func (s *search) bases(c *instance) (all []*instance, sure bool) {
	sure = true
	if !s.step() {
		return nil, false
	}
	for _, base := range c.class.bases {
		var t typ
		if c.class.literal {
			t = s.eval(c.class.text, base.from, base.to)
		} else {
			t = s.baseType(c.class, base, s.env(c))
		}
		switch t := t.(type) {
		case *instance:
			all = append(all, t)
		case *unionOf:
			for _, one := range t.types {
				if i, ok := one.(*instance); ok {
					all = append(all, i)
				}
			}
		case nil:
			sure = false
		}
	}
	return all, sure
}

// inherits reports whether a class has another one among its bases.
func (s *search) inherits(c, base *class) bool {
	inherits := false
	s.walkBases(&instance{class: c}, func(at *instance) bool {
		inherits = at.class == base || at.class.symbol != nil && sameSymbol(at.class.symbol, base.symbol)
		return !inherits
	})
	return inherits
}

// memberType returns the type of a member.
func (s *search) memberType(t typ, name string) typ {
	switch t := t.(type) {
	case *generic:
		return &methodOf{t, name}
	case *external, *methodOf:
		return outside
	case *reference:
		if t.symbol.kind == symClass && s.dialect.python && name == "__name__" {
			return outside
		}
	}
	all, known := s.find(t, name)
	if len(all) == 0 {
		if m, ok := t.(*moduleRef); ok && s.dialect.python {
			if sub := s.dialect.module(s, m.text, "."+name); sub != nil {
				return &moduleRef{sub}
			}
		}
		if known && t != nil {
			return outside
		}
		return nil
	}
	receiver := all[0].receiver
	if i, ok := t.(*instance); ok && receiver == nil {
		receiver = i
	}
	return s.symbolType(all[0].symbol, receiver)
}

// sameSymbol reports whether two symbols are one declaration.
func sameSymbol(a, b *symbol) bool {
	return a == b || a != nil && b != nil && a.text == b.text && a.token == b.token && a.token >= 0
}

// baseType evaluates a base of a class: a type, or an expression with a class.
func (s *search) baseType(c *class, base span, env typeEnv) typ {
	t := s.typeAt(c.text, base, env)
	if t != nil && t != outside {
		return t
	}
	switch v := s.eval(c.text, base.from, base.to).(type) {
	case *reference:
		if v.symbol.kind == symClass {
			return &instance{class: v.symbol.class}
		}
	case *instance:
		return v
	case nil:
		return nil
	}
	return t
}

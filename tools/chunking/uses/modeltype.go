package uses

import "slices"

// typ is a type of a text; nil is an unknown type.
type typ interface{}

type (
	// instance is a value of a class of the project.
	instance struct {
		class *class
		args  []typ
	}
	// reference is a class, a function or a namespace as a value. receiver has the type
	// arguments of a method.
	reference struct {
		symbol   *symbol
		receiver *instance
	}
	// moduleRef is a module of the project as a value.
	moduleRef struct{ text *text }
	// generic is a type outside the project with arguments.
	generic struct {
		name string
		args []typ
	}
	// methodOf is a method of a generic.
	methodOf struct {
		of   *generic
		name string
	}
	// unionOf is one of several types.
	unionOf struct{ types []typ }
	// signature is a function type as it is written.
	signature struct {
		text *text
		open int // the parenthesis of the parameters
		ret  span
		at   int // for lookups
		env  typeEnv
	}
	// external is a type outside the project.
	external struct{}
)

// typeEnv has the arguments of type parameters.
type typeEnv map[string]typ

// outside is the type of all values without a type of the project.
var outside = &external{}

// search is one search for the uses of a declaration in texts.
type search struct {
	*fileSet
	steps, nesting int
	cut            int // evaluations that the limits ended
}

// maxTextSteps limits the work for one file.
const maxTextSteps = 2_000_000

func (s *search) step() bool {
	s.steps++
	if s.steps&1023 == 0 && s.ctx.Err() != nil {
		s.steps = maxTextSteps
	}
	if s.steps >= maxTextSteps || s.nesting >= maxNesting {
		s.cut++
		return false
	}
	return true
}

// lookup returns the symbol of a name at a token, or nil.
func (s *search) lookup(f *text, name string, at int) *symbol {
	b := f.blockAt(at)
	if b.class != nil && s.dialect.python { // methods do not see the names of their class
		if found := b.class.members[name]; found != nil {
			return found
		}
	}
	return s.lookupFrom(b, name)
}

func (s *search) lookupFrom(b *block, name string) *symbol {
	for ; b != nil; b = b.parent {
		if found := b.names[name]; found != nil {
			return found
		}
		if b.class != nil && s.dialect.java {
			if m, _ := s.find(&instance{class: b.class}, name); len(m) > 0 {
				return m[0].symbol
			}
		}
		if b.namespace != "" {
			if found := s.namespacePart(b.namespace, name); found != nil {
				return found
			}
		}
	}
	return s.global(name)
}

// symbolType returns the type of a symbol.
func (s *search) symbolType(sym *symbol, receiver *instance) typ {
	if !s.step() {
		return nil
	}
	switch sym.kind {
	case symClass, symNamespace:
		return &reference{symbol: sym}
	case symFunction:
		if sym.fn != nil && sym.fn.property {
			return s.result(sym, receiver, nil)
		}
		return &reference{sym, receiver}
	case symImport:
		return s.importType(sym)
	case symTypeParam, symAlias:
		return nil
	}
	if sym.known && receiver == nil {
		return sym.cached
	}
	if sym.resolving {
		return nil
	}
	sym.resolving = true
	s.nesting++
	cut := s.cut
	t := s.variableType(sym, s.env(receiver))
	s.nesting--
	sym.resolving = false
	if receiver == nil && s.cut == cut {
		sym.known, sym.cached = true, t
	}
	return t
}

// env returns the type arguments of a receiver.
func (s *search) env(receiver *instance) typeEnv {
	if receiver == nil || len(receiver.args) == 0 {
		return nil
	}
	env := typeEnv{}
	for i, name := range receiver.class.typeParams {
		if i < len(receiver.args) {
			env[name] = receiver.args[i]
		}
	}
	return env
}

func (s *search) variableType(sym *symbol, env typeEnv) typ {
	var t typ
	switch {
	case sym.typ.ok():
		t = s.typeAt(sym.text, sym.typ, env)
		if sym.origin == elementOf { // the declared type is that of the element
			return t
		}
	case sym.value.ok():
		t = s.eval(sym.text, sym.value.from, sym.value.to)
		for _, v := range sym.values {
			if t != nil && t != outside {
				break
			}
			t = s.eval(sym.text, v.from, v.to)
		}
	case sym.lambda != nil:
		return s.contextType(sym)
	case sym.self && sym.class != nil:
		return &instance{class: sym.class}
	}
	switch sym.origin {
	case elementOf:
		t = s.element(t)
		if g, ok := t.(*generic); ok && sym.part && g.name == "Tuple" && sym.index < len(g.args) {
			return g.args[sym.index]
		} else if sym.part {
			return nil
		}
		return t
	case memberOf:
		return s.memberType(t, sym.key)
	case indexOf:
		if g, ok := t.(*generic); ok && g.name == "Tuple" {
			if sym.index < len(g.args) {
				return g.args[sym.index]
			}
			return nil
		}
		return s.element(t)
	case enteredBy:
		if g, ok := t.(*generic); ok && len(g.args) > 0 {
			return g.args[0]
		}
		if m, _ := s.find(t, "__enter__"); len(m) > 0 {
			if r := s.result(m[0].symbol, m[0].receiver, nil); r != nil {
				return r
			}
		}
		return t
	}
	return t
}

// element returns the type of the elements of a type.
func (s *search) element(t typ) typ {
	switch t := t.(type) {
	case *generic:
		switch {
		case len(t.args) == 0:
			return nil
		case t.name == "Map":
			if s.dialect.python {
				return t.args[0]
			}
			return &generic{"Tuple", t.args}
		}
		return t.args[0]
	case *external:
		return outside
	case *unionOf:
		return s.element(t.types[0])
	case *instance:
		if m, _ := s.find(t, "__iter__"); len(m) > 0 {
			return s.element(s.result(m[0].symbol, m[0].receiver, nil))
		}
	}
	return nil
}

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
	level, visited, known := []*instance{t}, map[*class]bool{}, true
	for n := 0; n < len(level) && n < 200; n++ {
		c := level[n]
		if visited[c.class] {
			continue
		}
		visited[c.class] = true
		if m := c.class.members[name]; m != nil {
			return []found{{m, c, t}}, true
		}
		bases, sure := s.bases(c)
		known = known && sure
		level = append(level, bases...)
	}
	return nil, known
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
	level, visited := []*instance{{class: c}}, map[*class]bool{}
	for n := 0; n < len(level) && n < 200; n++ {
		at := level[n].class
		if at == base || at.symbol != nil && base.symbol != nil && at.symbol.text == base.symbol.text && at.symbol.token == base.symbol.token && at.symbol.token >= 0 {
			return true
		}
		if visited[at] {
			continue
		}
		visited[at] = true
		bases, _ := s.bases(level[n])
		level = append(level, bases...)
	}
	return false
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

// result returns the type of the result of a function. args are the types of the
// arguments, or nil.
func (s *search) result(sym *symbol, receiver *instance, args func(int) typ) typ {
	if !s.step() || sym.resolving {
		return nil
	}
	sym.resolving = true
	s.nesting++
	defer func() { sym.resolving = false; s.nesting-- }()
	for o := sym; o != nil && s.step(); o = o.next {
		if o.fn == nil || !o.fn.ret.ok() {
			continue
		}
		env := s.env(receiver)
		if len(o.fn.typeParams) > 0 {
			env = s.inferEnv(o, env, args)
		}
		if word := o.text.at(o.fn.ret.from); receiver != nil && o.fn.ret.to == o.fn.ret.from+1 && (word == "this" || word == "Self") {
			return receiver
		}
		t := s.typeAt(o.text, o.fn.ret, env)
		if o.fn.async && s.dialect.python {
			return &generic{"Promise", []typ{t}}
		}
		return t
	}
	if sym.fn == nil {
		return nil
	}
	for _, r := range sym.fn.returns {
		if t := s.eval(sym.text, r.from, r.to); t != nil && t != outside {
			if sym.fn.async {
				return &generic{"Promise", []typ{s.awaited(t)}}
			}
			if sym.fn.generator {
				return &generic{"Iterator", []typ{t}}
			}
			return t
		}
	}
	if len(sym.fn.returns) == 0 && !sym.fn.generator {
		return outside
	}
	return nil
}

// inferEnv adds the type arguments that the arguments of a call show.
func (s *search) inferEnv(o *symbol, env typeEnv, args func(int) typ) typeEnv {
	all := typeEnv{}
	for k, v := range env {
		all[k] = v
	}
	for _, name := range o.fn.typeParams {
		all[name] = nil
	}
	if args == nil {
		return all
	}
	for i, p := range o.fn.params {
		if !p.typ.ok() {
			continue
		}
		word := o.text.at(p.typ.from)
		if !slices.Contains(o.fn.typeParams, word) || all[word] != nil {
			continue
		}
		t := args(i)
		if p.typ.to > p.typ.from+1 { // T[]
			t = s.element(t)
		}
		all[word] = t
	}
	return all
}

// awaited returns the type of the value of a promise.
func (s *search) awaited(t typ) typ {
	switch t := t.(type) {
	case *generic:
		if t.name == "Promise" && len(t.args) > 0 {
			return t.args[len(t.args)-1]
		}
	case *unionOf:
		return s.awaited(t.types[0])
	}
	return t
}

// union returns one type of several.
func union(types []typ) typ {
	var known []typ
	unknown := false
	for _, t := range types {
		switch t := t.(type) {
		case nil:
			unknown = true
		case *external:
		case *unionOf:
			known = append(known, t.types...)
		default:
			known = append(known, t)
		}
	}
	switch {
	case len(known) == 1:
		return known[0]
	case len(known) > 20:
		return nil
	case len(known) > 1:
		return &unionOf{known}
	case unknown:
		return nil
	}
	return outside
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

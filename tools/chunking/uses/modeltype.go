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

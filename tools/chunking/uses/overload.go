package uses

import (
	"slices"
	"strings"
)

// methodType chooses the overload of a method by the number of arguments.
func (s *search) methodType(f *text, t typ, name int) typ {
	switch t.(type) {
	case *generic, *external, *methodOf:
		return s.memberType(t, f.at(name))
	}
	all, known := s.find(t, methodKey(f.at(name)))
	if len(all) == 0 {
		if known && t != nil {
			return outside
		}
		return nil
	}
	m := s.overload(all[0], f, f.split(name+2, f.pair(name+1)))
	return &reference{m.symbol, m.receiver}
}

// overload returns the method of a name that accepts the arguments.
func (s *search) overload(m found, f *text, args []span) found {
	if m.receiver == nil {
		if o := s.bestOverload(m.symbol, f, args); o != nil {
			m.symbol = o
		}
		return m
	}
	chosen := m
	s.walkBases(m.receiver, func(c *instance) bool { // a base class can have the overload
		o := s.bestOverload(c.class.members[methodKey(m.symbol.name)], f, args)
		if o != nil {
			chosen = found{o, c, m.static}
		}
		return o == nil
	})
	return chosen
}

// bestOverload returns the function of a chain that fits the arguments best.
func (s *search) bestOverload(o *symbol, f *text, args []span) *symbol {
	var fitting []*symbol
	for ; o != nil && s.step(); o = o.next {
		if o.fn != nil && (len(o.fn.params) == len(args) || o.fn.rest && len(args) >= len(o.fn.params)-1) {
			fitting = append(fitting, o)
		}
	}
	switch len(fitting) {
	case 0:
		return nil
	case 1:
		return fitting[0]
	}
	best, most := fitting[0], -1_000
	for _, o := range fitting {
		score := 0
		if o.fn.rest { // a method with a fixed number of arguments is preferred
			score -= 4
		}
		for i, arg := range args {
			if i < len(o.fn.params) {
				score += s.argumentScore(f, arg, o.fn.params[i])
			}
		}
		if score > most {
			best, most = o, score
		}
	}
	return best
}

// javaPrimitives are the types of numbers, characters and truth values, with their classes.
var javaPrimitives = []string{"int", "long", "short", "byte", "char", "float", "double", "boolean", "Integer", "Long", "Boolean", "Double"}

// isThrowable reports whether a type has the name of an exception.
func isThrowable(name string) bool {
	return strings.HasSuffix(name, "Throwable") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error")
}

// javaStringCalls are methods that return a string in nearly all classes.
var javaStringCalls = []string{"toString", "format", "getMessage", "getName", "valueOf", "join", "substring", "trim", "concat", "name", "formatted"}

// scoreIf returns one of two scores.
func scoreIf(fits bool, yes, no int) int {
	if fits {
		return yes
	}
	return no
}

// argumentScore rates how an argument fits the type of a parameter of Java.
func (s *search) argumentScore(f *text, arg span, p *symbol) int {
	if !s.step() {
		return 0
	}
	want := p.text.at(p.typ.from)
	array := p.text.at(p.typ.to-1) == "]"
	single := arg.to == arg.from+1
	first := f.at(arg.from)
	primitive := slices.Contains(javaPrimitives, want)
	if score, ok := literalScore(f, arg, want, array); ok {
		return score
	}
	if single { // compare the declared types
		if sym := s.lookup(f, first, arg.from); sym != nil && sym.kind == symVariable && sym.typ.ok() {
			got := sym.text.at(sym.typ.from)
			gotArray := sym.text.at(sym.typ.to-1) == "]" || sym.text.at(sym.typ.to-1) == "..."
			if got == want && gotArray == array {
				return 4
			}
			if got != want && isThrowable(want) != isThrowable(got) {
				return -6
			}
			if gotArray != array || slices.Contains(javaPrimitives, got) != primitive {
				return -4
			}
		}
	}
	if isThrowable(want) && !single && first != "new" { // few expressions have an exception
		return -6
	}
	return s.valueScore(f, arg, p, want, array)
}

// literalScore rates an argument that begins with a literal or a lambda; ok is false for other arguments. want is the name of the
// type of the parameter, and array says that it is an array.
func literalScore(f *text, arg span, want string, array bool) (score int, ok bool) {
	primitive := slices.Contains(javaPrimitives, want)
	switch first := f.at(arg.from); {
	case f.kind(arg.from) == tokenString && first[0] == '\'' && arg.to == arg.from+1:
		return scoreIf(want == "char", 3, -3), true
	case f.kind(arg.from) == tokenString:
		return scoreIf(want == "String" && !array, 3, -2) + scoreIf(want == "Object" || want == "CharSequence", 2, 0), true
	case f.kind(arg.from) == tokenNumber && isThrowable(want):
		return -6, true
	case f.kind(arg.from) == tokenNumber:
		return scoreIf(primitive && !array, 2, -2) + scoreIf(want == "int", 1, 0), true
	case first == "true" || first == "false":
		return scoreIf(want == "boolean", 3, -2), true
	case first == "null":
		return scoreIf(primitive && !array, -5, 0), true
	case f.lambdas[arg.from] != nil:
		return scoreIf(want == "String" || primitive || want == "Object" || array, -5, 1), true
	}
	return 0, false
}

// valueScore rates an argument by the type of its value. The arguments want and array are those of literalScore.
func (s *search) valueScore(f *text, arg span, p *symbol, want string, array bool) int {
	t := s.eval(f, arg.from, arg.to)
	i, ok := t.(*instance)
	if name := f.at(f.pair(arg.to-1) - 1); !ok && f.at(arg.to-1) == ")" && slices.Contains(javaStringCalls, name) {
		return scoreIf(want == "String" && !array, 3, 0)
	}
	if !ok {
		if _, other := s.typeAt(p.text, p.typ, nil).(*instance); other && t != nil {
			return -2
		}
		return 0
	}
	switch w := s.typeAt(p.text, p.typ, nil).(type) {
	case *instance:
		switch {
		case w.class == i.class:
			return 4
		case s.inherits(i.class, w.class):
			return 3
		}
		return -4
	case *external:
		if want == "String" || slices.Contains(javaPrimitives, want) {
			return -4
		}
	}
	return 0
}

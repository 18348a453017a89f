package uses

import (
	"slices"
)

// callType evaluates a call whose arguments are at open.
func (s *search) callType(f *text, t typ, open int) typ {
	args := func(n int) typ {
		parts := f.split(open+1, f.pair(open))
		if n >= len(parts) {
			return nil
		}
		return s.eval(f, parts[n].from, parts[n].to)
	}
	switch t := t.(type) {
	case *reference:
		switch t.symbol.kind {
		case symFunction:
			return s.result(t.symbol, t.receiver, args)
		case symClass:
			if s.dialect.python {
				return &instance{class: t.symbol.class}
			}
		}
		return nil
	case *instance:
		if m, _ := s.find(t, "__call__"); len(m) > 0 {
			return s.result(m[0].symbol, m[0].receiver, args)
		}
		return nil
	case *methodOf:
		return s.genericCall(f, t, args)
	case *signature:
		return s.typeAt(t.text, t.ret, t.env)
	case *unionOf:
		var all []typ
		for _, one := range t.types {
			all = append(all, s.callType(f, one, open))
		}
		return union(all)
	case *external:
		return outside
	}
	return nil
}

// genericCall evaluates a call of a method of a collection, a promise or an optional value.
func (s *search) genericCall(f *text, m *methodOf, args func(int) typ) typ {
	if len(m.of.args) == 0 {
		return nil
	}
	first, last := m.of.args[0], m.of.args[len(m.of.args)-1]
	callback := func() typ {
		switch c := args(0).(type) {
		case *reference:
			if c.symbol.kind == symFunction {
				return s.result(c.symbol, c.receiver, nil)
			}
		}
		return nil
	}
	if slices.Contains(s.dialect.elementCalls, m.name) {
		if m.of.name == "Map" && m.name == "find" {
			return nil
		}
		return last
	}
	switch m.name {
	case "then":
		return &generic{"Promise", []typ{s.awaited(callback())}}
	case "map", "mapToObj":
		return &generic{m.of.name, []typ{callback()}}
	case "flatMap":
		return &generic{m.of.name, []typ{s.element(callback())}}
	case "findFirst", "findAny":
		return &generic{"Optional", []typ{last}}
	case "getKey":
		return first
	case "values":
		return &generic{"Array", []typ{last}}
	case "keys", "keySet":
		return &generic{"Array", []typ{first}}
	case "entries", "items":
		return &generic{"Array", []typ{&generic{"Tuple", m.of.args}}}
	case "entrySet":
		return &generic{"Set", []typ{&generic{"Entry", m.of.args}}}
	case "catch", "finally", "filter", "slice", "concat", "reverse", "sort", "splice", "toSorted", "toReversed", "copy", "stream", "iterator", "listIterator", "toList", "sorted", "distinct",
		"limit", "skip", "subList", "parallelStream", "descendingIterator":
		return m.of
	case "collect":
		return &generic{"Array", []typ{last}}
	case "reduce":
		return nil
	}
	return outside
}

// indexType evaluates an index expression.
func (s *search) indexType(f *text, t typ, open int) typ {
	switch t := t.(type) {
	case *generic:
		if len(t.args) == 0 {
			return nil
		}
		if t.name == "Tuple" {
			for i := range t.args {
				if f.pair(open) == open+2 && f.at(open+1) == string(rune('0'+i%10)) && i < 10 {
					return t.args[i]
				}
			}
			return nil
		}
		if s.dialect.python && t.name != "Map" {
			for j := open + 1; j < f.pair(open); j++ {
				if f.at(j) == ":" {
					return t
				}
			}
		}
		return t.args[len(t.args)-1]
	case *instance:
		if f.kind(open+1) == tokenString && f.pair(open) == open+2 {
			return s.memberType(t, unquote(f.at(open+1)))
		}
		if m, _ := s.find(t, "__getitem__"); len(m) > 0 {
			return s.result(m[0].symbol, m[0].receiver, nil)
		}
		return nil
	case *reference: // a generic class of Python
		if s.dialect.python && t.symbol.kind == symClass {
			return t
		}
	case *external:
		return outside
	case *unionOf:
		return s.indexType(f, t.types[0], open)
	}
	return nil
}

// contextType returns the type of a parameter of a function literal by the place of the
// literal.
func (s *search) contextType(p *symbol) typ {
	f := p.text
	position := slices.Index(p.lambda.fn.params, p)
	argument := 0
	for j, n := p.lambda.fn.block.start-1, 0; j >= 0 && n < 1_000; j, n = j-1, n+1 {
		switch word := f.at(j); {
		case f.closes(j) && f.pair(j) >= 0:
			j = f.pair(j)
		case word == ",":
			argument++
		case word == "(":
			start := f.chainStart(j)
			if start >= j {
				return nil
			}
			return s.callbackParam(s.eval(f, start, j), argument, position)
		case word == "async":
		default:
			return nil
		}
	}
	return nil
}

// callbackParam returns the type of a parameter of a function that is an argument of a
// call.
func (s *search) callbackParam(callee typ, argument, position int) typ {
	switch c := callee.(type) {
	case *methodOf:
		if len(c.of.args) == 0 {
			return nil
		}
		last := c.of.args[len(c.of.args)-1]
		switch c.name {
		case "forEach", "map", "filter", "find", "some", "every", "flatMap", "findIndex", "findLast", "then", "ifPresent", "anyMatch", "allMatch", "noneMatch", "removeIf",
			"mapToInt", "mapToLong", "mapToObj", "peek", "takeWhile", "dropWhile":
			if c.of.name == "Map" && position == 0 && s.dialect.java {
				return c.of.args[0]
			}
			if position == 0 || c.of.name == "Map" {
				return last
			}
			return outside
		case "sort", "toSorted", "sorted":
			return last
		case "reduce":
			if position == 1 {
				return last
			}
		case "catch", "finally":
			return outside
		}
		return nil
	case *reference:
		if c.symbol.kind != symFunction || c.symbol.fn == nil || len(c.symbol.fn.params) == 0 {
			return nil
		}
		p := c.symbol.fn.params[min(argument, len(c.symbol.fn.params)-1)]
		if !p.typ.ok() {
			return nil
		}
		env := s.env(c.receiver)
		for _, name := range c.symbol.fn.typeParams {
			if env == nil {
				env = typeEnv{}
			}
			env[name] = nil
		}
		return s.signatureParam(s.typeAt(p.text, p.typ, env), position)
	case *external:
		return nil
	}
	return nil
}

// signatureParam returns the type of a parameter of a function type.
func (s *search) signatureParam(t typ, position int) typ {
	switch t := t.(type) {
	case *signature:
		parts := t.text.split(t.open+1, t.text.pair(t.open))
		if position >= len(parts) {
			return nil
		}
		for j := parts[position].from; j < parts[position].to; j++ {
			if t.text.at(j) == ":" {
				return s.typeAt(t.text, span{j + 1, parts[position].to}, t.env)
			}
		}
	case *unionOf:
		for _, one := range t.types {
			if p := s.signatureParam(one, position); p != nil {
				return p
			}
		}
	}
	return nil
}

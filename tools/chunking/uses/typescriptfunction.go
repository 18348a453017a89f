package uses

import "slices"

// newFunction reads a signature whose parameters begin at open, and its body. end is the
// index after it.
func (r *scriptReader) newFunction(open, to int, b *block, body func(fn *function, inner *block, i int) int) (fn *function, end int) {
	inner := r.newBlock(open, to, b)
	fn = &function{block: inner}
	inner.fn = fn
	i := open
	if r.at(i) == "<" {
		end := r.skipAngle(i)
		if end == i {
			inner.end = i + 1
			return fn, i + 1
		}
		fn.typeParams = r.angleNames(i, end)
		for _, name := range fn.typeParams {
			inner.declare(&symbol{kind: symTypeParam, name: name, token: -1, text: r.text})
		}
		i = end
	}
	if r.at(i) == "(" {
		r.params(i, fn, inner)
		i = r.after(i)
	}
	if r.at(i) == ":" {
		fn.ret = span{i + 1, r.skipType(i + 1)}
		i = max(fn.ret.to, i+1)
	}
	inner.end = body(fn, inner, i)
	return fn, inner.end
}

// bodyAt reads a body in braces, if there is one.
func (r *scriptReader) bodyAt(fn *function, inner *block, i int) int {
	if r.at(i) == "{" && r.opens(i) {
		inner.end = r.after(i)
		r.code(i+1, r.pair(i), inner)
		return r.after(i)
	}
	return i
}

// function reads a function with the keyword.
func (r *scriptReader) function(i, to int, b *block) int {
	async := r.at(i-1) == "async"
	j := i + 1
	generator := r.at(j) == "*"
	if generator {
		j++
	}
	var s *symbol
	if r.isName(j) {
		s = &symbol{kind: symFunction, name: r.at(j), token: j, text: r.text}
		r.declare(b, s)
		j++
	} else {
		s = &symbol{kind: symFunction, token: -1, text: r.text, block: b}
	}
	r.lambdas[i] = s
	if async {
		r.lambdas[i-1] = s
	}
	s.fn = &function{}
	fn, end := r.newFunction(j, to, b, r.bodyAt)
	fn.async, fn.generator, fn.block.opaque = async, generator, true
	s.fn = fn
	setLambda(s)
	return end
}

func setLambda(s *symbol) {
	for _, p := range s.fn.params {
		p.lambda = s
	}
}

// arrow reads an arrow function whose parameters begin at i.
func (r *scriptReader) arrow(i, to int, b *block) (end int, ok bool) {
	at := i + 1 // of the arrow
	if r.at(i) == "(" {
		if !r.opens(i) {
			return 0, false
		}
		if at = r.after(i); r.at(at) == ":" && r.at(i-1) != "?" {
			at = r.skipType(at + 1)
		}
	}
	if r.at(at) != "=>" {
		return 0, false
	}
	s := &symbol{kind: symFunction, token: -1, text: r.text, block: b}
	read := func(fn *function, inner *block, j int) int {
		if r.at(i) != "(" {
			fn.params = append(fn.params, inner.declare(&symbol{kind: symVariable, name: r.at(i), token: i, text: r.text}))
			j = i + 1
		}
		j++ // the arrow
		if r.at(j) == "{" && r.opens(j) {
			return r.bodyAt(fn, inner, j)
		}
		end := r.exprEnd(j, to)
		inner.end = end
		fn.returns = append(fn.returns, span{j, end})
		r.code(j, end, inner)
		return end
	}
	fn, end := r.newFunction(i, to, b, read)
	fn.async = r.at(i-1) == "async"
	s.fn = fn
	setLambda(s)
	r.lambdas[i] = s
	if fn.async {
		r.lambdas[i-1] = s
	}
	return end, true
}

// params reads parameters in parentheses.
func (r *scriptReader) params(open int, fn *function, inner *block) {
	end := r.pair(open)
	for i := open + 1; i < end; {
		property := false
		for {
			switch word := r.at(i); {
			case word == "@":
				i = r.skipDecorator(i, inner)
				continue
			case word == "...":
				fn.rest = true
				i++
				continue
			case slices.Contains([]string{"public", "private", "protected", "readonly", "override"}, word) && r.isName(i+1):
				property = true
				i++
				continue
			}
			break
		}
		s := &symbol{kind: symVariable, text: r.text, token: -1}
		var parts []*symbol
		switch {
		case r.isName(i):
			s.name, s.token = r.at(i), i
			i++
		case r.opens(i):
			parts = r.pattern(i, inner)
			i = r.after(i)
		default:
			i++
			continue
		}
		if r.at(i) == "?" {
			i++
		}
		if r.at(i) == ":" {
			s.typ = span{i + 1, r.skipType(i + 1)}
			i = max(s.typ.to, i+1)
		}
		if r.at(i) == "=" {
			s.value = span{i + 1, r.exprEnd(i+1, end)}
			r.code(s.value.from, s.value.to, inner)
			i = s.value.to
		}
		for _, part := range parts {
			part.typ, part.value = s.typ, s.value
		}
		fn.params = append(fn.params, inner.declare(s))
		if property {
			if c := enclosingClass(inner); c != nil {
				c.addMember(&symbol{kind: symVariable, name: s.name, token: s.token, text: r.text, typ: s.typ, value: s.value, block: inner})
			}
		}
		for i < end && r.at(i) != "," {
			i = r.after(i)
		}
		i++
	}
}

// skipDecorator reads a decorator.
func (r *scriptReader) skipDecorator(i int, b *block) int {
	for i += 2; r.at(i) == "."; {
		i += 2
	}
	if r.at(i) == "(" && r.opens(i) {
		r.code(i+1, r.pair(i), b)
		return r.after(i)
	}
	return i
}

// pattern declares the names of a destructuring pattern.
func (r *scriptReader) pattern(open int, b *block) []*symbol {
	if r.depth++; r.depth > maxBlocks {
		r.depth--
		return nil
	}
	defer func() { r.depth-- }()
	var all []*symbol
	end, n := r.pair(open), 0
	for i := open + 1; i < end; i++ {
		if r.at(i) == "," {
			n++
			continue
		}
		if r.at(i) == "..." {
			continue
		}
		key := r.at(i)
		if r.at(open) == "{" && r.at(i+1) == ":" {
			i += 2
		}
		if r.isName(i) {
			s := &symbol{kind: symVariable, name: r.at(i), token: i, origin: memberOf, key: key, index: n}
			if r.at(open) == "[" {
				s.origin = indexOf
			}
			r.declare(b, s)
			all = append(all, s)
		} else if r.opens(i) {
			r.pattern(i, b)
		}
		for i+1 < end && r.at(i+1) != "," {
			i = r.after(i+1) - 1
		}
	}
	return all
}

// bindings reads the variables of a declaration.
func (r *scriptReader) bindings(i, to int, b *block) int {
	first := 0
	for i < to {
		var all []*symbol
		switch {
		case r.isName(i):
			s := r.declare(b, &symbol{kind: symVariable, name: r.at(i), token: i})
			all = append(all, s)
			i++
		case r.opens(i):
			all = r.pattern(i, b)
			i = r.after(i)
		default:
			return max(first, i)
		}
		if r.at(i) == "!" {
			i++
		}
		if r.at(i) == ":" {
			typ := span{i + 1, r.skipType(i + 1)}
			for _, s := range all {
				s.typ = typ
			}
			i = max(typ.to, i+1)
		}
		switch word := r.at(i); word {
		case "=", "of", "in":
			if first == 0 {
				first = i + 1
			}
			value := span{i + 1, r.exprEnd(i+1, to)}
			for _, s := range all {
				s.value = value
				if word == "of" && s.origin == wholeValue {
					s.origin = elementOf
				} else if word != "=" {
					s.value = span{}
				}
			}
			i = value.to
		}
		if r.at(i) != "," {
			break
		}
		i++
	}
	if first > 0 {
		return first
	}
	return i
}

package uses

import (
	"slices"
)

// newAt reads "new", and the members of an anonymous class.
func (r *javaReader) newAt(i int, b *block) int {
	end := r.skipType(i + 1)
	if r.at(end) == "<" && r.at(end+1) == ">" {
		end += 2
	}
	if r.at(end) != "(" || !r.opens(end) {
		return i + 1
	}
	r.code(end+1, r.pair(end), b)
	open := r.after(end)
	if r.at(open) == "{" && r.opens(open) {
		r.objects[open] = r.anonymous(open, b, span{i + 1, end})
		return r.after(open)
	}
	return open
}

// anonymous reads the members of a class without a name, whose brace is at open.
func (r *javaReader) anonymous(open int, b *block, bases ...span) *class {
	c := &class{text: r.text, members: map[string]*symbol{}, block: b, bases: bases}
	c.symbol = &symbol{kind: symClass, token: -1, text: r.text, class: c, block: b}
	inner := r.newBlock(open, r.pair(open), b)
	inner.class = c
	r.members(open+1, r.pair(open), c, inner)
	return c
}

// classAt reads a class, an interface, an enum or a record.
func (r *javaReader) classAt(i int, b *block) int {
	c := &class{name: r.at(i + 1), text: r.text, members: map[string]*symbol{}, block: b, iface: r.at(i) == "interface"}
	c.symbol = &symbol{kind: symClass, name: c.name, token: i + 1, text: r.text, class: c}
	if b.class != nil {
		b.class.addMember(c.symbol)
		c.symbol.static = true
		c.symbol.block = b
	} else {
		b.declare(c.symbol)
	}
	j := i + 2
	if r.at(j) == "<" {
		end := r.skipAngle(j)
		c.typeParams = r.angleNames(j, end)
		j = max(end, j+1)
	}
	parts := -1
	if r.at(j) == "(" { // of a record
		parts, j = j, r.after(j)
	}
	for n := 0; n < 1_000 && j < len(r.tokens) && r.at(j) != "{"; n++ {
		switch word := r.at(j); word {
		case "extends", "implements", ",", "permits":
			end := r.skipType(j + 1)
			if end <= j+1 {
				return j + 1
			}
			if word != "permits" {
				c.bases = append(c.bases, span{j + 1, end})
			}
			j = end
		default:
			return j + 1
		}
	}
	if !r.opens(j) {
		return j + 1
	}
	inner := r.newBlock(j, r.pair(j), b)
	inner.class = c
	for _, name := range c.typeParams {
		inner.declare(&symbol{kind: symTypeParam, name: name, token: -1, text: r.text})
	}
	if parts > 0 {
		for _, part := range r.split(parts+1, r.pair(parts)) {
			name := part.to - 1
			typ := span{part.from, name}
			c.addMember(&symbol{kind: symVariable, name: r.at(name), token: name, typ: typ, block: inner})
			c.addNamed(methodKey(r.at(name)), &symbol{kind: symFunction, name: r.at(name), token: name, block: inner, fn: &function{ret: typ}})
		}
	}
	from := j + 1
	if r.at(i) == "enum" {
		from = r.constants(from, r.pair(j), c, inner)
	}
	r.members(from, r.pair(j), c, inner)
	return r.after(j)
}

// constants reads the constants of an enum.
func (r *javaReader) constants(i, to int, c *class, b *block) int {
	for i < to {
		switch {
		case r.at(i) == ";":
			return i + 1
		case r.at(i) == "@":
			i += 2
			if r.at(i) == "(" {
				i = r.after(i)
			}
		case r.isName(i):
			s := c.addMember(&symbol{kind: symVariable, name: r.at(i), token: i, static: true, block: b, self: true, class: c})
			s.owner = c
			i++
			if r.at(i) == "(" && r.opens(i) {
				r.code(i+1, r.pair(i), b)
				i = r.after(i)
			}
			if r.at(i) == "{" && r.opens(i) {
				r.anonymous(i, b)
				i = r.after(i)
			}
		default:
			i++
		}
	}
	return i
}

// members reads the members of a class.
func (r *javaReader) members(i, to int, c *class, b *block) {
	if r.depth++; r.depth >= maxBlocks {
		r.depth--
		return
	}
	defer func() { r.depth-- }()
	for i < to {
		var static bool
		var params []string
		i, static, params = r.modifiers(i, to, b)
		switch word := r.at(i); {
		case word == "{" && r.opens(i):
			r.code(i+1, r.pair(i), r.newBlock(i, r.pair(i), b))
			i = r.after(i)
			continue
		case word == "@":
			i = r.classAt(i+1, b)
			continue
		case slices.Contains([]string{"class", "interface", "enum", "record"}, word) && r.isName(i+1) && r.at(i+2) != "=" && r.at(i+2) != ";" && (word != "record" || r.at(i+2) == "(" || r.at(i+2) == "<"):
			i = max(r.classAt(i, b), i+1)
			continue
		case r.isName(i) && r.at(i+1) == "(" && r.opens(i+1): // constructor
			i = r.method(i, span{}, to, c, b, false, params)
			continue
		case r.isName(i) && r.at(i+1) == "{" && r.opens(i+1): // compact constructor
			r.code(i+2, r.pair(i+1), r.newBlock(i+1, r.pair(i+1), b))
			i = r.after(i + 1)
			continue
		}
		end := r.skipType(i)
		if end == i || !r.isName(end) {
			i++
			continue
		}
		typ := span{i, end}
		if r.at(end+1) == "(" && r.opens(end+1) {
			i = r.method(end, typ, to, c, b, static, params)
			continue
		}
		i = r.fields(end, to, c, b, &symbol{kind: symVariable, typ: typ, static: static || c.iface, block: b})
	}
}

// modifiers reads the modifiers, annotations and type parameters before a member, and returns the index after them.
func (r *javaReader) modifiers(i, to int, b *block) (end int, static bool, params []string) {
	for {
		switch word := r.at(i); {
		case word == "@" && r.at(i+1) != "interface":
			i = r.step(i, to, b)
		case word == "non" && r.at(i+1) == "-":
			i += 3
		case slices.Contains(javaModifiers, word):
			static = static || word == "static"
			i++
		case word == "<":
			end := r.skipAngle(i)
			params = r.angleNames(i, end)
			i = max(end, i+1)
		default:
			return i, static, params
		}
	}
}

// fields declares the fields of one type, whose first name is at i, and returns the index after them. The symbol field is the one of
// each field without its name.
func (r *javaReader) fields(i, to int, c *class, b *block, field *symbol) int {
	for r.isName(i) {
		declared := *field
		declared.name, declared.token = r.at(i), i
		s := c.addMember(&declared)
		i++
		for r.at(i) == "[" {
			i = r.after(i)
		}
		if r.at(i) == "=" {
			s.value = span{i + 1, r.exprEnd(i+1, to)}
			r.code(s.value.from, s.value.to, b)
			i = max(s.value.to, i+1)
		}
		if r.at(i) != "," {
			break
		}
		i++
	}
	return i
}

// method reads a method or a constructor whose name is at i.
func (r *javaReader) method(i int, ret span, to int, c *class, b *block, static bool, params []string) int {
	s := &symbol{kind: symFunction, name: r.at(i), token: i, block: b, static: static, fn: &function{ret: ret, typeParams: params}}
	inner := r.newBlock(i+1, to, b)
	s.fn.block, inner.fn = inner, s.fn
	for _, name := range params {
		inner.declare(&symbol{kind: symTypeParam, name: name, token: -1, text: r.text})
	}
	for _, part := range r.split(i+2, r.pair(i+1)) {
		from := part.from
		for r.at(from) == "final" || r.at(from) == "@" {
			if r.at(from) == "@" {
				from = r.step(from, part.to, inner)
			} else {
				from++
			}
		}
		end := r.skipType(from)
		if end == from || !r.isName(end) {
			continue
		}
		if r.at(end-1) == "..." {
			s.fn.rest = true
		}
		p := &symbol{kind: symVariable, name: r.at(end), token: end, text: r.text, typ: span{from, end}}
		s.fn.params = append(s.fn.params, inner.declare(p))
	}
	c.addNamed(methodKey(s.name), s)
	j := r.after(i + 1)
	for j < to && r.at(j) != "{" && r.at(j) != ";" && !r.closes(j) {
		j++
	}
	if r.at(j) == "{" && r.opens(j) {
		inner.end = r.after(j)
		r.body(j, inner)
		return r.after(j)
	}
	inner.end = j
	return j + 1
}

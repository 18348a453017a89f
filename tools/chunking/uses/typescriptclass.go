package uses

import "slices"

// memberOf declares the member that an assignment to a class or a constructor function
// adds: F.prototype.name = value, or F.name = value.
func (r *scriptReader) memberOf(i, to int, b *block) {
	name := i + 2
	static := r.at(name) != "prototype"
	if !static && r.at(name+1) == "." {
		name += 2
	}
	if r.at(name+1) != "=" || !r.isName(name) {
		return
	}
	var owner *symbol
	for at := b; at != nil && owner == nil; at = at.parent {
		owner = at.names[r.at(i)]
	}
	if owner == nil || owner.kind != symClass && owner.kind != symFunction {
		return
	}
	c := owner.class
	if c == nil {
		c = &class{name: owner.name, symbol: owner, text: r.text, members: map[string]*symbol{}, block: b}
		owner.class = c
	}
	value := span{name + 2, r.exprEnd(name+2, to)}
	if r.at(name) == "prototype" {
		c.bases = append(c.bases, value)
		return
	}
	if c.members[r.at(name)] == nil {
		c.addMember(&symbol{kind: symVariable, name: r.at(name), token: name, value: value, static: static, block: b})
	}
}

// isObject reports whether a brace opens an object literal.
func (r *scriptReader) isObject(i int) bool {
	switch before := r.at(i - 1); before {
	case "=", "(", ",", "[", "?", "||", "&&", "??", "return", "default", "...", "yield", "await", "in", "of":
		return true
	case ":":
		return r.at(i-3) != "case" && r.at(i-2) != "default"
	}
	return false
}

// classAt reads a class or an interface.
func (r *scriptReader) classAt(i int, b *block) int {
	c := &class{text: r.text, members: map[string]*symbol{}, block: b, iface: r.at(i) == "interface"}
	c.symbol = &symbol{kind: symClass, token: -1, text: r.text, class: c, block: b}
	j := i + 1
	if r.isName(j) && r.at(j) != "extends" && r.at(j) != "implements" {
		c.name, c.symbol.name, c.symbol.token = r.at(j), r.at(j), j
		before := r.at(i - 1)
		if before == "=" || before == "(" || before == "return" { // the name is local to the class
			r.lambdas[i] = c.symbol
			j++
		} else {
			if known := b.names[c.name]; known != nil && known.kind == symClass && known.class.text == r.text && (c.iface || known.class.iface) {
				// Several declarations of an interface are one.
				c.members, c.bases = known.class.members, known.class.bases
				defer func() { known.class.bases = append(known.class.bases, c.bases[len(known.class.bases):]...) }()
			}
			r.declare(b, c.symbol)
			j++
		}
	} else {
		r.lambdas[i] = c.symbol
	}
	if r.at(j) == "<" {
		end := r.skipAngle(j)
		if end == j {
			return j
		}
		c.typeParams = r.angleNames(j, end)
		j = end
	}
	for n := 0; n < 1_000 && j < len(r.tokens) && r.at(j) != "{"; n++ {
		switch r.at(j) {
		case "extends", "implements", ",":
			from := j + 1
			if c.iface || r.at(j) != "extends" {
				j = r.skipType(from)
			} else {
				for j = from; r.isName(j) || r.at(j) == "." || r.at(j) == "("; {
					if r.at(j) == "implements" {
						break
					}
					j = r.after(j)
				}
				if r.at(j) == "<" {
					j = max(r.skipAngle(j), j+1)
				}
			}
			if j == from {
				j++
			}
			c.bases = append(c.bases, span{from, j})
		default:
			return j
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
	saved := r.exporting
	r.exporting = nil
	r.members(j+1, r.pair(j), c, inner)
	r.exporting = saved
	return r.after(j)
}

// memberWords are modifiers of members.
var memberWords = []string{"public", "private", "protected", "static", "readonly", "abstract", "override", "async", "declare", "accessor", "get", "set"}

// members reads the members of a class or of a literal type.
func (r *scriptReader) members(from, to int, c *class, b *block) {
	if r.depth++; r.depth > maxBlocks {
		r.depth--
		return
	}
	defer func() { r.depth-- }()
	for i := from; i < to; {
		static, async, property := false, false, false
		for {
			word := r.at(i)
			if word == "@" {
				i = r.skipDecorator(i, b)
				continue
			}
			if word == "*" {
				i++
				continue
			}
			if slices.Contains(memberWords, word) && (r.isName(i+1) || slices.Contains([]string{"[", "{", "#", "*"}, r.at(i+1)) || r.kind(i+1) == tokenString) && !(r.newLine(i+1) && word != "static") {
				static, async, property = static || word == "static", async || word == "async", property || word == "get"
				i++
				continue
			}
			break
		}
		s := &symbol{kind: symVariable, text: r.text, token: i, block: b, static: static}
		switch {
		case r.at(i) == "{" && static && r.opens(i):
			r.code(i+1, r.pair(i), b)
			i = r.after(i)
			continue
		case r.at(i) == "#" && r.isName(i+1):
			i++
			s.token, s.name = i, r.at(i)
			i++
		case r.isName(i) || r.kind(i) == tokenNumber:
			s.name = r.at(i)
			i++
		case r.kind(i) == tokenString:
			s.name = unquote(r.at(i))
			i++
		case r.at(i) == "[" && r.opens(i):
			i = r.after(i)
		case r.at(i) == "(" || r.at(i) == "<":
		default:
			i = r.after(i)
			continue
		}
		if r.at(i) == "?" || r.at(i) == "!" {
			i++
		}
		switch r.at(i) {
		case "(", "<":
			s.kind = symFunction
			s.fn = &function{}
			c.addMember(s)
			fn, end := r.newFunction(i, to, b, r.bodyAt)
			fn.async, fn.property = async, property
			s.fn = fn
			i = max(end, i+1)
			continue
		case ":":
			s.typ = span{i + 1, r.skipType(i + 1)}
			i = max(s.typ.to, i+1)
		}
		if r.at(i) == "=" {
			s.value = span{i + 1, r.exprEnd(i+1, to)}
			r.code(s.value.from, s.value.to, b)
			i = max(s.value.to, i+1)
		}
		if s.name != "" {
			c.addMember(s)
		}
	}
}

// object reads an object literal.
func (r *scriptReader) object(open int, b *block) {
	if r.depth++; r.depth > maxBlocks {
		r.depth--
		return
	}
	defer func() { r.depth-- }()
	end := r.pair(open)
	c := &class{text: r.text, members: map[string]*symbol{}, block: b, literal: true}
	c.symbol = &symbol{kind: symClass, token: -1, text: r.text, class: c, block: b}
	r.objects[open] = c
	inner := r.newBlock(open, end, b)
	for i := open + 1; i < end; {
		async, property := false, false
		for slices.Contains([]string{"get", "set", "async", "*"}, r.at(i)) && (r.isName(i+1) || r.at(i+1) == "*" || r.at(i+1) == "[") {
			async, property = async || r.at(i) == "async", property || r.at(i) == "get"
			i++
		}
		s := &symbol{kind: symVariable, text: r.text, token: i, block: inner}
		switch {
		case r.at(i) == "...":
			c.bases = append(c.bases, span{i + 1, r.exprEnd(i+1, end)})
			r.code(i+1, c.bases[len(c.bases)-1].to, inner)
			i = max(c.bases[len(c.bases)-1].to, i+1)
			continue
		case r.isName(i):
			s.name = r.at(i)
			i++
		case r.kind(i) == tokenString:
			s.name = unquote(r.at(i))
			i++
		case r.opens(i):
			r.code(i+1, r.pair(i), inner)
			i = r.after(i)
		default:
			i++
			continue
		}
		switch r.at(i) {
		case "(", "<":
			s.kind = symFunction
			s.fn = &function{}
			// In the methods of an object, "this" is the object.
			members := r.newBlock(i, end, inner)
			members.class = c
			fn, last := r.newFunction(i, end, members, r.bodyAt)
			members.end = last
			fn.async, fn.property = async, property
			s.fn = fn
			i = max(last, i+1)
		case ":":
			s.value = span{i + 1, r.exprEnd(i+1, end)}
			r.code(s.value.from, s.value.to, inner)
			i = max(s.value.to, i+1)
		default: // a variable of the same name
			s.value = span{i - 1, i}
			if r.at(i) == "=" {
				i = r.exprEnd(i+1, end)
			}
		}
		c.addMember(s)
		if s.value.ok() && s.value.to-s.value.from == 1 && s.token == s.value.from {
			s.shorthand = true
		}
	}
}

// namespace reads a namespace.
func (r *scriptReader) namespace(i int, b *block) int {
	j := i + 1
	s := &symbol{kind: symNamespace, name: r.at(j), token: j}
	j++
	for r.at(j) == "." {
		j += 2
	}
	if r.at(j) != "{" || !r.opens(j) {
		return i + 1
	}
	s.names = r.newBlock(j, r.pair(j), b)
	s.names.namespace = s.name
	if known := b.names[s.name]; known != nil && known.kind == symNamespace {
		s.names.names = known.names.names
	}
	r.declare(b, s)
	saved := r.exporting
	r.exporting = nil
	r.code(j+1, r.pair(j), s.names)
	r.exporting = saved
	return r.after(j)
}

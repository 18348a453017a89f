package uses

import "slices"

// scriptReader finds the declarations of JavaScript and TypeScript.
type scriptReader struct {
	*text
	exporting *block // declarations in this block are exported
	depth     int
}

// readScript reads the declarations of a file.
func readScript(f *text) {
	r := &scriptReader{text: f}
	r.code(0, len(f.tokens), f.root)
}

// code reads statements and expressions.
func (r *scriptReader) code(from, to int, b *block) {
	if r.depth++; r.depth < maxBlocks {
		for i := from; i < to; {
			i = max(r.step(i, to, b), i+1)
		}
	}
	r.depth--
}

// declare adds a symbol, and exports it if it follows "export".
func (r *scriptReader) declare(b *block, s *symbol) *symbol {
	s.text = r.text
	b.declare(s)
	if r.exporting == b && b == r.root {
		r.exports[s.name] = s
	}
	return s
}

// step reads what begins at a token, and returns the next index.
func (r *scriptReader) step(i, to int, b *block) int {
	word := r.at(i)
	if r.kind(i) == tokenSign {
		switch word {
		case "(":
			if end, ok := r.arrow(i, to, b); ok {
				return end
			}
		case "{":
			if !r.opens(i) {
				return i + 1
			}
			if r.isObject(i) {
				r.object(i, b)
			} else {
				r.code(i+1, r.pair(i), r.newBlock(i, r.pair(i), b))
			}
			return r.after(i)
		}
		return i + 1
	}
	if r.kind(i) != tokenName {
		return i + 1
	}
	if before := r.at(i - 1); before == "." || before == "?." {
		return i + 1
	}
	next := r.at(i + 1)
	switch word {
	case "import":
		if next != "(" && next != "." {
			end := r.importNames(i, b)
			r.imports = append(r.imports, span{i, end})
			return end
		}
	case "export":
		return r.export(i, to, b)
	case "class":
		if r.isName(i+1) || next == "{" {
			return r.classAt(i, b)
		}
	case "interface":
		if r.isName(i+1) && slices.Contains([]string{"{", "<", "extends"}, r.at(i+2)) {
			return r.classAt(i, b)
		}
	case "enum":
		if r.isName(i+1) && r.at(i+2) == "{" {
			c := &class{name: next, text: r.text, members: map[string]*symbol{}, block: b}
			c.symbol = r.declare(b, &symbol{kind: symClass, name: next, token: i + 1, class: c})
			return r.after(i + 2)
		}
	case "namespace", "module":
		if r.isName(i+1) || r.kind(i+1) == tokenString {
			return r.namespace(i, b)
		}
	case "type":
		if r.isName(i+1) && (r.at(i+2) == "=" || r.at(i+2) == "<") {
			s := &symbol{kind: symAlias, name: next, token: i + 1}
			j := i + 2
			if r.at(j) == "<" {
				end := r.skipAngle(j)
				s.fn = &function{typeParams: r.angleNames(j, end)}
				j = end
			}
			if r.at(j) == "=" {
				s.typ = span{j + 1, r.skipType(j + 1)}
				r.declare(b, s)
				return s.typ.to
			}
		}
	case "function":
		return r.function(i, to, b)
	case "const", "let", "var":
		if next != "enum" && (r.isName(i+1) || next == "{" || next == "[") {
			return r.bindings(i+1, to, b)
		}
	case "return":
		if f := enclosingFunction(b); f != nil && !r.newLine(i+1) && next != ";" && next != "}" {
			f.returns = append(f.returns, span{i + 1, r.exprEnd(i+1, to)})
		}
	case "catch":
		if next == "(" && r.isName(i+2) && r.opens(i+1) && r.at(r.after(i+1)) == "{" {
			body := r.after(i + 1)
			inner := r.newBlock(i+1, r.after(body), b)
			inner.declare(&symbol{kind: symVariable, name: r.at(i + 2), token: i + 2, text: r.text})
			r.code(body, r.after(body), inner)
			return r.after(body)
		}
	case "exports":
		if next == "." && r.at(i+3) == "=" && b == r.root {
			r.exports[r.at(i+2)] = r.declare(b, &symbol{kind: symVariable, name: "", token: i + 2, value: span{i + 4, r.exprEnd(i+4, to)}})
			return i + 4
		}
	}
	if next == "." && r.isName(i+2) {
		r.memberOf(i, to, b)
	}
	if word == "module" && next == "." && r.at(i+2) == "exports" && b == r.root {
		switch {
		case r.at(i+3) == "=":
			r.module = span{i + 4, r.exprEnd(i+4, to)}
			return i + 4
		case r.at(i+3) == "." && r.at(i+5) == "=":
			r.exports[r.at(i+4)] = r.declare(b, &symbol{kind: symVariable, name: "", token: i + 4, value: span{i + 6, r.exprEnd(i+6, to)}})
			return i + 6
		}
	}
	if next == "=>" {
		if end, ok := r.arrow(i, to, b); ok {
			return end
		}
	}
	return i + 1
}

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

// exprEnd returns the index after an expression.
func (r *scriptReader) exprEnd(i, to int) int {
	for j := i; j < to; {
		if j > i && r.newLine(j) && !r.continues(j) {
			return j
		}
		switch r.at(j) {
		case ",", ";", ")", "]", "}":
			if r.kind(j) == tokenSign {
				return j
			}
		}
		if r.opens(j) {
			j = r.after(j)
			continue
		}
		j++
	}
	return to
}

// continues reports whether the token at the start of a line continues an expression.
func (r *scriptReader) continues(i int) bool {
	word := r.at(i)
	switch r.kind(i) {
	case tokenName:
		if word == "as" || word == "instanceof" || word == "satisfies" || word == "in" {
			return true
		}
	case tokenSign:
		return word != "{" && word != "@" && word != "#" && word != "[" && word != "++" && word != "--" && word != "*"
	}
	before := r.at(i - 1)
	switch r.kind(i - 1) {
	case tokenName:
		return before == "await" || before == "new" || before == "typeof" || before == "extends" || before == "return"
	case tokenSign:
		return !r.closes(i-1) && before != "++" && before != "--" && before != "!" && before != ">"
	}
	return false
}

// skipType returns the index after a type.
func (r *scriptReader) skipType(i int) int {
	if r.depth++; r.depth > maxBlocks {
		r.depth--
		return i
	}
	defer func() { r.depth-- }()
	for n := 0; n < 2_000; n++ {
		word := r.at(i)
		switch {
		case word == "|" || word == "&":
			i++
			continue
		case slices.Contains([]string{"keyof", "typeof", "unique", "readonly", "infer", "asserts", "abstract", "new", "-"}, word) && r.at(i+1) != ";" && r.at(i+1) != ",":
			i++
			continue
		case word == "<":
			if end := r.skipAngle(i); end > i {
				i = end
				continue
			}
			return i
		case word == "(":
			i = r.after(i)
			if r.at(i) == "=>" {
				i++
				continue
			}
		case word == "{" || word == "[":
			i = r.after(i)
		case r.kind(i) == tokenName || r.kind(i) == tokenNumber:
			i++
			for r.at(i) == "." && r.isName(i+1) {
				i += 2
			}
			if r.at(i) == "(" && word == "import" {
				i = r.after(i)
				for r.at(i) == "." {
					i += 2
				}
			}
			if r.at(i) == "<" {
				if end := r.skipAngle(i); end > i {
					i = end
				}
			}
		case r.kind(i) == tokenString:
			i++
			for r.at(i) == "${" {
				i = r.after(i)
			}
		default:
			return i
		}
		for r.at(i) == "[" && !r.newLine(i) {
			i = r.after(i)
		}
		if r.at(i) == "is" && !r.newLine(i) {
			i++
			continue
		}
		if r.at(i) == "extends" {
			i = r.skipType(i + 1)
			if r.at(i) == "?" {
				if i = r.skipType(i + 1); r.at(i) == ":" {
					i++
					continue
				}
			}
			return i
		}
		if r.at(i) != "|" && r.at(i) != "&" {
			return i
		}
	}
	return i
}

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

// importNames reads an import declaration.
func (r *scriptReader) importNames(i int, b *block) int {
	var all []*symbol
	add := func(token int, name, imported string) {
		all = append(all, b.declare(&symbol{kind: symImport, name: name, imported: imported, token: token, text: r.text}))
	}
	j := i + 1
	if r.at(j) == "type" && (r.isName(j+1) && r.at(j+1) != "from" || r.at(j+1) == "{" || r.at(j+1) == "*") {
		j++
	}
	for n := 0; n < 10_000 && j < len(r.tokens); n++ {
		switch {
		case r.kind(j) == tokenString:
			for _, s := range all {
				s.module = unquote(r.at(j))
			}
			return j + 1
		case r.at(j) == "*" && r.at(j+1) == "as":
			add(j+2, r.at(j+2), "*")
			j += 3
		case r.at(j) == "{" && r.opens(j):
			for k := j + 1; k < r.pair(j); k++ {
				if r.at(k) == "type" && r.isName(k+1) && r.at(k+1) != "as" {
					k++
				}
				if !r.isName(k) {
					continue
				}
				name := r.at(k)
				if r.at(k+1) == "as" {
					k += 2
				}
				add(k, r.at(k), name)
			}
			j = r.after(j)
		case r.at(j) == "from" && r.kind(j+1) == tokenString, r.at(j) == ",":
			j++
		case r.isName(j) && r.at(j+1) == "=": // import x = require("m")
			if r.at(j+2) == "require" && r.kind(j+4) == tokenString {
				add(j, r.at(j), "=")
				all[len(all)-1].module = unquote(r.at(j + 4))
				return j + 6
			}
			r.declare(b, &symbol{kind: symVariable, name: r.at(j), token: j, value: span{j + 2, r.exprEnd(j+2, len(r.tokens))}})
			return j + 2
		case r.isName(j):
			add(j, r.at(j), "default")
			j++
		default:
			return j
		}
	}
	return j
}

// export reads an export declaration.
func (r *scriptReader) export(i, to int, b *block) int {
	j := i + 1
	if r.at(j) == "type" && (r.at(j+1) == "{" || r.at(j+1) == "*") {
		j++
	}
	switch r.at(j) {
	case "{":
		if !r.opens(j) {
			return j + 1
		}
		end := r.after(j)
		module := ""
		if r.at(end) == "from" {
			module = unquote(r.at(end + 1))
		}
		for k := j + 1; k < end-1; k++ {
			if r.at(k) == "type" && r.isName(k+1) && r.at(k+1) != "as" {
				k++
			}
			if !r.isName(k) {
				continue
			}
			s := &symbol{kind: symImport, name: r.at(k), imported: r.at(k), module: module, token: k, text: r.text, block: b}
			if r.at(k+1) == "as" {
				k += 2
			}
			r.exports[r.at(k)] = s
		}
		if module != "" {
			end += 2
		}
		r.imports = append(r.imports, span{i, end})
		return end
	case "*":
		if r.at(j+1) == "as" && r.at(j+3) == "from" {
			r.exports[r.at(j+2)] = &symbol{kind: symImport, name: r.at(j + 2), imported: "*", module: unquote(r.at(j + 4)), token: j + 2, text: r.text, block: b}
			return j + 5
		}
		if r.at(j+1) == "from" {
			r.stars = append(r.stars, unquote(r.at(j+2)))
			return j + 3
		}
		return j + 1
	case "default":
		k := j + 1
		for r.at(k) == "async" || r.at(k) == "abstract" {
			k++
		}
		if word := r.at(k); (word == "class" || word == "function" || word == "interface") && (r.isName(k+1) || r.at(k+1) == "*") {
			name := k + 1
			if r.at(name) == "*" {
				name++
			}
			end := r.step(k, to, b)
			if s := b.names[r.at(name)]; s != nil {
				r.exports["default"] = s
			}
			return end
		}
		r.exports["default"] = &symbol{kind: symVariable, token: -1, text: r.text, block: b, value: span{j + 1, r.exprEnd(j+1, to)}}
		return j + 1
	case "=":
		r.module = span{j + 1, r.exprEnd(j+1, to)}
		return j + 1
	}
	saved := r.exporting
	r.exporting = b
	for slices.Contains([]string{"declare", "abstract", "async", "const"}, r.at(j)) && (r.at(j) != "const" || r.at(j+1) == "enum") {
		j++
	}
	end := r.step(j, to, b)
	r.exporting = saved
	return end
}

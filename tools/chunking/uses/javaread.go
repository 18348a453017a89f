package uses

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// javaDialect reads Java.
var javaDialect = &dialect{
	languages: []source.Language{source.Java}, java: true, read: readJava,
	typeAt: func(s *search, f *text, at span, env typeEnv) typ {
		t, _ := s.javaType(f, at.from, at.to, env)
		return t
	},
	module: func(*search, *text, string) *text { return nil },
	elementCalls: []string{
		"pop", "get", "next", "remove", "peek", "poll", "getFirst", "getLast", "orElse", "orElseThrow", "orElseGet", "element", "take", "removeFirst", "removeLast", "pollFirst",
		"getOrDefault", "getValue", "put", "computeIfAbsent", "join", "call", "pollLast", "peekFirst", "peekLast", "firstElement", "elementAt", "nextElement",
	},
	missing: (*search).javaMissing,
}

// javaReader finds the declarations of Java.
type javaReader struct {
	*text
	depth int
}

// readJava reads the declarations of a file.
func readJava(f *text) {
	r := &javaReader{text: f}
	for i := 0; i < len(f.tokens); {
		switch f.at(i) {
		case "package":
			end := r.until(i, ";")
			f.pkg = r.join(i+1, end)
			i = end + 1
			continue
		case "import":
			i = r.importName(i)
			continue
		}
		i = max(r.step(i, len(f.tokens), f.root), i+1)
	}
	for _, o := range f.root.names {
		if o.kind == symClass {
			f.classes = append(f.classes, o.class)
		}
	}
}

func (r *javaReader) until(i int, sign string) int {
	for i < len(r.tokens) && r.at(i) != sign {
		i++
	}
	return i
}

// join returns tokens without space between them.
func (f *text) join(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(f.at(i))
	}
	return b.String()
}

// importName reads an import.
func (r *javaReader) importName(i int) int {
	end := r.until(i, ";")
	r.imports = append(r.imports, span{i, end})
	from, static := i+1, false
	if r.at(from) == "static" {
		from, static = from+1, true
	}
	name := r.join(from, end)
	if rest, ok := strings.CutSuffix(name, ".*"); ok {
		if static {
			r.stars = append(r.stars, rest)
		} else {
			r.wild = append(r.wild, rest)
		}
		return end + 1
	}
	s := &symbol{kind: symImport, name: r.at(end - 1), module: name, token: -1, text: r.text, static: static}
	r.root.declare(s)
	return end + 1
}

// javaModifiers are the words before a declaration.
var javaModifiers = []string{"public", "protected", "private", "static", "final", "abstract", "native", "synchronized", "transient", "volatile", "strictfp", "default", "sealed"}

// javaWords are words that begin no type.
var javaWords = []string{
	"return", "throw", "new", "case", "else", "do", "assert", "yield", "if", "for", "while", "switch", "try", "catch", "finally", "break", "continue", "instanceof",
	"package", "import", "this", "super", "null", "true", "false", "extends", "implements", "throws", "permits", "default", "synchronized", "when",
}

// code reads statements and expressions.
func (r *javaReader) code(from, to int, b *block) {
	if r.depth++; r.depth < maxBlocks {
		for i := from; i < to; {
			i = max(r.step(i, to, b), i+1)
		}
	}
	r.depth--
}

// step reads what begins at a token, and returns the next index.
func (r *javaReader) step(i, to int, b *block) int {
	word := r.at(i)
	if r.kind(i) == tokenSign {
		switch word {
		case "{":
			if !r.opens(i) {
				return i + 1
			}
			r.code(i+1, r.pair(i), r.newBlock(i, r.pair(i), b))
			return r.after(i)
		case "(":
			if r.opens(i) && r.at(r.after(i)) == "->" {
				return r.lambda(i, r.after(i), to, b)
			}
		case "@":
			if r.at(i+1) != "interface" {
				for i += 2; r.at(i) == "."; {
					i += 2
				}
				if r.at(i) == "(" {
					return r.after(i)
				}
				return i
			}
		}
		return i + 1
	}
	if r.kind(i) != tokenName || r.at(i-1) == "." {
		return i + 1
	}
	switch word {
	case "class", "interface", "enum", "record":
		if r.isName(i+1) && slices.Contains([]string{"{", "<", "(", "extends", "implements", "permits"}, r.at(i+2)) && (word != "record" || r.at(i+2) == "(" || r.at(i+2) == "<") {
			return r.classAt(i, b)
		}
	case "for", "try":
		if r.at(i+1) == "(" && r.opens(i+1) { // its variables belong to the body, too
			body := r.after(i + 1)
			inner := r.newBlock(i+1, to, b)
			r.code(i+2, r.pair(i+1), inner)
			inner.end = r.statementEnd(body, to)
			r.code(body, inner.end, inner)
			return inner.end
		}
	case "catch":
		if r.at(i+1) == "(" && r.opens(i+1) && r.opens(r.after(i+1)) {
			body := r.after(i + 1)
			inner := r.newBlock(i+1, r.after(body), b)
			name := r.pair(i+1) - 1
			inner.declare(&symbol{kind: symVariable, name: r.at(name), token: name, text: r.text, typ: span{i + 2, name}})
			r.code(body+1, r.pair(body), inner)
			return r.after(body)
		}
	case "new":
		return r.newAt(i, b)
	case "return":
		if fn := enclosingFunction(b); fn != nil && len(fn.returns) < 20 {
			fn.returns = append(fn.returns, span{i + 1, r.exprEnd(i+1, to)})
		}
		return i + 1
	}
	if r.at(i+1) == "->" && !slices.Contains([]string{"default"}, word) {
		if before := r.at(i - 1); before != "case" && before != "," || r.at(i-1) == "," && b.fn != nil && !r.inCase(i) {
			return r.lambda(i, i+1, to, b)
		}
	}
	if slices.Contains(javaWords, word) || slices.Contains(javaModifiers, word) {
		return i + 1
	}
	// A local variable: its type, and its name.
	if before := r.at(i - 1); r.kind(i-1) == tokenSign && before != ")" && before != "]" || slices.Contains([]string{"final", "instanceof", "case", "else", "do"}, before) || before == ")" || i == 0 {
		if end := r.skipType(i); end > i && r.isName(end) && !slices.Contains(javaWords, r.at(end)) {
			switch r.at(end + 1) {
			case "=", ";", ":", ",", ")", "[", "&&", "->", "||", "?":
				return r.variables(span{i, end}, end, to, b)
			}
		}
	}
	return i + 1
}

// inCase reports whether a token is in the labels of a case.
func (r *javaReader) inCase(i int) bool {
	for j := i; j > 0 && j > i-50; j-- {
		switch r.at(j) {
		case "case":
			return true
		case ";", "{", "}", "(":
			return false
		}
	}
	return false
}

// statementEnd returns the index after a statement.
func (r *javaReader) statementEnd(i, to int) int {
	for j := i; j < to; {
		switch r.at(j) {
		case ";":
			return j + 1
		case "{":
			return r.after(j)
		}
		if r.opens(j) {
			j = r.after(j)
		} else {
			j++
		}
	}
	return to
}

// skipType returns the index after a type, or i.
func (r *javaReader) skipType(i int) int {
	j := i
	for r.at(j) == "@" {
		j += 2
		if r.at(j) == "(" {
			j = r.after(j)
		}
	}
	if !r.isName(j) {
		return i
	}
	for {
		j++
		if r.at(j) == "<" {
			end := r.skipAngle(j)
			if end == j {
				return i
			}
			j = end
		}
		if r.at(j) != "." || !r.isName(j+1) {
			break
		}
		j++
	}
	for r.at(j) == "[" && r.at(j+1) == "]" {
		j += 2
	}
	if r.at(j) == "..." {
		j++
	}
	return j
}

// exprEnd returns the index after an expression.
func (r *javaReader) exprEnd(i, to int) int {
	for j := i; j < to; {
		switch r.at(j) {
		case ",", ";", ")", "]", "}":
			return j
		}
		if r.opens(j) {
			j = r.after(j)
		} else if r.at(j) == "<" {
			if end := r.skipAngle(j); end > j {
				j = end
			} else {
				j++
			}
		} else {
			j++
		}
	}
	return to
}

// variables declares the local variables of one type. It returns the index of the first
// value.
func (r *javaReader) variables(typ span, i, to int, b *block) int {
	first := 0
	for n := 0; n < 1_000 && r.isName(i); n++ {
		s := &symbol{kind: symVariable, name: r.at(i), token: i, text: r.text, typ: typ}
		if r.at(typ.from) == "var" {
			s.typ = span{}
		}
		b.declare(s)
		i++
		for r.at(i) == "[" {
			i = r.after(i)
		}
		switch r.at(i) {
		case "=":
			if first == 0 {
				first = i + 1
			}
			s.value = span{i + 1, r.exprEnd(i+1, to)}
			i = s.value.to
		case ":":
			s.value, s.origin = span{i + 1, r.exprEnd(i+1, to)}, elementOf
			return i + 1
		}
		if r.at(i) != "," || !r.isName(i+1) || r.at(i+2) != "=" && r.at(i+2) != ";" && r.at(i+2) != "," {
			break
		}
		i++
	}
	if first > 0 {
		return first
	}
	return i
}

// lambda reads a lambda expression.
func (r *javaReader) lambda(i, arrow, to int, b *block) int {
	s := &symbol{kind: symFunction, token: -1, text: r.text, block: b, fn: &function{}}
	inner := r.newBlock(i, to, b)
	s.fn.block, inner.fn = inner, s.fn
	if r.at(i) == "(" {
		for _, part := range r.split(i+1, r.pair(i)) {
			p := &symbol{kind: symVariable, name: r.at(part.to - 1), token: part.to - 1, text: r.text, lambda: s}
			if part.to-part.from > 1 && r.at(part.from) != "var" {
				p.typ = span{part.from, part.to - 1}
				if r.at(part.from) == "final" {
					p.typ.from++
				}
			}
			s.fn.params = append(s.fn.params, inner.declare(p))
		}
	} else {
		s.fn.params = append(s.fn.params, inner.declare(&symbol{kind: symVariable, name: r.at(i), token: i, text: r.text, lambda: s}))
	}
	body := arrow + 1
	if r.at(body) == "{" && r.opens(body) {
		inner.end = r.after(body)
		r.body(body, inner)
	} else {
		inner.end = r.exprEnd(body, to)
		s.fn.returns = append(s.fn.returns, span{body, inner.end})
		r.code(body, inner.end, inner)
	}
	r.lambdas[i] = s
	return inner.end
}

// body reads the body of a function.
func (r *javaReader) body(open int, b *block) {
	r.code(open+1, r.pair(open), b)
}

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
		c := &class{text: r.text, members: map[string]*symbol{}, block: b, bases: []span{{i + 1, end}}}
		c.symbol = &symbol{kind: symClass, token: -1, text: r.text, class: c, block: b}
		r.objects[open] = c
		inner := r.newBlock(open, r.pair(open), b)
		inner.class = c
		r.members(open+1, r.pair(open), c, inner)
		return r.after(open)
	}
	return open
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
				part := &class{text: r.text, members: map[string]*symbol{}, block: b}
				part.symbol = &symbol{kind: symClass, token: -1, text: r.text, class: part, block: b}
				inner := r.newBlock(i, r.pair(i), b)
				inner.class = part
				r.members(i+1, r.pair(i), part, inner)
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
		static := false
		var params []string
		for {
			word := r.at(i)
			switch {
			case word == "@" && r.at(i+1) != "interface":
				i = r.step(i, to, b)
				continue
			case word == "non" && r.at(i+1) == "-":
				i += 3
				continue
			case slices.Contains(javaModifiers, word):
				static = static || word == "static"
				i++
				continue
			case word == "<":
				end := r.skipAngle(i)
				params = r.angleNames(i, end)
				i = max(end, i+1)
				continue
			}
			break
		}
		word := r.at(i)
		switch {
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
		for i = end; r.isName(i); {
			s := c.addMember(&symbol{kind: symVariable, name: r.at(i), token: i, typ: typ, static: static || c.iface, block: b})
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
	}
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

// javaType evaluates a type of Java, and returns the index after it.
func (s *search) javaType(f *text, i, to int, env typeEnv) (typ, int) {
	if !s.step() || i >= to {
		return nil, to
	}
	s.nesting++
	defer func() { s.nesting-- }()
	for f.at(i) == "@" || f.at(i) == "final" || f.at(i) == "?" || f.at(i) == "extends" || f.at(i) == "super" {
		if f.at(i) == "@" {
			i++
		}
		i++
	}
	if !f.isName(i) {
		return nil, to
	}
	names := []string{f.at(i)}
	at := i
	var args []typ
	for i++; i < to; {
		switch {
		case f.at(i) == "<":
			end := f.skipAngle(i)
			if end == i {
				return nil, to
			}
			args = nil
			for j := i + 1; j < end-1; {
				var t typ
				t, j = s.javaType(f, j, end-1, env)
				args = append(args, t)
				for j < end-1 && f.at(j) != "," {
					j++
				}
				j++
			}
			i = end
			continue
		case f.at(i) == "." && f.isName(i+1):
			names = append(names, f.at(i+1))
			i += 2
			continue
		}
		break
	}
	var t typ
	if e, ok := env[names[0]]; ok && len(names) == 1 {
		t = e
	} else if c, typeParam := s.javaClass(f, names, at); c != nil {
		t = &instance{class: c, args: args}
	} else if typeParam {
		t = nil
	} else if len(args) > 0 {
		name := names[len(names)-1]
		if strings.HasSuffix(name, "Map") {
			name = "Map"
		}
		t = &generic{name, args}
	} else if names[len(names)-1] != "Object" && names[len(names)-1] != "var" {
		t = outside
	}
	for f.at(i) == "[" && i < to || f.at(i) == "..." && i < to {
		t = &generic{"Array", []typ{t}}
		i = f.after(i)
	}
	return t, i
}

// javaClass finds the class that a qualified name means at a token.
func (s *search) javaClass(f *text, names []string, at int) (found *class, typeParam bool) {
	for b := f.blockAt(at); b != nil && found == nil; b = b.parent {
		for o := b.names[names[0]]; o != nil; o = o.next {
			switch o.kind {
			case symClass:
				found = o.class
			case symTypeParam:
				return nil, true
			}
		}
		if b.class != nil && found == nil {
			if b.class.name == names[0] {
				found = b.class
			} else {
				found = s.memberClass(b.class, names[0], 0)
			}
		}
	}
	rest := names[1:]
	if found == nil {
		if found = s.javaImported(f, names[0]); found == nil {
			for n := 1; n < len(names) && found == nil; n++ { // a qualified name
				found, rest = s.classNamed(strings.Join(names[:n], "."), names[n]), names[n+1:]
			}
		}
	}
	for _, name := range rest {
		if found == nil {
			return nil, false
		}
		found = s.memberClass(found, name, 0)
	}
	return found, false
}

// memberClass finds a class in a class or in its bases.
func (s *search) memberClass(c *class, name string, depth int) *class {
	if depth > 8 || !s.step() {
		return nil
	}
	for o := c.members[name]; o != nil; o = o.next {
		if o.kind == symClass {
			return o.class
		}
	}
	s.nesting++
	defer func() { s.nesting-- }()
	for _, base := range c.bases {
		if c.block == nil || s.nesting > 20 {
			return nil
		}
		t, _ := s.javaType(c.text, base.from, base.to, nil)
		if i, ok := t.(*instance); ok && i.class != c {
			if found := s.memberClass(i.class, name, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// javaImported finds a class by the imports and the package of a file.
func (s *search) javaImported(f *text, name string) *class {
	for o := f.root.names[name]; o != nil; o = o.next {
		if o.kind == symImport && !o.static {
			return s.qualified(o.module)
		}
	}
	if c := s.classNamed(f.pkg, name); c != nil {
		return c
	}
	for _, pkg := range f.wild {
		if c := s.classNamed(pkg, name); c != nil {
			return c
		}
		if outer := s.qualified(pkg); outer != nil {
			if c := s.memberClass(outer, name, 0); c != nil {
				return c
			}
		}
	}
	return nil
}

// qualified finds a class by its qualified name.
func (s *search) qualified(name string) *class {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return s.classNamed("", name)
	}
	if c := s.classNamed(name[:dot], name[dot+1:]); c != nil {
		return c
	}
	if dot == len(name)-1 || name[dot+1] >= 'a' && name[dot+1] <= 'z' {
		return nil
	}
	if outer := s.qualified(name[:dot]); outer != nil {
		return s.memberClass(outer, name[dot+1:], 0)
	}
	return nil
}

// classNamed finds a class at the top level of a package.
func (s *search) classNamed(pkg, name string) *class {
	if s.classes == nil {
		s.classes = map[string][]string{}
		for _, file := range s.files {
			base := file[strings.LastIndexByte(file, '/')+1:]
			base = strings.TrimSuffix(base, ".java")
			s.classes[base] = append(s.classes[base], file)
		}
	}
	suffix := strings.ReplaceAll(pkg, ".", "/")
	for _, file := range s.classes[name] {
		dir := strings.TrimSuffix(strings.TrimSuffix(file, name+".java"), "/")
		if pkg != "" && dir != suffix && !strings.HasSuffix(dir, "/"+suffix) {
			// The directory can differ from the package.
			if f := s.load(file); f == nil || f.pkg != pkg {
				continue
			}
		}
		if f := s.load(file); f != nil && f.pkg == pkg {
			if o := f.root.names[name]; o != nil && o.kind == symClass {
				return o.class
			}
		}
	}
	return s.topLevel[pkg+"."+name] // in a file of another name
}

// javaMissing evaluates a name that no block declares: a class, or a static import.
func (s *search) javaMissing(f *text, name string) typ {
	if c := s.javaImported(f, name); c != nil {
		return &reference{symbol: c.symbol}
	}
	for _, star := range f.stars {
		if c := s.qualified(star); c != nil {
			for _, key := range []string{methodKey(name), name} {
				if m, _ := s.find(&instance{class: c}, key); len(m) > 0 {
					return s.symbolReference(m[0].symbol)
				}
			}
		}
	}
	return nil
}

package uses

import (
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// pythonDialect reads Python.
var pythonDialect = &dialect{
	languages: []source.Language{source.Python}, python: true, read: readPython,
	elementCalls: []string{"pop", "popleft", "get", "setdefault", "next", "__next__", "__getitem__"},
	typeAt:       func(s *search, f *text, at span, env typeEnv) typ { return s.pythonType(f, at.from, at.to, env) },
	module:       func(s *search, f *text, name string) *text { return s.pythonModule(f, name) },
	missing:      (*search).pythonMissing,
}

// pythonReader finds the declarations of Python.
type pythonReader struct{ *text }

// readPython reads the declarations of a file.
func readPython(f *text) {
	r := &pythonReader{f}
	r.block(0, len(f.tokens), f.root, nil, 0)
}

// indent returns the column of a token.
func (r *pythonReader) indent(i int) int {
	if i >= len(r.tokens) {
		return 0
	}
	start := int(r.tokens[i].start)
	return start - (strings.LastIndexByte(r.src[:start], '\n') + 1)
}

// lineEnd returns the index of the token that ends the logical line.
func (r *pythonReader) lineEnd(i int) int {
	for i < len(r.tokens) && r.kind(i) != tokenLine {
		if r.opens(i) {
			i = r.pair(i)
		}
		i++
	}
	return i
}

// suite returns the index after the indented lines that belong to the statement at i.
// colon is the index of its colon.
func (r *pythonReader) suite(i, colon int) int {
	end := r.lineEnd(colon)
	if end > colon+1 { // on one line
		return min(end+1, len(r.tokens))
	}
	column := r.indent(i)
	for j := end + 1; j < len(r.tokens); {
		if r.indent(j) <= column {
			return j
		}
		j = r.lineEnd(j) + 1
	}
	return len(r.tokens)
}

// colonAt returns the index of the colon that ends the head of a statement, or -1.
func (r *pythonReader) colonAt(i int) int {
	for ; i < len(r.tokens) && r.kind(i) != tokenLine; i++ {
		if r.opens(i) {
			i = r.pair(i)
		} else if r.at(i) == ":" {
			return i
		} else if r.at(i) == "lambda" {
			for i < len(r.tokens) && r.at(i) != ":" && r.kind(i) != tokenLine {
				i++
			}
		}
	}
	return -1
}

// block reads statements. fn is the function around them, c the class whose body it is.
func (r *pythonReader) block(from, to int, b *block, c *class, depth int) {
	if depth > maxBlocks {
		return
	}
	var decorators []string
	for i := from; i < to; {
		if r.kind(i) == tokenLine {
			i++
			continue
		}
		word := r.at(i)
		switch word {
		case "@":
			end := r.lineEnd(i)
			decorators = append(decorators, r.src[r.tokens[i].end:r.tokens[min(end, len(r.tokens)-1)].start])
			i = end + 1
			continue
		case "async":
			i++
			continue
		case "def":
			i = r.function(i, b, c, decorators, depth)
		case "class":
			i = r.class(i, b, c, depth)
		default:
			i = r.statement(i, b, c, depth)
		}
		decorators = nil
	}
}

// bind declares a symbol in a block, or as a member of the class of the block.
func (r *pythonReader) bind(b *block, c *class, s *symbol) *symbol {
	s.text = r.text
	if c != nil && b.class == c {
		return c.addMember(s)
	}
	if known := b.names[s.name]; known != nil && known.kind == symVariable && s.kind == symVariable && known.origin == s.origin && known.origin == wholeValue {
		if s.typ.ok() && !known.typ.ok() {
			known.typ = s.typ
		}
		if s.value.ok() && len(known.values) < 20 {
			known.values = append(known.values, s.value)
		}
		r.symbols = append(r.symbols, s)
		return known
	}
	return b.declare(s)
}

// function reads a function.
func (r *pythonReader) function(i int, b *block, c *class, decorators []string, depth int) int {
	name := i + 1
	if !r.isName(name) {
		return r.lineEnd(i) + 1
	}
	open := name + 1
	if r.at(open) == "[" {
		open = r.after(open)
	}
	colon := r.colonAt(open)
	if r.at(open) != "(" || colon < 0 {
		return r.lineEnd(i) + 1
	}
	s := &symbol{kind: symFunction, name: r.at(name), token: name, fn: &function{}}
	for _, d := range decorators {
		d = strings.TrimSpace(d)
		switch {
		case d == "property" || strings.HasSuffix(d, "cached_property") || strings.HasSuffix(d, ".setter"):
			s.fn.property = true
		case strings.HasSuffix(d, "staticmethod"):
			s.static = true
		}
	}
	r.bind(b, c, s)
	s.fn.async = r.at(i-1) == "async"
	end := r.suite(i, colon)
	if r.at(i-1) == "async" {
		end = r.suite(i-1, colon)
	}
	inner := r.newBlock(open, end, b)
	inner.fn, s.fn.block = s.fn, inner
	self := r.params(open, s, inner, c)
	if after := r.after(open); r.at(after) == "->" {
		s.fn.ret = span{after + 1, colon}
	}
	if self != "" {
		r.fields(colon, end, self, c, inner)
	}
	r.block(colon+1, end, inner, nil, depth+1)
	return max(end, i+1)
}

// params reads the parameters, and returns the name of the first one in a method.
func (r *pythonReader) params(open int, s *symbol, inner *block, c *class) string {
	self := ""
	for n, part := range r.split(open+1, r.pair(open)) {
		i := part.from
		for r.at(i) == "*" || r.at(i) == "**" {
			s.fn.rest = true
			i++
		}
		if !r.isName(i) {
			continue
		}
		p := &symbol{kind: symVariable, name: r.at(i), token: i, text: r.text}
		if r.at(i+1) == ":" {
			p.typ = span{i + 2, part.to}
			for j := i + 2; j < part.to; j++ {
				if r.opens(j) {
					j = r.pair(j)
				} else if r.at(j) == "=" {
					p.typ.to = j
					break
				}
			}
		}
		if n == 0 && c != nil && !s.static {
			self = p.name
			p.self = true
			p.owner = nil
			p.class = c
		}
		inner.declare(p)
		if n > 0 || self == "" {
			s.fn.params = append(s.fn.params, p)
		}
	}
	return self
}

// fields declares the attributes that a method assigns.
func (r *pythonReader) fields(from, to int, self string, c *class, inner *block) {
	for i := from; i+3 < to; i++ {
		if r.at(i) != self || r.at(i+1) != "." || !r.isName(i+2) || r.at(i-1) == "." {
			continue
		}
		s := &symbol{kind: symVariable, name: r.at(i + 2), token: i + 2, text: r.text, block: inner}
		switch r.at(i + 3) {
		case ":":
			end := r.lineEnd(i)
			s.typ = span{i + 4, end}
			for j := i + 4; j < end; j++ {
				if r.opens(j) {
					j = r.pair(j)
				} else if r.at(j) == "=" {
					s.typ.to = j
					s.value = span{j + 1, end}
					break
				}
			}
		case "=":
			s.value = span{i + 4, r.lineEnd(i)}
		default:
			continue
		}
		if known := c.members[s.name]; known != nil && known.kind == symVariable {
			if s.typ.ok() && !known.typ.ok() {
				known.typ = s.typ
			}
			if len(known.values) < 20 && s.value.ok() {
				known.values = append(known.values, s.value)
			}
			continue
		}
		if c.members[s.name] == nil {
			c.addMember(s)
		}
	}
}

// class reads a class.
func (r *pythonReader) class(i int, b *block, outer *class, depth int) int {
	name := i + 1
	colon := r.colonAt(name)
	if !r.isName(name) || colon < 0 {
		return r.lineEnd(i) + 1
	}
	c := &class{name: r.at(name), text: r.text, members: map[string]*symbol{}, block: b}
	c.symbol = &symbol{kind: symClass, name: c.name, token: name, class: c}
	r.bind(b, outer, c.symbol)
	c.symbol.block = b
	open := name + 1
	if r.at(open) == "[" {
		c.typeParams = r.bracketNames(open)
		open = r.after(open)
	}
	if r.at(open) == "(" {
		for _, part := range r.split(open+1, r.pair(open)) {
			if r.isName(part.from) && r.at(part.from+1) == "=" {
				continue
			}
			c.bases = append(c.bases, part)
			if word := r.at(part.from); (word == "Generic" || word == "Protocol") && r.at(part.from+1) == "[" {
				c.typeParams = r.bracketNames(part.from + 1)
			}
		}
	}
	end := r.suite(i, colon)
	inner := r.newBlock(colon, end, b)
	inner.class = c
	r.block(colon+1, end, inner, c, depth+1)
	return max(end, i+1)
}

// bracketNames returns the names of type parameters in brackets.
func (r *pythonReader) bracketNames(open int) []string {
	var names []string
	for _, part := range r.split(open+1, r.pair(open)) {
		if r.isName(part.from) {
			names = append(names, r.at(part.from))
		}
	}
	return names
}

// statement reads another statement, and the block that belongs to it.
func (r *pythonReader) statement(i int, b *block, c *class, depth int) int {
	end := r.lineEnd(i)
	switch word := r.at(i); word {
	case "import":
		r.imports = append(r.imports, span{i, end})
		r.importModules(i+1, end, b, c)
		return end + 1
	case "from":
		r.imports = append(r.imports, span{i, end})
		r.importNames(i+1, end, b, c)
		return end + 1
	case "return":
		if f := enclosingFunction(b); f != nil && end > i+1 {
			f.returns = append(f.returns, span{i + 1, end})
		}
		return end + 1
	case "if", "elif", "else", "while", "try", "finally", "for", "with", "except", "match", "case":
		colon := r.colonAt(i)
		if colon < 0 || (word == "match" || word == "case") && colon != end-1 {
			break
		}
		switch word {
		case "for":
			r.loop(i+1, colon, b, c)
		case "with":
			r.withNames(i+1, colon, b, c)
		case "except":
			for j := i + 1; j < colon; j++ {
				if r.at(j) == "as" && r.isName(j+1) {
					r.bind(b, c, &symbol{kind: symVariable, name: r.at(j + 1), token: j + 1, typ: span{i + 1, j}})
				}
			}
		}
		r.walrus(i, colon, b, c)
		stop := r.suite(i, colon)
		r.block(colon+1, stop, b, c, depth+1)
		return max(stop, i+1)
	}
	r.walrus(i, end, b, c)
	r.assignment(i, end, b, c)
	if f := enclosingFunction(b); f != nil {
		for j := i; j < end; j++ {
			if r.at(j) == "yield" {
				f.generator = true
				if j+1 < end && r.at(j+1) != "from" {
					stop := end
					if r.at(j-1) == "(" && r.pair(j-1) > 0 {
						stop = r.pair(j - 1)
					}
					f.returns = append(f.returns, span{j + 1, stop})
				}
			}
		}
	}
	return end + 1
}

// walrus declares the names of assignment expressions, and of comprehensions.
func (r *pythonReader) walrus(from, to int, b *block, c *class) {
	for j := from; j < to; j++ {
		switch r.at(j) {
		case ":=":
			if r.isName(j - 1) {
				stop := to
				for k := j; k >= from && k > j-2_000; k-- {
					if r.closes(k) && r.pair(k) >= 0 {
						k = r.pair(k)
					} else if r.opens(k) {
						stop = r.pair(k)
						break
					}
				}
				r.bind(b, c, &symbol{kind: symVariable, name: r.at(j - 1), token: j - 1, value: span{j + 1, stop}})
			}
		case "for":
			if j == from {
				continue
			}
			open := -1 // of the comprehension
			for k := j - 1; k >= from && k > j-2_000; k-- {
				if r.closes(k) && r.pair(k) >= 0 {
					k = r.pair(k)
				} else if r.opens(k) {
					open = k
					break
				}
			}
			if open < 0 {
				continue
			}
			stop := r.pair(open)
			in := j
			for in < stop && in < j+2_000 && r.at(in) != "in" {
				in++
			}
			last := in + 1
			for last < stop && last < in+2_000 && r.at(last) != "if" && r.at(last) != "for" {
				last = r.after(last)
			}
			inner := r.newBlock(open, stop, b)
			r.targets(j+1, in, span{in + 1, last}, elementOf, inner, nil)
		}
	}
}

// targets declares the names of an assignment, a loop or a with statement.
func (r *pythonReader) targets(from, to int, value span, how origin, b *block, c *class) {
	parts := r.split(from, to)
	for n, part := range parts {
		if r.opens(part.from) && r.after(part.from) == part.to {
			if len(parts) == 1 && to-from < 1_000 {
				r.targets(part.from+1, part.to-1, value, how, b, c)
			}
			continue
		}
		if part.to != part.from+1 || !r.isName(part.from) {
			continue
		}
		s := &symbol{kind: symVariable, name: r.at(part.from), token: part.from, value: value, origin: how}
		if len(parts) > 1 {
			switch how {
			case wholeValue:
				s.origin, s.index = indexOf, n
			default:
				s.part, s.index = true, n
			}
		}
		r.bind(b, c, s)
	}
}

// assignment reads an assignment.
func (r *pythonReader) assignment(i, end int, b *block, c *class) {
	if r.isName(i) && r.at(i+1) == ":" {
		s := &symbol{kind: symVariable, name: r.at(i), token: i, typ: span{i + 2, end}}
		for j := i + 2; j < end; j++ {
			if r.opens(j) {
				j = r.pair(j)
			} else if r.at(j) == "=" {
				s.typ.to, s.value = j, span{j + 1, end}
				break
			}
		}
		r.bind(b, c, s)
		return
	}
	from := i
	var heads []span
	for j := i; j < end; j++ {
		if r.opens(j) {
			j = r.pair(j)
		} else if r.at(j) == "=" {
			heads = append(heads, span{from, j})
			from = j + 1
		}
	}
	for _, head := range heads {
		r.targets(head.from, head.to, span{from, end}, wholeValue, b, c)
	}
}

// loop reads the head of a for statement.
func (r *pythonReader) loop(i, colon int, b *block, c *class) {
	for j := i; j < colon; j++ {
		if r.opens(j) {
			j = r.pair(j)
		} else if r.at(j) == "in" {
			r.targets(i, j, span{j + 1, colon}, elementOf, b, c)
			return
		}
	}
}

// withNames reads the head of a with statement.
func (r *pythonReader) withNames(i, colon int, b *block, c *class) {
	if r.opens(i) && r.after(i) == colon {
		i, colon = i+1, colon-1
	}
	for _, part := range r.split(i, colon) {
		for j := part.from; j < part.to; j++ {
			if r.opens(j) {
				j = r.pair(j)
			} else if r.at(j) == "as" && j+2 == part.to {
				r.bind(b, c, &symbol{kind: symVariable, name: r.at(j + 1), token: j + 1, value: span{part.from, j}, origin: enteredBy})
			}
		}
	}
}

// importModules reads "import a.b as c".
func (r *pythonReader) importModules(i, end int, b *block, c *class) {
	for _, part := range r.split(i, end) {
		name, last := "", part.to
		for j := part.from; j < part.to; j++ {
			if r.at(j) == "as" {
				last = j
				break
			}
			name += r.at(j)
		}
		s := &symbol{kind: symImport, imported: "*", module: name, token: part.from}
		if last < part.to {
			s.name, s.token = r.at(last+1), last+1
		} else {
			s.name, _, _ = strings.Cut(name, ".")
			s.module = s.name
		}
		r.bind(b, c, s)
	}
}

// importNames reads "from a import b as c".
func (r *pythonReader) importNames(i, end int, b *block, c *class) {
	module := ""
	for ; i < end && r.at(i) != "import"; i++ {
		module += r.at(i)
	}
	i++
	if module == "" {
		return
	}
	if r.at(i) == "(" && r.opens(i) {
		i, end = i+1, r.pair(i)
	}
	for _, part := range r.split(i, end) {
		if r.at(part.from) == "*" {
			r.stars = append(r.stars, module)
			continue
		}
		s := &symbol{kind: symImport, name: r.at(part.from), imported: r.at(part.from), module: module, token: part.from}
		if r.at(part.from+1) == "as" {
			s.name, s.token = r.at(part.from+2), part.from+2
		}
		r.bind(b, c, s)
	}
}

// pythonModule returns the file of a module, or nil.
func (s *search) pythonModule(f *text, name string) *text {
	dir := path.Dir(f.path)
	key := dir + "\x00" + name
	found, ok := s.modules[key]
	if !ok {
		found = s.findPython(dir, name)
		s.modules[key] = found
	}
	if found == "" {
		return nil
	}
	return s.load(found)
}

func (s *search) findPython(dir, name string) string {
	dots := len(name) - len(strings.TrimLeft(name, "."))
	rest := strings.ReplaceAll(name[dots:], ".", "/")
	file := func(at string) string {
		at = path.Join(at, rest)
		return s.firstKnown(at+"/__init__.py", at+".py", at+".pyi", at+"/__init__.pyi")
	}
	if dots > 0 {
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return file(dir)
	}
	for at := dir; ; at = path.Dir(at) {
		if found := file(at); found != "" && !(at == dir && s.firstKnown(at+"/__init__.py") != "") {
			return found
		}
		if found := file(path.Join(at, "src")); found != "" {
			return found
		}
		if at == "." || at == "/" {
			return ""
		}
	}
}

// pythonMissing looks a name up in the modules that a file imports with a star.
func (s *search) pythonMissing(f *text, name string) typ {
	for _, star := range f.stars {
		m := s.pythonModule(f, star)
		if m == nil {
			continue
		}
		if found := s.exported(m, name, 0); found != nil {
			if t, module := s.resolveImport(found, 0); t != nil {
				return s.symbolReference(t)
			} else if module != nil {
				return &moduleRef{module}
			}
		}
	}
	return nil
}

// symbolReference returns a function or class as a value, or the type of a variable.
func (s *search) symbolReference(t *symbol) typ {
	if t.kind == symFunction || t.kind == symClass {
		return &reference{symbol: t}
	}
	return s.symbolType(t, nil)
}

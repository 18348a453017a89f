package uses

import (
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
		r.walrus(i, end, b, c)
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

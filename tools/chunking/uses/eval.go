package uses

import (
	"github.com/dougu-go/dougu/tools/source"
)

// eval returns the type of an expression.
func (s *search) eval(f *text, from, to int) typ {
	if from >= to || !s.step() {
		return nil
	}
	s.nesting++
	defer func() { s.nesting-- }()
	word := f.at(from)
	if f.isKeyword(from) || word == "async" && !s.dialect.java {
		switch word {
		case "await":
			return s.awaited(s.eval(f, from+1, to))
		case "async":
			return s.eval(f, from+1, to)
		case "typeof", "delete", "void", "not":
			return outside
		case "yield":
			return nil
		}
	} else if f.kind(from) != tokenName {
		switch word {
		case "!", "-", "+", "~", "++", "--":
			return outside
		case "...", "*":
			return s.eval(f, from+1, to)
		}
	}
	t, i := s.primary(f, from, to)
	t, i = s.suffixes(f, t, i, to)
	if i >= to {
		return t
	}
	if !s.dialect.python {
		if t, ok := s.conditional(f, i, to); ok {
			return t
		}
	}
	return s.operator(f, t, from, i, to)
}

// operator evaluates the operator behind an operand of a type. The expression begins at
// from, and the operator is at i.
func (s *search) operator(f *text, t typ, from, i, to int) typ {
	switch f.at(i) {
	case "as":
		if s.dialect.script && f.at(i+1) != "const" {
			return s.typeAt(f, span{i + 1, to}, nil)
		}
		return t
	case "satisfies":
		return t
	case "||", "??", "or":
		return union([]typ{t, s.eval(f, i+1, to)})
	case "&&", "and":
		return s.eval(f, i+1, to)
	case "if":
		for j := i + 1; j < to; j++ {
			if f.opens(j) {
				j = f.pair(j)
			} else if f.at(j) == "else" {
				return union([]typ{t, s.eval(f, j+1, to)})
			}
		}
		return t
	case "=", ":=":
		return s.eval(f, i+1, to)
	case ",":
		if s.dialect.python {
			return s.tuple(f, from, to)
		}
		return t
	case "for":
		return t
	case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "is", "instanceof":
		return outside
	}
	if s.dialect.python {
		return t
	}
	return outside
}

// conditional evaluates the branches of a conditional expression whose condition ends
// behind i.
func (s *search) conditional(f *text, i, to int) (t typ, ok bool) {
	question := 0
	for ; i < to; i++ {
		switch {
		case f.opens(i):
			i = f.pair(i)
		case f.at(i) == "as" && f.kind(i) == tokenName:
			return nil, false // the type can be conditional
		case f.at(i) == "?" && question == 0:
			question = i
		case f.at(i) == ":" && question > 0:
			return union([]typ{s.eval(f, question+1, i), s.eval(f, i+1, to)}), true
		}
	}
	return nil, false
}

// tuple returns the type of a list of expressions.
func (s *search) tuple(f *text, from, to int) typ {
	g := &generic{name: "Tuple"}
	for _, part := range f.split(from, to) {
		g.args = append(g.args, s.eval(f, part.from, part.to))
		if len(g.args) > 20 {
			return nil
		}
	}
	return g
}

// primary evaluates the first operand of an expression, and returns the index after it.
func (s *search) primary(f *text, i, to int) (typ, int) {
	word := f.at(i)
	if sym := f.lambdas[i]; sym != nil {
		if sym.kind == symFunction {
			return &reference{symbol: sym}, max(sym.fn.block.end, i+1)
		}
		return &reference{symbol: sym}, to
	}
	switch f.kind(i) {
	case tokenString:
		for i++; f.at(i) == "${"; {
			i = f.after(i)
		}
		for s.dialect.python && i < to && (f.kind(i) == tokenString || f.at(i) == "{" && f.opens(i)) {
			i = f.after(i)
		}
		return outside, i
	case tokenNumber:
		return outside, i + 1
	case tokenName:
		return s.nameType(f, i, to)
	}
	if !f.opens(i) {
		if word == "<" && f.language == source.TypeScript {
			if end := f.skipAngle(i); end > i {
				return s.typeAt(f, span{i + 1, end - 1}, nil), to
			}
		}
		return outside, to
	}
	return s.bracketed(f, i, to)
}

// bracketed evaluates an operand in brackets, and returns the index after it.
func (s *search) bracketed(f *text, i, to int) (typ, int) {
	end := f.after(i)
	switch f.at(i) {
	case "(":
		if s.dialect.java && end < to && (f.isName(end) && f.at(end) != "instanceof" || f.at(end) == "(" || f.kind(end) == tokenString) && f.isName(i+1) {
			return s.typeAt(f, span{i + 1, end - 1}, nil), to
		}
		if s.dialect.java && f.at(end) == "->" {
			return nil, to
		}
		return s.eval(f, i+1, end-1), end
	case "[":
		parts := f.split(i+1, end-1)
		if len(parts) == 0 {
			return &generic{"Array", []typ{nil}}, end
		}
		return &generic{"Array", []typ{s.eval(f, parts[0].from, parts[0].to)}}, end
	case "{":
		if c := f.objects[i]; c != nil {
			return &instance{class: c}, end
		}
		if parts := f.split(i+1, end-1); len(parts) > 0 && s.dialect.python {
			for j := parts[0].from; j < parts[0].to; j++ {
				if f.opens(j) {
					j = f.pair(j)
				} else if f.at(j) == ":" {
					return &generic{"Map", []typ{s.eval(f, parts[0].from, j), s.eval(f, j+1, parts[0].to)}}, end
				}
			}
			return &generic{"Set", []typ{s.eval(f, parts[0].from, parts[0].to)}}, end
		}
	}
	return outside, end
}

// nameType evaluates a name at the start of an expression.
func (s *search) nameType(f *text, i, to int) (typ, int) {
	word := f.at(i)
	switch word {
	case "new":
		if !s.dialect.python {
			return s.newType(f, i, to)
		}
	case "this":
		if sym := s.lookup(f, word, i); sym != nil { // a parameter of TypeScript
			return s.symbolType(sym, nil), i + 1
		}
		if c := enclosingClass(f.blockAt(i)); c != nil && !s.dialect.python {
			return &instance{class: c}, i + 1
		}
		return nil, i + 1
	case "super":
		return s.superType(f, i)
	case "require", "import":
		if s.dialect.script && f.at(i+1) == "(" && f.kind(i+2) == tokenString {
			t := s.moduleType(f, unquote(f.at(i+2)))
			if word == "import" {
				return &generic{"Promise", []typ{t}}, f.after(i + 1)
			}
			return s.commonModule(t), f.after(i + 1)
		}
	case "null", "undefined", "None", "true", "false", "True", "False":
		return outside, i + 1
	case "lambda":
		if s.dialect.python {
			return nil, to
		}
	}
	if s.dialect.java && f.at(i+1) == "(" {
		if c := s.classWith(f.blockAt(i), methodKey(word)); c != nil {
			return s.methodType(f, &instance{class: c}, i), i + 1
		}
	}
	if sym := s.lookup(f, word, i); sym != nil {
		receiver := (*instance)(nil)
		if sym.owner != nil {
			receiver = &instance{class: sym.owner}
		}
		return s.symbolType(sym, receiver), i + 1
	}
	if t := s.dialect.missing(s, f, word); t != nil {
		return t, i + 1
	}
	if len(f.wild) > 0 {
		return nil, i + 1
	}
	return outside, i + 1
}

// superType evaluates the keyword super, and returns the index after it.
func (s *search) superType(f *text, i int) (typ, int) {
	c := enclosingClass(f.blockAt(i))
	end := i + 1
	if s.dialect.python && f.at(end) == "(" {
		end = f.after(end)
	}
	if c == nil {
		return nil, end
	}
	bases, sure := s.bases(&instance{class: c})
	var types []typ
	for _, b := range bases {
		types = append(types, b)
	}
	if t := union(types); len(types) > 0 {
		return t, end
	}
	if sure {
		return outside, end
	}
	return nil, end
}

// newType evaluates an expression with "new".
func (s *search) newType(f *text, i, to int) (typ, int) {
	j := i + 1
	if f.at(j) == "(" { // new (expression)()
		t := s.eval(f, j+1, f.pair(j))
		j = f.after(j)
		if f.at(j) == "(" {
			j = f.after(j)
		}
		if r, ok := t.(*reference); ok && r.symbol.kind == symClass {
			return &instance{class: r.symbol.class}, j
		}
		return nil, j
	}
	if f.at(j) == "class" {
		if sym := f.lambdas[j]; sym != nil && sym.class != nil {
			return &instance{class: sym.class}, to
		}
	}
	from := j
	for j++; f.at(j) == "." && f.isName(j+1); {
		j += 2
	}
	names := j
	if f.at(j) == "<" {
		j = max(f.skipAngle(j), j+1)
	}
	var t typ
	if s.dialect.script && names > from+1 || s.dialect.script && f.at(from) == "this" {
		t = s.eval(f, from, names)
		if r, ok := t.(*reference); ok && r.symbol.kind == symClass {
			t = &instance{class: r.symbol.class}
		}
	} else {
		t = s.typeAt(f, span{from, j}, nil)
		if (t == outside || t == nil) && s.dialect.script && j == from+1 { // a variable with a class, or a constructor function
			if r, ok := s.eval(f, from, j).(*reference); ok && r.symbol.class != nil {
				t = &instance{class: r.symbol.class}
			}
		}
	}
	for f.at(j) == "[" && s.dialect.java {
		j = f.after(j)
		t = &generic{"Array", []typ{t}}
	}
	if f.at(j) == "(" {
		j = f.after(j)
	}
	if f.at(j) == "{" && s.dialect.java {
		if c := f.objects[j]; c != nil {
			t = &instance{class: c}
		}
		j = f.after(j)
	}
	return t, j
}

// suffixes evaluates the members, calls and indices behind an operand.
func (s *search) suffixes(f *text, t typ, i, to int) (typ, int) {
	for i < to {
		switch word := f.at(i); {
		case word == "." || word == "?.":
			switch {
			case f.at(i+1) == "#":
				t = s.memberType(t, f.at(i+2))
				i += 3
			case f.isName(i + 1):
				name := f.at(i + 1)
				switch {
				case s.dialect.java && name == "class":
					t = outside
				case s.dialect.java && name == "this":
					if r, ok := t.(*reference); ok && r.symbol.kind == symClass {
						t = &instance{class: r.symbol.class}
					}
				case s.dialect.java && f.at(i+2) == "(":
					t = s.methodType(f, t, i+1)
				default:
					t = s.memberType(t, name)
				}
				i += 2
			default:
				i++
			}
		case word == "::":
			return nil, to
		case word == "(" && f.opens(i):
			t = s.callType(f, t, i)
			i = f.after(i)
		case word == "[" && f.opens(i) && (!s.dialect.script || !f.newLine(i)):
			t = s.indexType(f, t, i)
			i = f.after(i)
		case word == "<" && s.dialect.script:
			end := f.skipAngle(i)
			if end == i || f.at(end) != "(" {
				return t, i
			}
			i = end
		case word == "!" && s.dialect.script:
			i++
		case f.kind(i) == tokenString && s.dialect.script:
			for i++; f.at(i) == "${"; {
				i = f.after(i)
			}
			t = outside
		default:
			return t, i
		}
	}
	return t, i
}

package uses

import (
	"slices"
	"strings"

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
	switch op := f.at(i); op {
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

// split divides tokens at their commas.
func (f *text) split(from, to int) []span {
	var parts []span
	start := from
	for i := from; i < to; i++ {
		if f.opens(i) {
			i = f.pair(i)
		} else if f.at(i) == "," && f.kind(i) == tokenSign {
			parts = append(parts, span{start, i})
			start = i + 1
		}
	}
	if start < to {
		parts = append(parts, span{start, to})
	}
	return parts
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
	end := f.after(i)
	switch word {
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
	level, visited := []*instance{m.receiver}, map[*class]bool{}
	if m.receiver == nil {
		if o := s.bestOverload(m.symbol, f, args); o != nil {
			m.symbol = o
		}
		return m
	}
	for n := 0; n < len(level) && n < 100; n++ { // a base class can have the overload
		if visited[level[n].class] {
			continue
		}
		visited[level[n].class] = true
		if o := s.bestOverload(level[n].class.members[methodKey(m.symbol.name)], f, args); o != nil {
			return found{o, level[n], m.static}
		}
		bases, _ := s.bases(level[n])
		level = append(level, bases...)
	}
	return m
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
	switch {
	case f.kind(arg.from) == tokenString && first[0] == '\'' && single:
		return scoreIf(want == "char", 3, -3)
	case f.kind(arg.from) == tokenString:
		return scoreIf(want == "String" && !array, 3, -2) + scoreIf(want == "Object" || want == "CharSequence", 2, 0)
	case f.kind(arg.from) == tokenNumber && isThrowable(want):
		return -6
	case f.kind(arg.from) == tokenNumber:
		return scoreIf(primitive && !array, 2, -2) + scoreIf(want == "int", 1, 0)
	case first == "true" || first == "false":
		return scoreIf(want == "boolean", 3, -2)
	case first == "null":
		return scoreIf(primitive && !array, -5, 0)
	case f.lambdas[arg.from] != nil:
		if want == "String" || primitive || want == "Object" || array {
			return -5
		}
		return 1
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
		if want == "String" || primitive {
			return -4
		}
	}
	return 0
}

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

// chainStart returns the index of the first token of the operand that ends before end.
func (f *text) chainStart(end int) int {
	j := end - 1
	for n := 0; n < 10_000 && j >= 0; n++ {
		switch word := f.at(j); {
		case f.closes(j) && f.kind(j) == tokenSign:
			open := f.pair(j)
			if open < 0 {
				return end
			}
			before := open - 1
			if f.at(before) == "?." {
				before--
			}
			if word != "}" {
				if f.at(before) == ">" {
					if b := f.angleBefore(before); b > 0 && f.isName(b-1) {
						j = b - 1
						continue
					}
				}
				if f.isName(before) && !f.isKeyword(before) || f.closes(before) && f.at(before) != "}" {
					j = before
					continue
				}
			} else if f.at(before) == ")" { // an anonymous class of Java
				j = before
				continue
			}
			return f.withNew(open)
		case f.kind(j) == tokenName || f.kind(j) == tokenString:
			if f.at(j-1) == "#" {
				j--
			}
			if before := f.at(j - 1); before == "." || before == "?." || before == "::" {
				j -= 2
				continue
			}
			return f.withNew(j)
		case word == "!" && j > 0:
			j--
		default:
			return j + 1
		}
	}
	return j + 1
}

// withNew includes the keyword "new" before an operand.
func (f *text) withNew(i int) int {
	if f.at(i-1) == "new" {
		return i - 1
	}
	return i
}

// angleBefore returns the index of the "<" for the ">" at i, or -1.
func (f *text) angleBefore(i int) int {
	depth := 0
	for j := i; j >= 0 && j > i-200; j-- {
		switch f.at(j) {
		case ">":
			depth++
		case "<":
			if depth--; depth == 0 {
				return j
			}
		case ";", "{", "}":
			return -1
		}
	}
	return -1
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

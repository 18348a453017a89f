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
		return r.sign(i, to, b)
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

// sign reads the block, the lambda or the annotation that begins at a token.
func (r *javaReader) sign(i, to int, b *block) int {
	switch r.at(i) {
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

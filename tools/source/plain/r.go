package plain

import "github.com/dougu-go/dougu/tools/source"

// rfile reads the assignments of a file, the classes that it defines, and the files that it loads (The R Language Definition).
func (r *reader) rfile() {
	r.rstatements(0, len(r.tokens), -1, 0)
	if !r.calls {
		return
	}
	for i := range r.tokens {
		if r.isWord(i) && r.is(i+1, "(") && !isReservedR(r.text(i)) {
			r.out.Call(trimQuotes(r.text(i)), int(r.tokens[i].start), r.around(i))
		}
	}
}

// around returns the index of the innermost function around a token, or -1.
func (r *reader) around(i int) int {
	in := -1
	for _, f := range r.functions {
		if f.from <= i && i <= f.last {
			in = f.chunk
		}
		if f.from > i {
			break
		}
	}
	return in
}

func isReservedR(name string) bool {
	switch name {
	case "if", "for", "while", "repeat", "function", "in", "else", "return":
		return true
	}
	return false
}

// rstatements reads the statements between two tokens that belong to the chunk parent.
func (r *reader) rstatements(from, end, parent, depth int) {
	if depth > maxDepth {
		return
	}
	for i := from; i < end; {
		if i = r.rstatement(i, end, parent, depth); i > end {
			return
		}
	}
}

// rstatement reads one statement and returns the index behind it.
func (r *reader) rstatement(i, end, parent, depth int) int {
	name := i
	switch {
	case (r.is(i, "library") || r.is(i, "require") || r.is(i, "source")) && r.is(i+1, "(") && i+2 < end:
		r.out.Import(trimQuotes(r.text(i+2)), int(r.tokens[i+2].start))
		return r.past(i + 1)
	case r.is(i, "setMethod") || r.is(i, "setGeneric") || r.is(i, "setClass") || r.is(i, "setRefClass"):
		if r.is(i+1, "(") && i+2 < end && r.tokens[i+2].kind == text {
			kind := source.Class
			if r.is(i, "setMethod") || r.is(i, "setGeneric") {
				kind = source.Function
			}
			last := end - 1 // if the bracket is not closed
			if r.tokens[i+1].partner > 0 {
				last = min(r.past(i+1), end) - 1
			}
			body := -1
			if i+3 < last {
				body = i + 3
			}
			chunk := r.add(kind, i, i+2, body, last, parent)
			r.function(kind, i, last, chunk)
			r.rarguments(i+2, last, chunk, depth)
			return last + 1
		}
	}
	isName := r.isWord(i) || i < end && r.tokens[i].kind == text
	if !isName || i+2 >= end || !(r.is(i+1, "<-") || r.is(i+1, "<<-") || r.is(i+1, "=")) {
		if i < end && r.tokens[i].kind == open {
			r.rstatements(i+1, min(r.past(i), end+1)-1, parent, depth+1)
		}
		return r.past(i)
	}
	value := i + 2
	if r.is(value, "function") || r.is(value, `\`) {
		body, last := r.rfunction(value, end)
		chunk := r.add(source.Function, i, name, body, last, parent)
		r.function(source.Function, i, last, chunk)
		if body >= 0 {
			r.rstatements(body, last+1, chunk, depth+1)
		}
		return last + 1
	}
	last := r.rexpression(value, end)
	switch {
	case r.is(value, "R6Class") || r.is(value, "setRefClass") || r.is(value, "setClass"):
		chunk := r.add(source.Class, i, name, value+1, last, parent)
		r.rarguments(value+1, last+1, chunk, depth)
	case depth == 0:
		r.add(source.Variable, i, name, -1, last, parent)
	default:
		r.rstatements(value, last+1, parent, depth+1)
	}
	return last + 1
}

// rfunction returns the first token of the body of a function expression, or -1, and the last token of the function.
func (r *reader) rfunction(i, end int) (body, last int) {
	i++
	if !r.is(i, "(") {
		return -1, min(i, end) - 1
	}
	body = r.past(i)
	if body >= end {
		return -1, end - 1
	}
	return body, r.rexpression(body, end)
}

// rexpression returns the last token of the expression that begins at token i: it continues in the next line if a line ends in an
// operator, or the next begins with one.
func (r *reader) rexpression(i, end int) int {
	for first := i; i < end; {
		if i > first && r.tokens[i].line && !r.isOperator(i-1) && !r.is(i, "else") {
			return i - 1
		}
		if t := r.tokens[i]; i > first && (r.is(i, ";") || t.kind == closing || r.is(i, ",")) {
			return i - 1
		}
		next := r.past(i)
		if r.is(i, "function") && r.is(i+1, "(") {
			next = r.past(i + 1)
			if next < end && r.tokens[next].line { // the body of a function may begin in the next line
				next = r.past(next)
			}
		}
		i = next
	}
	return end - 1
}

// isOperator reports whether an expression goes on behind token i.
func (r *reader) isOperator(i int) bool {
	if r.tokens[i].kind == mark {
		return true
	}
	return r.is(i, "else") || r.is(i, "in")
}

// rarguments adds the functions among named arguments as methods: list(push = function(x) …).
func (r *reader) rarguments(i, end, parent, depth int) {
	if depth > maxDepth {
		return
	}
	for i < end {
		switch {
		case r.isWord(i) && r.is(i+1, "=") && r.is(i+2, "function"):
			body, last := r.rfunction(i+2, end)
			chunk := r.add(source.Method, i, i, body, last, parent)
			r.function(source.Method, i, last, chunk)
			i = last + 1
		case i < len(r.tokens) && r.tokens[i].kind == open:
			r.rarguments(i+1, min(r.past(i), end+1)-1, parent, depth+1)
			i = r.past(i)
		default:
			i++
		}
	}
}

// function remembers the tokens of a function, for the calls in it.
func (r *reader) function(kind source.Kind, from, last, chunk int) {
	if kind.IsCallable() {
		r.functions = append(r.functions, function{from, last, chunk})
	}
}

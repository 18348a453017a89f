package plain

import "github.com/dougu-go/dougu/tools/source"

// graphql reads the definitions of a document (GraphQL specification, October 2021, section 2.2 and 3.3).
func (r *reader) graphql() {
	for r.at < len(r.tokens) {
		from := r.at
		description := r.tokens[from].kind == text
		if description {
			from++
		}
		keyword := from
		if r.is(keyword, "extend") {
			keyword++
		}
		kind := graphqlKind(r.text(keyword))
		name := keyword + 1
		if r.is(keyword, "directive") && r.is(name, "@") {
			name++
		}
		if kind == source.Invalid || !r.isWord(name) || !r.isWord(keyword) {
			if r.is(keyword, "schema") && r.is(keyword+1, "{") {
				keyword++
			}
			r.at = max(r.past(max(keyword, r.at)), r.at+1)
			continue
		}
		if keyword > from {
			kind = source.Extension
		}
		body, last := r.graphqlEnd(name + 1)
		first := from
		if description {
			first--
		}
		chunk := r.add(kind, from, name, body, last, -1)
		r.describe(chunk, first, from)
		if body >= 0 && kind != source.Function {
			r.graphqlFields(body, last, chunk, r.text(keyword))
		}
		r.at = last + 1
	}
}

func graphqlKind(keyword string) source.Kind {
	switch keyword {
	case "type":
		return source.Class
	case "interface":
		return source.Interface
	case "input":
		return source.Struct
	case "enum":
		return source.Enum
	case "union", "scalar":
		return source.TypeAlias
	case "directive":
		return source.Macro
	case "query", "mutation", "subscription", "fragment":
		return source.Function
	}
	return source.Invalid
}

// graphqlEnd returns the body of a definition, or -1, and its last token. A definition without a body ends before the next keyword or
// description at the start of a line.
func (r *reader) graphqlEnd(from int) (body, last int) {
	for i := from; i < len(r.tokens); i = r.past(i) {
		switch t := r.tokens[i]; {
		case t.kind == open && r.is(i, "{"):
			return i, min(r.past(i), len(r.tokens)) - 1
		case t.line && (t.kind == text || graphqlKind(r.text(i)) != source.Invalid || r.is(i, "extend") || r.is(i, "schema")):
			return -1, i - 1
		}
	}
	return -1, len(r.tokens) - 1
}

// describe makes the string before a definition or field its documentation.
func (r *reader) describe(chunk, description, from int) {
	if description == from {
		return
	}
	c := r.out.Chunk(chunk)
	c.Doc, c.DocEnd = r.tokens[description].start, r.tokens[description].end
}

// graphqlFields adds the fields or values in a body.
func (r *reader) graphqlFields(body, last, parent int, keyword string) {
	for i := body + 1; i < last; {
		description := i
		if r.tokens[i].kind == text {
			i++
		}
		if i >= last || !r.isWord(i) {
			i = r.past(i)
			continue
		}
		name, kind := i, source.Property
		if keyword == "enum" {
			kind = source.EnumCase
		}
		i++
		if r.is(i, "(") {
			kind = source.Method
			i = r.past(i)
		}
		if r.is(i, ":") {
			i = r.graphqlType(i+1, last)
		}
		for i < last && (r.is(i, "@") || r.is(i, "=")) {
			if i = r.graphqlValue(i + 1); r.is(i, "(") {
				i = r.past(i)
			}
		}
		i = max(i, name+1)
		r.describe(r.add(kind, name, name, -1, min(i, last)-1, parent), description, name)
	}
}

// graphqlValue returns the index after a default value, or after the name of a directive. A number may have a sign and a fraction.
func (r *reader) graphqlValue(i int) int {
	if r.is(i, "-") {
		i++
	}
	i = r.past(i)
	if r.is(i, ".") && r.isWord(i+1) {
		i += 2
	}
	return i
}

// graphqlType returns the index behind a type: Name, [Name!]!.
func (r *reader) graphqlType(i, last int) int {
	i = r.past(i)
	for i < last && r.is(i, "!") {
		i++
	}
	return i
}

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
		return r.sign(i, to, b)
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
			return r.enum(i, b)
		}
	case "namespace", "module":
		if r.isName(i+1) || r.kind(i+1) == tokenString {
			return r.namespace(i, b)
		}
	case "type":
		if r.isName(i+1) && (r.at(i+2) == "=" || r.at(i+2) == "<") {
			if end := r.alias(i, b); end > i {
				return end
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
			return r.catch(i, b)
		}
	}
	switch next {
	case ".":
		return max(r.assignment(i, to, b), i+1)
	case "=>":
		if end, ok := r.arrow(i, to, b); ok {
			return end
		}
	}
	return i + 1
}

// sign reads the brackets that begin at a token: an arrow function, an object or a block.
func (r *scriptReader) sign(i, to int, b *block) int {
	switch r.at(i) {
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

// enum reads an enum.
func (r *scriptReader) enum(i int, b *block) int {
	c := &class{name: r.at(i + 1), text: r.text, members: map[string]*symbol{}, block: b}
	c.symbol = r.declare(b, &symbol{kind: symClass, name: c.name, token: i + 1, class: c})
	return r.after(i + 2)
}

// alias reads the declaration of a name of a type, and returns i if there is none.
func (r *scriptReader) alias(i int, b *block) int {
	s := &symbol{kind: symAlias, name: r.at(i + 1), token: i + 1}
	j := i + 2
	if r.at(j) == "<" {
		end := r.skipAngle(j)
		s.fn = &function{typeParams: r.angleNames(j, end)}
		j = end
	}
	if r.at(j) != "=" {
		return i
	}
	s.typ = span{j + 1, r.skipType(j + 1)}
	r.declare(b, s)
	return s.typ.to
}

// catch reads a catch clause with a variable.
func (r *scriptReader) catch(i int, b *block) int {
	body := r.after(i + 1)
	inner := r.newBlock(i+1, r.after(body), b)
	inner.declare(&symbol{kind: symVariable, name: r.at(i + 2), token: i + 2, text: r.text})
	r.code(body, r.after(body), inner)
	return r.after(body)
}

// assignment reads an assignment to an export of CommonJS, or to a member of a class or of
// a constructor function. It returns i if a later token begins the assigned value.
func (r *scriptReader) assignment(i, to int, b *block) int {
	if r.isName(i + 2) {
		r.memberOf(i, to, b)
	}
	if b != r.root {
		return i
	}
	switch word := r.at(i); {
	case word == "exports" && r.at(i+3) == "=":
		return r.commonExport(i+2, to, b)
	case word == "module" && r.at(i+2) == "exports" && r.at(i+3) == "=":
		r.module = span{i + 4, r.exprEnd(i+4, to)}
		return i + 4
	case word == "module" && r.at(i+2) == "exports" && r.at(i+3) == "." && r.at(i+5) == "=":
		return r.commonExport(i+4, to, b)
	}
	return i
}

// commonExport declares the export of CommonJS whose name is at a token.
func (r *scriptReader) commonExport(name, to int, b *block) int {
	value := span{name + 2, r.exprEnd(name+2, to)}
	r.exports[r.at(name)] = r.declare(b, &symbol{kind: symVariable, name: "", token: name, value: value})
	return name + 2
}

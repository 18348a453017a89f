package uses

import "slices"

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
			for _, s := range r.specifiers(j) {
				add(s.alias, r.at(s.alias), r.at(s.name))
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

// specifier is a part of a list "{a as b}". It holds the tokens of both names, which are one token without "as".
type specifier struct{ name, alias int }

// specifiers reads the list of an import or an export, whose bracket is at open.
func (r *scriptReader) specifiers(open int) (all []specifier) {
	for k := open + 1; k < r.pair(open); k++ {
		if r.at(k) == "type" && r.isName(k+1) && r.at(k+1) != "as" {
			k++
		}
		if !r.isName(k) {
			continue
		}
		name := k
		if r.at(k+1) == "as" {
			k += 2
		}
		all = append(all, specifier{name, k})
	}
	return all
}

// export reads an export declaration.
func (r *scriptReader) export(i, to int, b *block) int {
	j := i + 1
	if r.at(j) == "type" && (r.at(j+1) == "{" || r.at(j+1) == "*") {
		j++
	}
	switch r.at(j) {
	case "{":
		return r.exportNames(i, j, b)
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
		return r.exportDefault(j, to, b)
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

// exportNames reads the list of an export declaration. The declaration begins at i, and
// the list at j.
func (r *scriptReader) exportNames(i, j int, b *block) int {
	if !r.opens(j) {
		return j + 1
	}
	end := r.after(j)
	module := ""
	if r.at(end) == "from" {
		module = unquote(r.at(end + 1))
	}
	for _, s := range r.specifiers(j) {
		name := r.at(s.name)
		r.exports[r.at(s.alias)] = &symbol{kind: symImport, name: name, imported: name, module: module, token: s.name, text: r.text, block: b}
	}
	if module != "" {
		end += 2
	}
	r.imports = append(r.imports, span{i, end})
	return end
}

// exportDefault reads a default export, whose keyword default is at a token.
func (r *scriptReader) exportDefault(j, to int, b *block) int {
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
}

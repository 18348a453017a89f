package uses

import "slices"

// exprEnd returns the index after an expression.
func (r *scriptReader) exprEnd(i, to int) int {
	for j := i; j < to; {
		if j > i && r.newLine(j) && !r.continues(j) {
			return j
		}
		switch r.at(j) {
		case ",", ";", ")", "]", "}":
			if r.kind(j) == tokenSign {
				return j
			}
		}
		if r.opens(j) {
			j = r.after(j)
			continue
		}
		j++
	}
	return to
}

// continues reports whether the token at the start of a line continues an expression.
func (r *scriptReader) continues(i int) bool {
	word := r.at(i)
	switch r.kind(i) {
	case tokenName:
		if word == "as" || word == "instanceof" || word == "satisfies" || word == "in" {
			return true
		}
	case tokenSign:
		return word != "{" && word != "@" && word != "#" && word != "[" && word != "++" && word != "--" && word != "*"
	}
	before := r.at(i - 1)
	switch r.kind(i - 1) {
	case tokenName:
		return before == "await" || before == "new" || before == "typeof" || before == "extends" || before == "return"
	case tokenSign:
		return !r.closes(i-1) && before != "++" && before != "--" && before != "!" && before != ">"
	}
	return false
}

// skipType returns the index after a type.
func (r *scriptReader) skipType(i int) int {
	if r.depth++; r.depth > maxBlocks {
		r.depth--
		return i
	}
	defer func() { r.depth-- }()
	for n := 0; n < 2_000; n++ {
		word := r.at(i)
		switch {
		case word == "|" || word == "&":
			i++
			continue
		case slices.Contains([]string{"keyof", "typeof", "unique", "readonly", "infer", "asserts", "abstract", "new", "-"}, word) && r.at(i+1) != ";" && r.at(i+1) != ",":
			i++
			continue
		case word == "<":
			if end := r.skipAngle(i); end > i {
				i = end
				continue
			}
			return i
		case word == "(":
			i = r.after(i)
			if r.at(i) == "=>" {
				i++
				continue
			}
		case word == "{" || word == "[":
			i = r.after(i)
		case r.kind(i) == tokenName || r.kind(i) == tokenNumber:
			i++
			for r.at(i) == "." && r.isName(i+1) {
				i += 2
			}
			if r.at(i) == "(" && word == "import" {
				i = r.after(i)
				for r.at(i) == "." {
					i += 2
				}
			}
			if r.at(i) == "<" {
				if end := r.skipAngle(i); end > i {
					i = end
				}
			}
		case r.kind(i) == tokenString:
			i++
			for r.at(i) == "${" {
				i = r.after(i)
			}
		default:
			return i
		}
		for r.at(i) == "[" && !r.newLine(i) {
			i = r.after(i)
		}
		if r.at(i) == "is" && !r.newLine(i) {
			i++
			continue
		}
		if r.at(i) == "extends" {
			i = r.skipType(i + 1)
			if r.at(i) == "?" {
				if i = r.skipType(i + 1); r.at(i) == ":" {
					i++
					continue
				}
			}
			return i
		}
		if r.at(i) != "|" && r.at(i) != "&" {
			return i
		}
	}
	return i
}

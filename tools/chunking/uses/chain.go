package uses

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

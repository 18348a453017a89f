package uses

// fields declares the attributes that a method assigns.
func (r *pythonReader) fields(from, to int, self string, c *class, inner *block) {
	for i := from; i+3 < to; i++ {
		if r.at(i) != self || r.at(i+1) != "." || !r.isName(i+2) || r.at(i-1) == "." {
			continue
		}
		s := &symbol{kind: symVariable, name: r.at(i + 2), token: i + 2, text: r.text, block: inner}
		switch r.at(i + 3) {
		case ":":
			end := r.lineEnd(i)
			s.typ = span{i + 4, end}
			for j := i + 4; j < end; j++ {
				if r.opens(j) {
					j = r.pair(j)
				} else if r.at(j) == "=" {
					s.typ.to = j
					s.value = span{j + 1, end}
					break
				}
			}
		case "=":
			s.value = span{i + 4, r.lineEnd(i)}
		default:
			continue
		}
		if known := c.members[s.name]; known != nil && known.kind == symVariable {
			if s.typ.ok() && !known.typ.ok() {
				known.typ = s.typ
			}
			if len(known.values) < 20 && s.value.ok() {
				known.values = append(known.values, s.value)
			}
			continue
		}
		if c.members[s.name] == nil {
			c.addMember(s)
		}
	}
}

// walrus declares the names of assignment expressions, and of comprehensions.
func (r *pythonReader) walrus(from, to int, b *block, c *class) {
	for j := from; j < to; j++ {
		switch r.at(j) {
		case ":=":
			if r.isName(j - 1) {
				stop := to
				for k := j; k >= from && k > j-2_000; k-- {
					if r.closes(k) && r.pair(k) >= 0 {
						k = r.pair(k)
					} else if r.opens(k) {
						stop = r.pair(k)
						break
					}
				}
				r.bind(b, c, &symbol{kind: symVariable, name: r.at(j - 1), token: j - 1, value: span{j + 1, stop}})
			}
		case "for":
			if j == from {
				continue
			}
			open := -1 // of the comprehension
			for k := j - 1; k >= from && k > j-2_000; k-- {
				if r.closes(k) && r.pair(k) >= 0 {
					k = r.pair(k)
				} else if r.opens(k) {
					open = k
					break
				}
			}
			if open < 0 {
				continue
			}
			stop := r.pair(open)
			in := j
			for in < stop && in < j+2_000 && r.at(in) != "in" {
				in++
			}
			last := in + 1
			for last < stop && last < in+2_000 && r.at(last) != "if" && r.at(last) != "for" {
				last = r.after(last)
			}
			inner := r.newBlock(open, stop, b)
			r.targets(j+1, in, span{in + 1, last}, elementOf, inner, nil)
		}
	}
}

// targets declares the names of an assignment, a loop or a with statement. A name in nested
// brackets, after * and behind such a name has no value.
func (r *pythonReader) targets(from, to int, value span, how origin, b *block, c *class) {
	if to-from >= 1_000 {
		return
	}
	parts := r.split(from, to)
	starred := false
	for n, part := range parts {
		if r.at(part.from) == "*" {
			starred = true
			part.from++
		}
		if r.opens(part.from) && r.after(part.from) == part.to {
			inner := value
			if len(parts) > 1 || starred {
				inner = span{}
			}
			r.targets(part.from+1, part.to-1, inner, how, b, c)
			continue
		}
		if part.to != part.from+1 || !r.isName(part.from) {
			continue
		}
		s := &symbol{kind: symVariable, name: r.at(part.from), token: part.from, value: value, origin: how}
		if starred || !value.ok() {
			s.value, s.origin = span{}, wholeValue
		} else if len(parts) > 1 {
			switch how {
			case wholeValue:
				s.origin, s.index = indexOf, n
			default:
				s.part, s.index = true, n
			}
		}
		r.bind(b, c, s)
	}
}

// assignment reads an assignment.
func (r *pythonReader) assignment(i, end int, b *block, c *class) {
	if r.isName(i) && r.at(i+1) == ":" {
		s := &symbol{kind: symVariable, name: r.at(i), token: i, typ: span{i + 2, end}}
		for j := i + 2; j < end; j++ {
			if r.opens(j) {
				j = r.pair(j)
			} else if r.at(j) == "=" {
				s.typ.to, s.value = j, span{j + 1, end}
				break
			}
		}
		r.bind(b, c, s)
		return
	}
	from := i
	var heads []span
	for j := i; j < end; j++ {
		if r.opens(j) {
			j = r.pair(j)
		} else if r.at(j) == "=" {
			heads = append(heads, span{from, j})
			from = j + 1
		}
	}
	for _, head := range heads {
		r.targets(head.from, head.to, span{from, end}, wholeValue, b, c)
	}
}

// loop reads the head of a for statement.
func (r *pythonReader) loop(i, colon int, b *block, c *class) {
	for j := i; j < colon; j++ {
		if r.opens(j) {
			j = r.pair(j)
		} else if r.at(j) == "in" {
			r.targets(i, j, span{j + 1, colon}, elementOf, b, c)
			return
		}
	}
}

// withNames reads the head of a with statement.
func (r *pythonReader) withNames(i, colon int, b *block, c *class) {
	if r.opens(i) && r.after(i) == colon {
		i, colon = i+1, colon-1
	}
	for _, part := range r.split(i, colon) {
		for j := part.from; j < part.to; j++ {
			if r.opens(j) {
				j = r.pair(j)
			} else if r.at(j) == "as" && j+2 == part.to {
				r.bind(b, c, &symbol{kind: symVariable, name: r.at(j + 1), token: j + 1, value: span{part.from, j}, origin: enteredBy})
			}
		}
	}
}

package ignore

import "strings"

// class compares a byte with the character class at the beginning of a pattern, and tells its size; 0 means that it is
// malformed. No class holds a slash.
func class(pattern string, c byte) (size int, ok bool) {
	r := classReader{rest: pattern[1:], c: c}
	negated := r.peek() == '!' || r.peek() == '^'
	if negated {
		r.next()
	}
	r.member() // even if it is "]"
	for !r.malformed && r.peek() != ']' {
		r.member()
	}
	if r.malformed {
		return 0, false
	}
	return len(pattern) - len(r.rest) + 1, r.found != negated && c != '/'
}

// classReader goes through the members of a class.
type classReader struct {
	rest      string
	c         byte // is looked for
	found     bool
	malformed bool
	low       byte // last member, if a range can begin with it
}

func (r *classReader) member() {
	m := r.next()
	switch {
	case m == '-' && r.low != 0 && r.peek() != ']' && r.peek() != 0:
		high := r.escaped(r.next())
		r.found = r.found || r.low <= r.c && r.c <= high
		r.low = 0
		return
	case m == '[' && r.peek() == ':' && r.named():
		r.low = 0
		return
	}
	r.low = r.escaped(m)
	r.found = r.found || r.low == r.c
}

// named reads a class such as [:alpha:] after its first bracket. Without a closing ":]" the text is a set of
// characters.
func (r *classReader) named() bool {
	end := strings.IndexByte(r.rest[1:], ']')
	if end < 0 {
		r.malformed = true
		return true
	}
	name, ok := strings.CutSuffix(r.rest[1:1+end], ":")
	if !ok {
		return false
	}
	has, known := named(name, r.c)
	r.found = r.found || has
	r.malformed = !known
	r.rest = r.rest[1+end+1:]
	return true
}

// peek is the next byte of the pattern, 0 behind the end.
func (r *classReader) peek() byte {
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

// next takes a byte of the pattern, which must not end here.
func (r *classReader) next() byte {
	c := r.peek()
	if c == 0 {
		r.malformed = true
		return 0
	}
	r.rest = r.rest[1:]
	return c
}

// escaped is the byte behind a backslash, or the byte itself.
func (r *classReader) escaped(c byte) byte {
	if c == '\\' {
		return r.next()
	}
	return c
}

// named reports whether a byte belongs to a class of ASCII characters, and whether the class exists. As in git, space
// does not include the vertical tab and the form feed.
func named(name string, c byte) (has, known bool) {
	var (
		lower = 'a' <= c && c <= 'z'
		upper = 'A' <= c && c <= 'Z'
		digit = '0' <= c && c <= '9'
		graph = '!' <= c && c <= '~'
	)
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c == '\t' || c == '\n' || c == '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c|0x20 && c|0x20 <= 'f', true
	}
	return false, false
}

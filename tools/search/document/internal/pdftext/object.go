package pdftext

// The objects of a file: nil, bool, float64, name, text, array, dict, ref, *stream; and
// operator, which is none.
type (
	object   any
	name     string
	text     []byte
	operator string
	array    []object
	dict     map[name]object
	ref      int // by number; of generations the last one counts
	stream   struct {
		dict
		raw []byte
	}
)

// maxDepth is how deep objects lie within each other.
const maxDepth = 48

// lexer reads objects.
type lexer struct {
	data  []byte
	at    int
	depth int
	refs  bool // whether "1 0 R" may stand in it
}

func isSpace(c byte) bool {
	return c == 0 || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' '
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// space goes on to what is no white space and no comment.
func (l *lexer) space() {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case isSpace(c):
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// next reads an object or operator. At the end, and where something closes that was not
// opened, it is false.
func (l *lexer) next() (object, bool) {
	if l.space(); l.at >= len(l.data) {
		return nil, false
	}
	switch c := l.data[l.at]; c {
	case '/':
		l.at++
		return l.name(), true
	case '(':
		return l.literal(), true
	case '<':
		if l.at+1 < len(l.data) && l.data[l.at+1] == '<' {
			l.at += 2
			return l.dict(), true
		}
		return l.hex(), true
	case '[':
		l.at++
		return l.array(), true
	case ']', ')', '>', '{', '}':
		l.at++
		return operator(string(c)), true
	}
	return l.word(), true
}

// run is what stands before the next white space or delimiter.
func (l *lexer) run() []byte {
	start := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	return l.data[start:l.at]
}

func (l *lexer) name() name {
	run := l.run()
	for i, c := range run {
		if c == '#' {
			return name(unescaped(run, i))
		}
	}
	return name(run)
}

// unescaped is a name in which "#41" stands for "A".
func unescaped(run []byte, from int) []byte {
	out := append([]byte(nil), run[:from]...)
	for i := from; i < len(run); i++ {
		if run[i] == '#' && i+2 < len(run) && hexDigit(run[i+1]) >= 0 && hexDigit(run[i+2]) >= 0 {
			out = append(out, byte(hexDigit(run[i+1])<<4|hexDigit(run[i+2])))
			i += 2
			continue
		}
		out = append(out, run[i])
	}
	return out
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// literal reads a text in parentheses.
func (l *lexer) literal() text {
	var out text
	depth := 1
	for l.at++; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.at++
				return out
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return out
}

// escape reads what follows a backslash, and stops at its last byte.
func (l *lexer) escape(out text) text {
	if l.at+1 >= len(l.data) {
		return out
	}
	l.at++
	switch c := l.data[l.at]; c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.at+1 < len(l.data) && l.data[l.at+1] == '\n' {
			l.at++
		}
		return out
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := int(c - '0')
		for i := 0; i < 2 && l.at+1 < len(l.data) && '0' <= l.data[l.at+1] && l.data[l.at+1] <= '7'; i++ {
			l.at++
			n = n<<3 | int(l.data[l.at]-'0')
		}
		return append(out, byte(n))
	default:
		return append(out, c)
	}
}

// hex reads a text in angle brackets.
func (l *lexer) hex() text {
	var out text
	high := -1
	for l.at++; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		if c == '>' {
			l.at++
			break
		}
		digit := hexDigit(c)
		switch {
		case digit < 0:
		case high < 0:
			high = digit
		default:
			out, high = append(out, byte(high<<4|digit)), -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}

func (l *lexer) array() array {
	var all array
	if l.depth++; l.depth > maxDepth {
		l.at = len(l.data)
	}
	defer func() { l.depth-- }()
	for {
		o, ok := l.next()
		if !ok || o == operator("]") {
			return all
		}
		if o == operator("R") && len(all) > 1 && l.refs {
			if n, ok := all[len(all)-2].(float64); ok {
				all = append(all[:len(all)-2], ref(n))
			}
			continue
		}
		all = append(all, o)
	}
}

func (l *lexer) dict() dict {
	d := dict{}
	if l.depth++; l.depth > maxDepth {
		l.at = len(l.data)
	}
	defer func() { l.depth-- }()
	for {
		o, ok := l.next()
		if o == operator(">") { // of two
			if l.at < len(l.data) && l.data[l.at] == '>' {
				l.at++
			}
			return d
		}
		key, isName := o.(name)
		switch {
		case !ok || o == operator("endobj") || o == operator("stream"):
			return d
		case isName:
			d[key] = l.value()
		}
	}
}

// value reads an object that may be a reference.
func (l *lexer) value() object {
	if l.space(); l.at < len(l.data) && l.data[l.at] == '>' {
		return nil
	}
	o, _ := l.next()
	n, ok := o.(float64)
	if !ok || !l.refs {
		return o
	}
	if l.generation() {
		return ref(n)
	}
	return n
}

// generation reads what makes a number a reference: "0 R" after it.
func (l *lexer) generation() bool {
	at := l.at
	skip := func(is func(byte) bool) (found bool) {
		for ; at < len(l.data) && is(l.data[at]); at++ {
			found = true
		}
		return found
	}
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	if !skip(isSpace) || !skip(digit) || !skip(isSpace) || at >= len(l.data) || l.data[at] != 'R' {
		return false
	}
	if at++; at < len(l.data) && !isSpace(l.data[at]) && !isDelimiter(l.data[at]) {
		return false
	}
	l.at = at
	return true
}

// word reads a number, a constant or an operator.
func (l *lexer) word() object {
	run := l.run()
	if n, ok := number(run); ok {
		return n
	}
	switch string(run) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return operator(run)
}

// number reads a number, as forgiving as other readers are: 1-2 is 1.
func number(run []byte) (float64, bool) {
	n, scale, negative, digits := 0.0, 0.0, false, false
	for i, c := range run {
		switch {
		case '0' <= c && c <= '9':
			digits = true
			if n = n*10 + float64(c-'0'); scale > 0 {
				scale *= 10
			}
		case c == '.' && scale == 0:
			scale = 1
		case c == '-' && i == 0:
			negative = true
		case c == '+' && i == 0:
		case c == '-' && digits:
			return n, true
		default:
			return 0, false
		}
	}
	if scale > 0 {
		n /= scale
	}
	if negative {
		n = -n
	}
	return n, digits || scale > 0
}

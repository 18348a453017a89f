package treesitter

import (
	"bytes"
	"regexp"
)

// objcReader blanks parts of Objective-C and Objective-C++ that the grammar does not know, in place: macros and conditionals between
// the members of a class, macros and references in the head of a method, and lambdas in a body.
type objcReader struct {
	text    []byte
	at      int
	depth   int  // of open brackets
	inClass bool // between @implementation, @interface or @protocol and @end
	bodies  bool // between @implementation and @end, where the grammar allows no method without a body
	inHead  bool // in the head of a method
	budget  int  // bytes that may still be searched for the end of a construct
	lambdas int  // brackets that were compared with the head of a lambda

	conditionals []objcConditional // the open conditionals
}

// objcConditional is an open #if.
type objcConditional struct {
	start, end int // the directive
	depth      int
	blank      bool // the directive is blank
}

const (
	maxCaptures = 1 << 10 // of bytes in the head of a lambda
	maxLambdas  = 1 << 12 // of brackets in a text that may begin one
)

// objcLambda is the head of a lambda of C++, from its captures to the bracket of its body.
var objcLambda = regexp.MustCompile(`^\[[\w&=,*.\s]*\]\s*(\((?:[^()]|\([^()]*\))*\))?\s*(?:mutable\b\s*|noexcept\b\s*)*(?:->\s*[\w:<>*& ]+)?\{`)

// read reads the text to its end.
func (r *objcReader) read() {
	r.budget = 4*len(r.text) + maxMasked
	newLine := true
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == '\n':
			newLine = true
			r.at++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			r.at++
			continue
		case bytes.HasPrefix(r.text[r.at:], []byte("//")):
			r.at = r.lineEnd(r.at)
		case bytes.HasPrefix(r.text[r.at:], []byte("/*")):
			r.skipComment()
			continue
		case c == '#' && newLine:
			r.directive()
		case c == '@' && r.section():
		case newLine && r.inClass && (c == '-' || c == '+') && r.isMethod():
			r.inHead, r.depth = true, 0
			r.at++
		case c == '"' || c == '\'':
			r.at += quoted(string(r.text[r.at:min(len(r.text), r.at+maxQuoted)])) + 1
		case isWord(c):
			r.word(newLine)
		default:
			r.mark(c)
		}
		newLine = false
	}
}

// maxQuoted limits the length of a literal.
const maxQuoted = 4 << 10

// lineEnd returns the offset of the line feed that ends a logical line, which backslashes continue.
func (r *objcReader) lineEnd(at int) int {
	for {
		next := bytes.IndexByte(r.text[at:], '\n')
		if next < 0 {
			return len(r.text)
		}
		at += next
		if !bytes.HasSuffix(bytes.TrimSuffix(r.text[:at], []byte("\r")), []byte("\\")) {
			return at
		}
		at++
	}
}

func (r *objcReader) skipComment() {
	end := bytes.Index(r.text[r.at+2:], []byte("*/"))
	if end < 0 {
		r.at = len(r.text)
		return
	}
	r.at += end + 4
}

// directive reads a directive of the preprocessor. Conditionals between the members of a class are blank. Where the branches of one
// open different numbers of brackets, the first one alone is kept.
func (r *objcReader) directive() {
	start := r.at
	r.at = r.lineEnd(start)
	word := bytes.TrimLeft(r.text[start+1:r.at], " \t")
	switch {
	case bytes.HasPrefix(word, []byte("if")):
		c := objcConditional{start: start, end: r.at, depth: r.depth, blank: r.inClass && r.depth == 0}
		if c.blank {
			blank(r.text[start:r.at])
		}
		r.conditionals = append(r.conditionals, c)
	case len(r.conditionals) == 0:
	case bytes.HasPrefix(word, []byte("el")):
		c := &r.conditionals[len(r.conditionals)-1]
		if c.depth != r.depth {
			if end := r.endif(); end > 0 {
				blank(r.text[start:end])
				blank(r.text[c.start:c.end])
				r.conditionals = r.conditionals[:len(r.conditionals)-1]
				r.at = end
				return
			}
		}
		if c.blank {
			blank(r.text[start:r.at])
		}
	case bytes.HasPrefix(word, []byte("endif")):
		if r.conditionals[len(r.conditionals)-1].blank {
			blank(r.text[start:r.at])
		}
		r.conditionals = r.conditionals[:len(r.conditionals)-1]
	}
}

// endif returns the end of the directive that ends the innermost conditional, or 0.
func (r *objcReader) endif() int {
	depth := 1
	for at := r.at; at < len(r.text) && r.budget > 0; {
		at = min(at+1, len(r.text))
		end := r.lineEnd(at)
		r.budget -= end - at + 1
		line := bytes.TrimLeft(r.text[at:end], " \t")
		if word, ok := bytes.CutPrefix(line, []byte("#")); ok {
			switch word = bytes.TrimLeft(word, " \t"); {
			case bytes.HasPrefix(word, []byte("if")):
				depth++
			case bytes.HasPrefix(word, []byte("endif")):
				if depth--; depth == 0 {
					return end
				}
			}
		}
		at = end
	}
	return 0
}

// section reads the word that begins or ends a class. It returns false at another word.
func (r *objcReader) section() bool {
	rest := r.text[r.at:]
	for _, word := range [...]string{"@implementation", "@interface", "@protocol", "@end"} {
		if !bytes.HasPrefix(rest, []byte(word)) || len(rest) > len(word) && isWord(rest[len(word)]) {
			continue
		}
		if word == "@protocol" && (r.depth > 0 || bytes.HasSuffix(bytes.TrimSpace(rest[:lineLength(rest)]), []byte(";")) || bytes.HasPrefix(bytes.TrimLeft(rest[len(word):], " "), []byte("("))) {
			return false // a declaration without members, or an expression
		}
		r.inClass, r.bodies, r.inHead, r.depth = word != "@end", word == "@implementation", false, 0
		r.at += len(word)
		r.externClass()
		return true
	}
	return false
}

// externClass makes the head of a class, "@interface A : B", of one with a macro: "@interface RCT_EXTERN_MODULE(A, B)".
func (r *objcReader) externClass() {
	start := r.blanks(r.at)
	open := start
	for open < len(r.text) && isWord(r.text[open]) {
		open++
	}
	if open == start || !isMacro(r.text[start:open]) || !r.is(open, '(') {
		return
	}
	if end := r.closing(open); end > 0 {
		blank(r.text[start : open+1])
		r.text[end-1] = ' '
		if comma := bytes.IndexByte(r.text[open:end], ','); comma >= 0 {
			r.text[open+comma] = ':'
		}
		r.at = end
	}
}

// lineLength returns the length of the first line of a text, at most maxQuoted.
func lineLength(text []byte) int {
	text = text[:min(len(text), maxQuoted)]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// isMethod reports whether the sign at the position begins a method: it is the first of a line, and outside of bodies or at the margin.
func (r *objcReader) isMethod() bool {
	rest := bytes.TrimLeft(r.text[r.at+1:], " \t")
	return len(rest) > 0 && (rest[0] == '(' || isWord(rest[0])) && (r.depth == 0 || r.at == 0 || r.text[r.at-1] == '\n')
}

// word reads a word, and blanks it if it is a macro outside of bodies.
func (r *objcReader) word(newLine bool) {
	start := r.at
	for r.at < len(r.text) && isWord(r.text[r.at]) {
		r.at++
	}
	name := r.text[start:r.at]
	switch string(name) {
	case "constexpr":
		copy(name, "const    ")
		return
	case "auto": // a type of C++, but a storage class of C
		copy(name, "id  ")
		return
	}
	if r.depth > 0 && string(name) == "for" {
		r.loop()
		return
	}
	if r.depth > 0 || !isMacro(name) {
		return
	}
	next := r.blanks(r.at)
	switch {
	case r.inHead:
		before := bytes.TrimRight(r.text[:start], " \t\r\n")
		if len(before) == start || len(before) == 0 || !isWord(before[len(before)-1]) || r.is(next, ':') {
			return
		}
		if r.is(next, '(') {
			next = r.closing(next)
		}
		if next > 0 {
			blank(r.text[start:max(next, r.at)])
			r.at = max(next, r.at)
		}
	case !newLine:
	case r.is(next, '('):
		r.macro(start, next)
	case r.inClass && (next >= len(r.text) || bytes.IndexByte(r.text[r.at:next], '\n') >= 0 || r.is(next, ';')):
		blank(r.text[start:r.at])
	case bytes.HasSuffix(name, []byte("_EXTERN")) || bytes.HasSuffix(name, []byte("_EXPORT")) || bytes.HasSuffix(name, []byte("_BEGIN")) || bytes.HasSuffix(name, []byte("_END")):
		blank(r.text[start:r.at])
	}
}

// loop makes a loop without a condition, "for (;; items)", of a loop over a range, "for (auto &x : items)".
func (r *objcReader) loop() {
	open := r.blanks(r.at)
	if !r.is(open, '(') {
		return
	}
	for at, depth := open+1, 1; at < min(len(r.text)-1, open+maxQuoted) && depth > 0 && r.budget > 0; at++ {
		r.budget--
		switch r.text[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ';', '?', '"', '\'', '^', '@':
			return
		case ':':
			if depth == 1 && at > open+2 {
				blank(r.text[open+1 : at+1])
				copy(r.text[open+1:], ";;")
				return
			}
		}
	}
}

// macro blanks a macro with arguments between the members of a class: "COLORS(a, b);". One with a body or for a method is a method.
func (r *objcReader) macro(start, open int) {
	end := r.closing(open)
	if !r.inClass || end == 0 {
		return
	}
	name, next := r.text[start:open], r.blanks(end)
	isMethod := r.is(next, '{') || !r.bodies && bytes.Contains(name, []byte("METHOD"))
	const head = "- (void)"
	if !isMethod || open+1-start < len(head) || !isWord(r.text[min(r.blanks(open+1), len(r.text)-1)]) {
		if r.is(next, '{') {
			return
		}
		if r.is(next, ';') {
			end = next + 1
		}
		blank(r.text[start:end])
		r.at = end
		return
	}
	isView := !bytes.Contains(name, []byte("METHOD"))
	blank(r.text[start : open+1])
	copy(r.text[start:], head)
	r.text[end-1] = ' '
	if isView { // the first argument is the name
		at := r.blanks(open + 1)
		for at < end && isWord(r.text[at]) {
			at++
		}
		blank(r.text[at:end])
	}
	if !r.is(next, '{') && !r.is(next, ';') {
		r.text[end-1] = ';'
	}
	r.inHead = true
	r.at = open + 1
}

// mark reads a byte that is no word.
func (r *objcReader) mark(c byte) {
	switch c {
	case '{', '(', '[':
		if c == '[' && r.depth > 0 && r.lambda() {
			return
		}
		if c == '{' {
			if r.depth > 0 && r.initializer() {
				return
			}
			r.inHead = false
		}
		r.depth++
	case '}', ')', ']':
		r.depth = max(r.depth-1, 0)
	case ';':
		if r.depth == 0 {
			r.inHead = false
		}
	case '<':
		if r.at > 0 && isWord(r.text[r.at-1]) && (r.depth > 0 || r.inHead) {
			r.templateArguments()
		}
	case '&':
		if r.inHead || r.isReference() {
			r.text[r.at] = ' '
		}
	}
	r.at++
}

// isReference reports whether an ampersand in a body belongs to a type: "const Props &props = …".
func (r *objcReader) isReference() bool {
	start := r.at
	for start > 0 && r.at-start < 2 && r.text[start-1] == '&' {
		start--
	}
	end := r.at + 1
	for end < len(r.text) && end-r.at < 3 && r.text[end] == '&' {
		end++
	}
	if start == 0 || end == len(r.text) || end-start > 2 || !isWord(r.text[end]) && r.text[end] != ' ' || (r.text[start-1] == ' ') == (r.text[end] == ' ') {
		return false
	}
	before := bytes.TrimRight(r.text[max(0, start-maxQuoted):start], " ")
	if len(before) == 0 || !isWord(before[len(before)-1]) && before[len(before)-1] != '>' {
		return false
	}
	word := len(before)
	for word > 0 && isWord(before[word-1]) {
		word--
	}
	switch string(before[word:]) {
	case "return", "case", "else", "in":
		return false
	}
	return true
}

// lambda makes a block of a lambda: "^ (int a) {" of "[&](int a) {". It returns false if the bracket does not begin one.
func (r *objcReader) lambda() bool {
	before := bytes.TrimRight(r.text[max(0, r.at-maxQuoted):r.at], " \t\r\n")
	if len(before) > 0 {
		if last := before[len(before)-1]; isWord(last) || last == ')' || last == ']' || last == '@' {
			return false
		}
	}
	captures := r.at + 1 // most brackets are messages, which no body follows
	for captures < min(len(r.text), r.at+maxCaptures) && (isWord(r.text[captures]) || bytes.IndexByte([]byte("&=,*. \n"), r.text[captures]) >= 0) {
		captures++
	}
	next := r.blanks(captures + 1)
	if !r.is(captures, ']') || next >= len(r.text) || bytes.IndexByte([]byte("({mn-"), r.text[next]) < 0 {
		return false
	}
	window := r.text[r.at:min(len(r.text), r.at+maxCaptures)]
	if r.lambdas++; r.lambdas > maxLambdas {
		return false
	}
	m := objcLambda.FindSubmatchIndex(window)
	if m == nil {
		return false
	}
	end := r.at + m[1] - 1 // of the body
	if m[2] < 0 {
		blank(r.text[r.at:end])
	} else {
		blank(r.text[r.at : r.at+m[2]])
		blank(r.text[r.at+m[3] : end])
		for at := r.at + m[2]; at < r.at+m[3]; at++ {
			if r.text[at] == '&' {
				r.text[at] = ' '
			}
		}
	}
	r.text[r.at] = '^'
	r.at = end
	return true
}

// templateArguments blanks the arguments of a template that is called: "make_shared<Props>()" and "static_cast<View *>(view)".
func (r *objcReader) templateArguments() {
	depth := 0
	for at := r.at; at < min(len(r.text)-1, r.at+maxQuoted) && r.budget > 0; at++ {
		r.budget--
		switch c := r.text[at]; {
		case c == '<':
			depth++
		case c == '>':
			if depth--; depth == 0 {
				if r.is(at+1, '(') {
					blank(r.text[r.at : at+1])
				}
				return
			}
		case !isWord(c) && c != ' ' && c != ',' && c != '*' && c != '&':
			return
		}
	}
}

// initializer reads a list of values behind a name, up to its closing bracket. It blanks that of a member, "int a{1};", and makes
// arguments of that of a type, "run(Size{1, {2, 3}})". It returns false at other brackets.
func (r *objcReader) initializer() bool {
	name := r.at
	for name > 0 && isWord(r.text[name-1]) {
		name--
	}
	if name == r.at {
		return false
	}
	end, depth := r.at, 0
	for ; end < min(len(r.text), r.at+maxQuoted) && r.budget > 0; end++ {
		r.budget--
		switch r.text[end] {
		case '{':
			depth++
		case '}':
			depth--
		case ';', '"', '\'', '#':
			return false
		}
		if depth == 0 {
			break
		}
	}
	if depth != 0 || end >= len(r.text) || r.text[end] != '}' {
		return false
	}
	before := bytes.TrimRight(r.text[max(0, name-maxQuoted):name], " \t\r\n")
	word := len(before)
	for word > 0 && isWord(before[word-1]) {
		word--
	}
	switch last := string(before[word:]); {
	case len(before) > 0 && bytes.IndexByte([]byte("=(,"), before[len(before)-1]) >= 0, last == "return":
		for at := r.at; at <= end; at++ {
			switch r.text[at] {
			case '{':
				r.text[at] = '('
			case '}':
				r.text[at] = ')'
			}
		}
	case last != "enum" && last != "class" && last != "struct" && last != "union" && r.is(r.blanks(end+1), ';'):
		blank(r.text[r.at : end+1])
	default:
		return false
	}
	r.at = end + 1
	return true
}

// isMacro reports whether a word is in upper case with an underscore.
func isMacro(word []byte) bool {
	for _, c := range word {
		if 'a' <= c && c <= 'z' {
			return false
		}
	}
	return bytes.IndexByte(word, '_') > 0 && word[0] >= 'A'
}

// is reports whether the text has a byte at an offset.
func (r *objcReader) is(at int, c byte) bool { return at < len(r.text) && r.text[at] == c }

// blanks returns the first offset that is not white space.
func (r *objcReader) blanks(at int) int {
	for at < len(r.text) && (r.text[at] == ' ' || r.text[at] == '\t' || r.text[at] == '\r' || r.text[at] == '\n') {
		at++
	}
	return at
}

// closing returns the offset behind the bracket that closes one, or 0.
func (r *objcReader) closing(open int) int {
	depth := 0
	for at := open; at < min(len(r.text), open+maxMasked) && r.budget > 0; at++ {
		r.budget--
		switch r.text[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			at += quoted(string(r.text[at:min(len(r.text), at+maxQuoted)]))
		}
	}
	return 0
}

package source

import (
	"bytes"
	"slices"
)

const (
	// maxRepair is the length of the longest text that is repaired.
	maxRepair = 2 << 20
	// maxRepairs is how many brackets may be missing: a text that lacks more is no code that a person has damaged.
	maxRepairs = 100
	// maxOpen is how many open brackets are looked at for the one that another closes.
	maxOpen = 1000
)

// repair is the change of a text that makes one of its brackets match, as its layout suggests.
type repair struct {
	at     int32 // where a bracket is put in, or the bracket that is blanked out
	cause  int32 // the bracket that has no partner
	insert byte  // 0: the bracket at the position is blanked out
}

// repairs finds the changes that make the brackets of a text match. It returns none for a text whose brackets match.
//
// Indentation decides where a bracket should have been closed: a line that is indented like the line of the bracket, and
// begins with no bracket itself, is a sibling of that line. Only lines whose own brackets do not match are looked at.
func (c *codeLines) repairs() []repair {
	if len(c.src) > maxRepair || balanced(c.brackets) {
		return nil
	}
	r := &repairer{codeLines: c}
	r.block(0, len(c.lines), 0)
	for len(r.open) > 0 && len(r.found) <= maxRepairs {
		r.unclosed(len(c.lines))
	}
	if len(r.found) > maxRepairs {
		return nil
	}
	slices.SortStableFunc(r.found, func(x, y repair) int {
		if x.at == y.at && (x.insert == 0) != (y.insert == 0) {
			if x.insert != 0 {
				return -1 // before the part that is blanked out
			}
			return 1
		}
		return int(x.at - y.at)
	})
	return r.found
}

// repairer finds the repairs of a text.
type repairer struct {
	*codeLines
	open  []openBracket
	found []repair
}

// openBracket is a bracket that is not closed yet.
type openBracket struct {
	bracket
	indent   int32 // of the statement that it stands in
	brace    int32 // the brace that ends its line, as that of a function with the parameters before it does; or -1
	braceEnd int32 // the bracket that closes that brace, or -1
	content  bool  // a line of its content was seen
	deeper   bool  // and was indented deeper than indent
}

// maxBlocks bounds the recursion into blocks.
const maxBlocks = 100

// block reads lines. It passes over groups of lines, by indentation, whose brackets match.
func (r *repairer) block(from, to, depth int) {
	if from >= to {
		return
	}
	least := r.lines[from].indent
	for i := from; i < to; i++ {
		if !r.closes(i) && !r.isLabel(i) {
			least = min(least, r.lines[i].indent)
		}
	}
	for i := from; i < to && len(r.found) <= maxRepairs; {
		end := i + 1
		for end < to && (r.lines[end].indent > least || r.attached(end) || r.lines[end].indent < least) {
			end++
		}
		r.group(i, end, depth)
		i = end
	}
}

// attached says that a line goes on with the group of lines before it.
func (r *repairer) attached(line int) bool {
	b := r.src[r.lines[line].start]
	return b == '}' || b == ')' || b == ']' || b == '{'
}

// closes says that a line begins with a closing bracket.
func (r *repairer) closes(line int) bool { return opening(r.src[r.lines[line].start]) != 0 }

// isLabel says that a line may be indented less than others: case x:, public:, done:.
func (r *repairer) isLabel(line int) bool {
	if r.words.offside {
		return false
	}
	switch r.word(line) {
	case "case", "default", "public", "private", "protected":
		return r.src[r.lines[line].end-1] == ':'
	}
	l := r.lines[line]
	name := l.start
	for name < l.end && isWordByte(r.src[name]) {
		name++
	}
	return name > l.start && name+1 == l.end && r.src[name] == ':'
}

// group reads a line, the lines that are indented deeper, and the closing brackets behind them.
func (r *repairer) group(from, to, depth int) {
	if to > from+1 && balanced(r.bracketsOf(from, to)) {
		r.arrive(from)
		return
	}
	r.line(from)
	for i := from + 1; i < to; {
		if r.lines[i].indent <= r.lines[from].indent || depth == maxBlocks {
			r.line(i)
			i++
			continue
		}
		end := i + 1
		for end < to && r.lines[end].indent > r.lines[from].indent {
			end++
		}
		r.block(i, end, depth+1)
		i = end
	}
}

// line matches the brackets of one line.
func (r *repairer) line(i int) {
	r.arrive(i)
	l := &r.lines[i]
	indent := l.indent
	brackets := r.bracketsOf(i, i+1)
	for n, b := range brackets {
		if opening(b.kind) == 0 {
			if b.kind == '{' && b.at+1 == l.end && len(r.open) > 0 {
				if top := &r.open[len(r.open)-1]; top.kind != '{' && top.brace < 0 {
					top.brace = b.at
				}
			}
			r.open = append(r.open, openBracket{bracket: b, indent: indent, brace: -1, braceEnd: -1})
			continue
		}
		if closed, ok := r.close(b, brackets[n:]); ok {
			indent = closed.indent
		}
	}
}

// arrive notes that a line begins: brackets that it cannot lie in are not closed.
func (r *repairer) arrive(i int) {
	if r.closes(i) || r.isLabel(i) {
		return
	}
	l := &r.lines[i]
	for n := len(r.open); n > 0; n-- {
		top := &r.open[n-1]
		if int(top.line) == i || !r.outside(i, top) {
			if !top.content && int(top.line) != i {
				top.content, top.deeper = true, l.indent > top.indent
			}
			return
		}
		r.unclosed(i)
	}
}

// outside says that a line cannot lie in a bracket.
func (r *repairer) outside(i int, b *openBracket) bool {
	l := &r.lines[i]
	switch {
	case r.words.offside:
		return l.indent <= b.indent && !r.continues(i) || r.begins(i)
	case l.indent < b.indent:
		return true
	case l.indent > b.indent:
		return false
	case b.kind == '{' && b.at+1 == r.lines[b.line].end:
		return b.deeper
	}
	return !r.continues(i)
}

// begins says that a line of Python begins with a word that no expression holds.
func (r *repairer) begins(i int) bool {
	switch r.word(i) {
	case "def", "class", "return", "import", "raise", "while", "with", "try", "pass", "break", "continue", "assert", "del", "global", "elif", "except", "finally":
		return true
	}
	return false
}

// continues says that a line goes on with an expression of the line before it.
func (r *repairer) continues(i int) bool {
	if i == 0 {
		return false
	}
	if bytes.IndexByte([]byte(",([{+-*/%&|^<>?:.=!~\\"), r.src[r.lines[i-1].end-1]) >= 0 {
		return true
	}
	return bytes.IndexByte([]byte(",.?:+-*/%&|^<>=!"), r.src[r.lines[i].start]) >= 0
}

// put notes a bracket that is missing.
func (r *repairer) put(at int32, cause int32, kind byte) {
	r.found = append(r.found, repair{at: at, cause: cause, insert: kind})
}

// unclosed takes the innermost bracket off: it should have been closed before a line.
func (r *repairer) unclosed(before int) {
	top := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	at := r.lines[max(before-1, 0)].end
	if before <= int(top.line) {
		at = r.lines[top.line].end
	}
	if top.kind != '{' {
		own := &r.lines[top.line]
		switch receiver := r.receiver(top.at, own); {
		case receiver > 0:
			at = receiver
		case r.words.offside && r.src[own.end-1] == ':' && own.end-1 > top.at:
			at = own.end - 1
		case r.words.offside:
			if next := int(top.line) + 1; next < len(r.lines) && r.lines[next].indent <= own.indent {
				at = own.end
			}
		case r.lang == Ruby && r.word(int(top.line)) == "def":
			at = own.end
		case top.brace >= 0 && !r.isCallback(top):
			at = r.result(top.at, top.brace)
		case top.brace >= 0 && top.braceEnd >= 0:
			at = top.braceEnd + 1
		case r.src[at-1] == ';' && at-1 > top.at:
			at--
		case at == own.end:
			at = r.result(top.at, at)
		}
	}
	r.put(at, top.at, closing(top.kind))
}

// isCallback says that the brace at the end of a line is that of a function among arguments.
func (r *repairer) isCallback(b openBracket) bool {
	if b.braceEnd >= 0 && int(b.braceEnd)+1 < len(r.src) {
		if next := r.src[b.braceEnd+1]; next == ';' || next == ',' || next == ')' {
			return true
		}
	}
	between := bytes.TrimSpace(r.src[b.at+1 : b.brace])
	return bytes.HasSuffix(between, []byte("=>")) || bytes.HasPrefix(between, []byte("func")) || bytes.Contains(between, []byte(" func")) || len(between) == 0
}

// close matches the first of the closing brackets that are left in a line; ok is false if it closes nothing.
func (r *repairer) close(b bracket, rest []bracket) (closed openBracket, ok bool) {
	l := &r.lines[b.line]
	want := opening(b.kind)
	n := len(r.open)
	if b.at == l.start {
		for i := n - 1; i >= max(0, n-maxOpen) && r.open[i].indent >= l.indent; i-- {
			if r.open[i].kind == want && r.open[i].indent == l.indent && r.named(b, &r.open[i]) {
				for len(r.open) > i+1 {
					r.unclosed(int(b.line))
				}
				return r.pop(b), true
			}
		}
		switch {
		case n > 0 && r.open[n-1].kind == want && (want != '{' || r.open[n-1].indent >= l.indent):
			return r.pop(b), true
		case !r.reopen(b):
			r.found = append(r.found, repair{at: b.at, cause: b.at})
		}
		return openBracket{}, false
	}
	if n > 0 && r.open[n-1].kind == want {
		if top := &r.open[n-1]; want == '{' && top.line != b.line && top.indent < l.indent && !r.words.offside {
			r.found = append(r.found, repair{at: b.at, cause: b.at})
			return openBracket{}, false
		}
		return r.pop(b), true
	}
	// A bracket of the same line that is not closed before it.
	for i := n - 1; i >= max(0, n-maxOpen) && (r.open[i].line == b.line || r.open[i].kind != '{'); i-- {
		if r.open[i].kind != want {
			continue
		}
		for len(r.open) > i+1 {
			top := r.open[len(r.open)-1]
			r.open = r.open[:len(r.open)-1]
			r.put(b.at, top.at, closing(top.kind))
		}
		return r.pop(b), true
	}
	if b.kind != ')' || !r.parameters(b) {
		r.found = append(r.found, repair{at: b.at, cause: b.at})
	}
	return openBracket{}, false
}

// pop takes the innermost bracket off that another one closes.
func (r *repairer) pop(b bracket) openBracket {
	top := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if n := len(r.open); n > 0 && r.open[n-1].brace == top.at {
		r.open[n-1].braceEnd = b.at
	}
	return top
}

// reopen puts the bracket in that a closing one at the beginning of a line lacks: behind the line before it that is
// indented alike, with deeper lines between the two.
func (r *repairer) reopen(b bracket) bool {
	l := &r.lines[b.line]
	for i := int(b.line) - 1; i >= 0; i-- {
		head := &r.lines[i]
		if head.indent > l.indent {
			continue
		}
		if head.indent < l.indent || i == int(b.line)-1 || r.src[head.end-1] == ';' || r.src[head.end-1] == '{' {
			return false
		}
		r.put(head.end, b.at, opening(b.kind))
		return true
	}
	return false
}

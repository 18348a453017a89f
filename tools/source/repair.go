package source

import (
	"bytes"
	"slices"
)

const (
	// maxRepair is the maximum length in bytes of a text that is repaired.
	maxRepair = 2 << 20
	// maxRepairs is the maximum number of repairs. A text that needs more is left unchanged.
	maxRepairs = 100
	// maxOpen is the number of open brackets that are searched for the partner of a closing one.
	maxOpen = 1000
)

// repair is a change of one bracket, derived from the indentation, that makes a bracket match.
type repair struct {
	at     int32 // the offset of the inserted or blanked bracket
	cause  int32 // the offset of the bracket without a partner
	insert byte  // the inserted bracket; 0 blanks the byte at the offset
}

// repairs returns the changes that make the quotes and brackets of a text match, sorted by offset. It
// returns nil if they match already.
//
// Indentation decides where a bracket should have been closed. A line with the same indentation as
// the line of the bracket is its sibling, unless it begins with a bracket. Groups of lines whose
// own brackets match are not examined.
func (c *codeLines) repairs() []repair {
	if len(c.src) > maxRepair || balanced(c.brackets) {
		return c.quotes
	}
	r := &repairer{codeLines: c, found: slices.Clone(c.quotes)}
	r.block(0, len(c.lines), 0)
	for len(r.open) > 0 && len(r.found) <= maxRepairs {
		r.closeInnermost(len(c.lines))
	}
	if len(r.found) > maxRepairs {
		return nil
	}
	slices.SortStableFunc(r.found, func(x, y repair) int {
		if x.at == y.at && (x.insert == 0) != (y.insert == 0) {
			if x.insert != 0 {
				return -1 // an insertion precedes the blanked byte
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
	indent   int32 // of the statement around it, in columns
	brace    int32 // the offset of a brace at the end of its line, as in a function head, or -1
	braceEnd int32 // the offset of the bracket that closes that brace, or -1
	content  bool  // a line after the bracket was read
	deeper   bool  // that line is indented deeper than indent
}

// maxBlocks is the maximum depth of nested blocks.
const maxBlocks = 100

// block reads the code lines from to to-1. It skips groups of lines, formed by indentation, whose
// brackets match.
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

// attached reports whether a line begins with a bracket and so belongs to the group of lines before
// it.
func (r *repairer) attached(line int) bool {
	b := r.src[r.lines[line].start]
	return b == '}' || b == ')' || b == ']' || b == '{'
}

// closes reports whether a line begins with a closing bracket.
func (r *repairer) closes(line int) bool { return opening(r.src[r.lines[line].start]) != 0 }

// isLabel reports whether a line is a label, which may be indented less than its neighbours: "case
// x:", "public:", "done:".
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

// group reads a line, the deeper lines after it, and their closing brackets.
func (r *repairer) group(from, to, depth int) {
	if to > from+1 && balanced(r.bracketsOf(from, to)) {
		r.enterLine(from)
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
	r.enterLine(i)
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

// enterLine closes the open brackets that cannot contain line i.
func (r *repairer) enterLine(i int) {
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
		r.closeInnermost(i)
	}
}

// outside reports whether line i cannot lie in a bracket, by its indentation.
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

// begins reports whether a line of Python begins with a keyword that occurs in no expression.
func (r *repairer) begins(i int) bool {
	switch r.word(i) {
	case "def", "class", "return", "import", "raise", "while", "with", "try", "pass", "break", "continue", "assert", "del", "global", "elif", "except", "finally":
		return true
	}
	return false
}

// continues reports whether a line continues an expression of the line before it.
func (r *repairer) continues(i int) bool {
	if i == 0 {
		return false
	}
	if bytes.IndexByte([]byte(",([{+-*/%&|^<>?:.=!~\\"), r.src[r.lines[i-1].end-1]) >= 0 {
		return true
	}
	return bytes.IndexByte([]byte(",.?:+-*/%&|^<>=!"), r.src[r.lines[i].start]) >= 0
}

// insert adds a repair that inserts a missing bracket.
func (r *repairer) insert(at int32, cause int32, kind byte) {
	r.found = append(r.found, repair{at: at, cause: cause, insert: kind})
}

// closeInnermost removes the innermost open bracket, which should have been closed before a line,
// and inserts its partner.
func (r *repairer) closeInnermost(before int) {
	top := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	at := r.lines[max(before-1, 0)].end
	if before <= int(top.line) {
		at = r.lines[top.line].end
	}
	if top.kind != '{' {
		own := &r.lines[top.line]
		switch receiver := r.receiverEnd(top.at, own); {
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
			at = r.resultStart(top.at, top.brace)
		case top.brace >= 0 && top.braceEnd >= 0:
			at = top.braceEnd + 1
		case r.src[at-1] == ';' && at-1 > top.at:
			at--
		case at == own.end:
			at = r.resultStart(top.at, at)
		}
	}
	r.insert(at, top.at, closing(top.kind))
}

// isCallback reports whether the brace at the end of a line belongs to a function among arguments.
func (r *repairer) isCallback(b openBracket) bool {
	if b.braceEnd >= 0 && int(b.braceEnd)+1 < len(r.src) {
		if next := r.src[b.braceEnd+1]; next == ';' || next == ',' || next == ')' {
			return true
		}
	}
	between := bytes.TrimSpace(r.src[b.at+1 : b.brace])
	return bytes.HasSuffix(between, []byte("=>")) || bytes.HasPrefix(between, []byte("func")) || bytes.Contains(between, []byte(" func")) || len(between) == 0
}

// close matches the closing bracket b with an open one. rest are b and the brackets after it in the
// line. ok is false if b has no partner.
func (r *repairer) close(b bracket, rest []bracket) (closed openBracket, ok bool) {
	l := &r.lines[b.line]
	want := opening(b.kind)
	n := len(r.open)
	if b.at == l.start {
		for i := n - 1; i >= max(0, n-maxOpen) && r.open[i].indent >= l.indent; i-- {
			if r.open[i].kind == want && r.open[i].indent == l.indent && r.matchesComment(b, &r.open[i]) {
				for len(r.open) > i+1 {
					r.closeInnermost(int(b.line))
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
	// Search the open brackets of the same line.
	for i := n - 1; i >= max(0, n-maxOpen) && (r.open[i].line == b.line || r.open[i].kind != '{'); i-- {
		if r.open[i].kind != want {
			continue
		}
		for len(r.open) > i+1 {
			top := r.open[len(r.open)-1]
			r.open = r.open[:len(r.open)-1]
			r.insert(b.at, top.at, closing(top.kind))
		}
		return r.pop(b), true
	}
	if b.kind != ')' || !r.insertParameters(b) {
		r.found = append(r.found, repair{at: b.at, cause: b.at})
	}
	return openBracket{}, false
}

// pop removes the innermost open bracket, which b closes.
func (r *repairer) pop(b bracket) openBracket {
	top := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if n := len(r.open); n > 0 && r.open[n-1].brace == top.at {
		r.open[n-1].braceEnd = b.at
	}
	return top
}

// reopen inserts the missing opening bracket of b, a closing bracket at the beginning of a line. It
// goes after the previous line with the same indentation, if deeper lines separate the two. It
// returns false if there is no such line.
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
		r.insert(head.end, b.at, opening(b.kind))
		return true
	}
	return false
}

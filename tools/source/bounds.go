package source

// CheckBounds returns a problem if a chunk may begin or end elsewhere than its offsets indicate.
// Reasons are a bracket or quote in it without a partner, or lines in it that look like
// declarations beside it. It returns nil if the bounds are certain.
//
// For a File without Problems it searches only for damage that grammars accept. Examples are a
// missing bracket that an extra bracket in another function balances, and a here-document that ends
// at a later one.
func (f *File) CheckBounds(src []byte, chunk int) (found *Problem) {
	c := &f.Chunks[chunk]
	code, ok := readCodeLines(src, f.Language, len(f.Problems) > 0)
	if !ok {
		return f.problemIn(c)
	}
	s := &span{codeLines: code, chunk: c, first: code.lineAt(c.Decl), last: code.lineAt(max(c.End-1, c.Decl))}
	if s.first < 0 {
		return f.problemIn(c)
	}
	if p := s.findOutdentedDeclaration(); p != nil {
		return p
	}
	if p := s.findMergedHeredocs(); p != nil {
		return p
	}
	if p := s.findForeignBody(); p != nil {
		return p
	}
	if s.words.offside { // scanners do not parse words within statements
		if p := s.findJoinedDeclaration(); p != nil {
			return p
		}
	}
	if len(f.Problems) == 0 {
		return nil
	}
	repairs := code.repairs()
	if p := s.findRepair(repairs); p != nil {
		return p
	}
	if p := s.findOpenBlock(repairs); p != nil {
		return p
	}
	if p := s.checkHead(); p != nil {
		return p
	}
	if p := s.findSibling(); p != nil {
		return p
	}
	if p := s.findSwallowedText(); p != nil {
		return p
	}
	if p := s.findJoinedDeclaration(); p != nil {
		return p
	}
	if p := s.findContinuation(); p != nil {
		return p
	}
	if p := f.problemIn(c); p != nil && !s.isClosed() {
		return p
	}
	return nil
}

// problemIn returns the first problem within a chunk, or nil.
func (f *File) problemIn(c *Chunk) *Problem {
	for i := range f.Problems {
		if p := &f.Problems[i]; c.StartLine <= p.Line && p.Line <= c.EndLine {
			return p
		}
	}
	return nil
}

// span is a chunk with its code lines.
type span struct {
	*codeLines
	chunk       *Chunk
	first, last int // the indices of its code lines
}

// problem returns a Problem at an offset.
func (s *span) problem(at int32, message string) *Problem {
	var lines lineIndex
	lines.reset(s.src)
	return &Problem{Line: lines.line(at), Message: message}
}

// findRepair returns a problem for the first repair on which the bounds of the chunk depend, or
// nil.
func (s *span) findRepair(repairs []repair) *Problem {
	c := s.chunk
	for i, r := range repairs {
		cause := c.Start <= r.cause && r.cause < c.End
		within := c.Start <= r.at && r.at < c.End
		inHead := s.lineAt(r.at) == s.first && (c.Body == 0 || r.at <= c.Body)
		if !cause && !within && !inHead {
			continue
		}
		if cause && !inHead && c.Body > 0 && c.Body < r.cause && c.Body < r.at && r.at < c.End && s.isClosed() {
			continue // strictly in its body
		}
		p := repairProblems(s.text, repairs[i:i+1])[0]
		return &p
	}
	return nil
}

// findOpenBlock handles a chunk that only closing brackets follow: one of them may belong to the
// chunk. It returns a problem for an unclosed brace before the chunk with the indentation of the
// chunk, or nil.
func (s *span) findOpenBlock(repairs []repair) *Problem {
	for i := s.last + 1; i < len(s.lines); i++ {
		if s.lines[i].start >= s.chunk.End && opening(s.src[s.lines[i].start]) == 0 {
			return nil
		}
	}
	for i, r := range repairs {
		if r.insert != '}' || r.cause >= s.chunk.Start || r.at < s.chunk.End {
			continue
		}
		if line := s.lineAt(r.cause); line >= 0 && s.lines[line].indent == s.lines[s.first].indent {
			p := repairProblems(s.text, repairs[i:i+1])[0]
			return &p
		}
	}
	return nil
}

// maxHeadLines is the maximum number of lines of the modifiers and the result type before a name.
const maxHeadLines = 3

// checkHead returns a problem if the name is more than maxHeadLines after the beginning of the
// declaration. The same holds for a declaration that begins with the Ruby word "end", which a
// grammar can take for a modifier.
func (s *span) checkHead() *Problem {
	sig, ident := s.lineAt(s.chunk.Sig), s.lineAt(s.chunk.Ident)
	if ident-sig > maxHeadLines {
		return s.problem(s.chunk.Ident, "this name is far from where its declaration begins")
	}
	if s.lang == Ruby && sig >= 0 && s.word(sig) == "end" {
		return s.problem(s.chunk.Sig, "the declaration begins with the end of a block")
	}
	return nil
}

// isClosed reports whether the layout shows the end of the chunk: the closing bracket of its body
// in a line with its own indentation, or the last line with deeper indentation.
func (s *span) isClosed() bool {
	if s.words.offside {
		return true
	}
	last, end := &s.lines[s.last], s.chunk.End-1
	if s.last == s.first || end < 0 {
		return false
	}
	head := s.lines[s.first].indent
	switch {
	case s.lang == Ruby && s.word(s.last) == "end":
		return last.indent == head
	case last.indent != head || opening(s.src[last.start]) == 0:
		return false
	}
	for i := s.first; i < s.last; i++ {
		if s.lines[i].start < s.chunk.Body && s.lines[i].indent < head {
			return false
		}
	}
	return true
}

// maxOutdented is the maximum number of lines of arguments in a function without indentation.
const maxOutdented = 100

// findSibling returns a problem for a line in the body with no more indentation than the chunk,
// unless its first word or character continues the chunk.
func (s *span) findSibling() *Problem {
	c := s.chunk
	head := s.lines[s.first].indent
	from := s.first + 1
	if c.Body > 0 {
		from = max(from, s.lineAt(c.Body)+1)
	} else {
		from = max(from, s.lineAt(c.Ident)+1)
	}
	if s.words.offside {
		from = max(s.lineAt(c.Ident), s.lineAt(c.Body-1)) + 1
	}
	outdented := 0
	for i := from; i <= s.last; i++ {
		l := &s.lines[i]
		if l.indent > head || l.start >= c.End {
			continue
		}
		switch b := s.src[l.start]; {
		case l.indent < head:
		case opening(b) != 0, b == '{', b == '.', b == '#', b == '<', b == '?', b == ':', b == '|', b == '&':
			continue
		}
		if l.indent == head && continuesStatement(s.word(i)) {
			continue
		}
		if outdented++; s.isOutdentedLabel(i) || outdented <= maxOutdented && s.inBrackets(i) {
			continue
		}

		return s.problem(l.start, "this line may not belong to the function: "+s.quote(l.start, l.end))
	}
	return nil
}

// continuesStatement reports whether a word at the beginning of a line continues the statement
// before it.
func continuesStatement(word string) bool {
	switch word {
	case "case", "default", "else", "elif", "elsif", "catch", "finally", "end", "rescue", "ensure", "when", "in", "where", "except":
		return true
	}
	return false
}

// isOutdentedLabel reports whether a line is a label: one word and a colon.
func (s *span) isOutdentedLabel(line int) bool {
	l := &s.lines[line]
	return s.src[l.end-1] == ':' && len(s.word(line)) == int(l.end-1-l.start)
}

// inBrackets reports whether a line lies in parentheses of the chunk that are closed within the
// chunk, such as arguments without indentation.
func (s *span) inBrackets(line int) bool {
	depth := 0
	for _, b := range s.bracketsOf(s.first, line) {
		switch b.kind {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
	}
	return depth > 0 && balanced(s.bracketsOf(s.first, s.last+1))
}

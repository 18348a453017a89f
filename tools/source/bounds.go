package source

// Uncertain says why a chunk may begin or end elsewhere than its positions say: a bracket or quote in it has no partner,
// or it contains lines that look like declarations beside it. Found is nil if the bounds of the chunk are certain.
//
// A File without Problems is asked only for damage that grammars accept: a bracket that is missing in one function and
// one too many in another, and a here-document that ends with a later one.
func (f *File) Uncertain(src []byte, chunk int) (found *Problem) {
	c := &f.Chunks[chunk]
	code, ok := readCodeLines(src, f.Language)
	if !ok {
		return f.problemIn(c)
	}
	s := &span{codeLines: code, chunk: c, first: code.lineAt(c.Decl), last: code.lineAt(max(c.End-1, c.Decl))}
	if s.first < 0 {
		return f.problemIn(c)
	}
	if p := s.aside(); p != nil {
		return p
	}
	if p := s.mergedHeredocs(); p != nil {
		return p
	}
	if p := s.otherBody(); p != nil {
		return p
	}
	if s.words.offside { // scanners read no words within statements
		if p := s.joined(); p != nil {
			return p
		}
	}
	if len(f.Problems) == 0 {
		return nil
	}
	repairs := code.repairs()
	if p := s.damage(repairs); p != nil {
		return p
	}
	if p := s.lastOfBlock(repairs); p != nil {
		return p
	}
	if p := s.head(); p != nil {
		return p
	}
	if p := s.sibling(); p != nil {
		return p
	}
	if p := s.swallowed(); p != nil {
		return p
	}
	if p := s.joined(); p != nil {
		return p
	}
	if p := s.continued(); p != nil {
		return p
	}
	if p := f.problemIn(c); p != nil && !s.closed() {
		return p
	}
	return nil
}

// problemIn is the first problem within a chunk, or nil.
func (f *File) problemIn(c *Chunk) *Problem {
	for i := range f.Problems {
		if p := &f.Problems[i]; c.StartLine <= p.Line && p.Line <= c.EndLine {
			return p
		}
	}
	return nil
}

// span is a chunk over the lines of a text.
type span struct {
	*codeLines
	chunk       *Chunk
	first, last int // its lines
}

func (s *span) problem(at int32, message string) *Problem {
	var lines lineIndex
	lines.index(s.src)
	return &Problem{Line: lines.at(at), Message: message}
}

// damage is a repair on which the bounds of the chunk depend.
func (s *span) damage(repairs []repair) *Problem {
	c := s.chunk
	for i, r := range repairs {
		cause := c.Start <= r.cause && r.cause < c.End
		within := c.Start <= r.at && r.at < c.End
		inHead := s.lineAt(r.at) == s.first && (c.Body == 0 || r.at <= c.Body)
		if !cause && !within && !inHead {
			continue
		}
		if cause && !inHead && c.Body > 0 && c.Body < r.cause && c.Body < r.at && r.at < c.End && s.closed() {
			continue // strictly in its body
		}
		p := repairProblems(s.src, repairs[i:i+1])[0]
		return &p
	}
	return nil
}

// lastOfBlock is a brace that is closed nowhere and indented as the chunk, if only closing brackets follow the chunk: one
// of them may be that of the chunk.
func (s *span) lastOfBlock(repairs []repair) *Problem {
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
			p := repairProblems(s.src, repairs[i:i+1])[0]
			return &p
		}
	}
	return nil
}

// maxHeadLines is how many lines the modifiers of a declaration and the type of its result may have.
const maxHeadLines = 3

// head is a gap between the begin of a declaration and its name that is larger than modifiers make it, or the end of a block that a
// grammar takes for a modifier.
func (s *span) head() *Problem {
	sig, ident := s.lineAt(s.chunk.Sig), s.lineAt(s.chunk.Ident)
	if ident-sig > maxHeadLines {
		return s.problem(s.chunk.Ident, "this name is far from where its declaration begins")
	}
	if s.lang == Ruby && sig >= 0 && s.word(sig) == "end" {
		return s.problem(s.chunk.Sig, "the declaration begins with the end of a block")
	}
	return nil
}

// closed says that the layout shows where the chunk ends: with the bracket that closes its body, in a line indented
// as its own, or with the last line that is indented deeper.
func (s *span) closed() bool {
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

// maxOutdented is how many lines of a function may go on with arguments at the left edge.
const maxOutdented = 100

// sibling finds a line in the body that is indented no deeper than the chunk and begins with nothing that continues it.
func (s *span) sibling() *Problem {
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
		if l.indent == head && goesOn(s.word(i)) {
			continue
		}
		if outdented++; s.isOutdentedLabel(i) || outdented <= maxOutdented && s.inBrackets(i) {
			continue
		}

		return s.problem(l.start, "this line may not belong to the function: "+s.quote(l.start, l.end))
	}
	return nil
}

// goesOn says that a line that begins with a word goes on with the statement before it.
func goesOn(word string) bool {
	switch word {
	case "case", "default", "else", "elif", "elsif", "catch", "finally", "end", "rescue", "ensure", "when", "in", "where", "except":
		return true
	}
	return false
}

// isOutdentedLabel says that a line is a label.
func (s *span) isOutdentedLabel(line int) bool {
	l := &s.lines[line]
	return s.src[l.end-1] == ':' && len(s.word(line)) == int(l.end-1-l.start)
}

// inBrackets says that a line lies in parentheses of the chunk that are closed within it, as arguments at the left edge
// do.
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

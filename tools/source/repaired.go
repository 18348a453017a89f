package source

import "bytes"

// applyRepairs returns a copy of a text with the repairs made.
func applyRepairs(src []byte, repairs []repair) []byte {
	changed := make([]byte, 0, len(src)+len(repairs))
	at := int32(0)
	for _, r := range repairs {
		changed = append(changed, src[at:r.at]...)
		at = r.at
		if r.insert != 0 {
			changed = append(changed, r.insert)
		} else {
			changed = append(changed, ' ')
			at++
		}
	}
	return append(changed, src[at:]...)
}

// blankRepaired overwrites with blanks the repaired lines whose brackets match. It returns false if
// there are none.
func (c *codeLines) blankRepaired(repaired []byte, repairs []repair) bool {
	blanked := false
	shift := 0 // bytes inserted before the line
	next := 0
	for i := range c.lines {
		from, to := int(c.lines[i].start), int(c.lines[i].end)
		begin, first := from+shift, next
		for ; next < len(repairs) && int(repairs[next].at) <= to; next++ {
			if repairs[next].insert != 0 {
				shift++
			}
		}
		line := repaired[begin : to+shift]
		if first == next || bytes.IndexByte(line, '\n') >= 0 || !balancedText(line) {
			continue
		}
		blanked = true
		for at := range line {
			line[at] = ' '
		}
	}
	return blanked
}

// balancedText reports whether all brackets of a line match, including those in strings.
func balancedText(line []byte) bool {
	var brackets []bracket
	for _, b := range line {
		if bytes.IndexByte([]byte("()[]{}"), b) >= 0 {
			brackets = append(brackets, bracket{kind: b})
		}
	}
	return balanced(brackets)
}

// originalOffset converts an offset of the repaired text to an offset of the original text.
func originalOffset(repairs []repair, at int32) int32 {
	inserted := int32(0)
	for _, r := range repairs {
		if r.insert == 0 {
			continue
		}
		if r.at+inserted >= at {
			break
		}
		inserted++
	}
	return at - inserted
}

// restoreOffsets converts the offsets of a File of the repaired text to offsets of the original
// text src. A chunk that ends with an inserted character ends before it, and before the blanks there.
func (f *File) restoreOffsets(src []byte, repairs []repair) {
	var lines lineIndex
	lines.reset(src)
	for i := range f.Chunks {
		c := &f.Chunks[i]
		for _, at := range []*int32{&c.Start, &c.Doc, &c.DocEnd, &c.Decl, &c.Sig, &c.Ident, &c.Body, &c.End} {
			*at = originalOffset(repairs, *at)
		}
		for c.End > c.Ident+1 && c.End > c.Body+1 && bytes.IndexByte([]byte(" \t\r\n"), src[c.End-1]) >= 0 {
			c.End--
		}
		c.EndLine = lines.line(max(c.End-1, c.Decl))
	}
}

// repairProblems returns a Problem for each bracket without a partner, at most MaxProblems.
func repairProblems(src []byte, repairs []repair) []Problem {
	var problems []Problem
	var lines lineIndex
	lines.reset(src)
	for _, r := range repairs[:min(len(repairs), MaxProblems)] {
		message := "the bracket " + string(src[r.cause:r.cause+1]) + " is not closed"
		if b := src[r.cause]; b == '"' || b == '\'' || b == '`' {
			message = "the quote " + string(b) + " is not closed or closes nothing"
		} else if opening(b) != 0 {
			message = "the bracket " + string(src[r.cause:r.cause+1]) + " closes nothing"
		}
		problems = append(problems, Problem{Line: lines.line(r.cause), Message: message})
	}
	return problems
}

package document

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// reach is the text of a declaration with the comments right in front of it, and
// with what ends its last line.
func (c *coder) reach(i int) index.Span {
	floor := c.floor(i)
	return index.Span{Start: c.begin(indented(c.text, c.chunks[i].Start, floor), floor), End: c.end(i)}
}

// begin is where the lines in front of a declaration begin that belong to it.
func (c *coder) begin(start, floor int32) int32 {
	for start > floor {
		line := c.lineBefore(start, floor)
		if line == start || !c.leads(c.text[line:start-1]) {
			break
		}
		start = line
	}
	return start
}

// floor is where what stands before a declaration ends.
func (c *coder) floor(i int) int32 {
	parent, j := c.chunks[i].Parent, int32(i-1)
	for j >= 0 && j != parent && c.chunks[j].Parent != parent {
		j = c.chunks[j].Parent
	}
	floor := int32(0)
	switch {
	case j >= 0 && j != parent:
		floor = c.chunks[j].End
	case parent >= 0:
		floor = max(c.chunks[parent].Body, c.chunks[parent].Ident)
	}
	return min(floor, c.chunks[i].Start)
}

// indented is where the line of a place begins if only blanks are before it there, and
// otherwise the place.
func indented(text []byte, at, floor int32) int32 {
	for start := at; start > floor; start-- {
		if b := text[start-1]; b == '\n' {
			return start
		} else if b != ' ' && b != '\t' && b != '\r' {
			return at
		}
	}
	if floor == 0 {
		return 0
	}
	return at
}

// leads says that a line belongs to the declaration below it.
func (c *coder) leads(line []byte) bool {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return false
	case isComment(line, c.lang), bytes.Equal(line, []byte("*")), bytes.HasPrefix(line, []byte("* ")), bytes.HasSuffix(line, []byte("*/")):
		return true
	case c.lang != source.Go:
		return false
	}
	return bytes.Equal(line, []byte("const (")) || bytes.Equal(line, []byte("var (")) || bytes.Equal(line, []byte("type ("))
}

// isComment says that a line begins with the mark of a comment.
func isComment(line []byte, lang source.Language) bool {
	if lang == source.Python || lang == source.Ruby {
		return bytes.HasPrefix(line, []byte("#"))
	}
	return bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("/*")) || lang == source.PHP && bytes.HasPrefix(line, []byte("# "))
}

// end is where the last line of a declaration ends, if no more than a comment
// follows in it.
func (c *coder) end(i int) int32 {
	end := c.chunks[i].End
	line := c.text[end:]
	if feed := bytes.IndexByte(line, '\n'); feed >= 0 {
		line = line[:feed]
	}
	if rest := bytes.TrimLeft(line, " \t;,"); hasWords(rest) && !isComment(rest, c.lang) {
		return end
	}
	next := c.after(i)
	if next < len(c.chunks) && c.chunks[next].Start < end+int32(len(line)) {
		return end
	}
	return end + int32(len(line))
}

// after is the number of the first declaration behind another one.
func (c *coder) after(i int) int {
	end := c.chunks[i].End
	for i++; i < len(c.chunks) && c.chunks[i].Decl < end; i++ {
	}
	return i
}

// commentOf is a span without what is no comment at its end: the opening of a group.
func commentOf(text []byte, s index.Span) index.Span {
	part := bytes.TrimRight(text[s.Start:s.End], " \t\r\n")
	if bytes.HasSuffix(part, []byte("(")) {
		part = part[:bytes.LastIndexByte(part, '\n')+1]
	}
	s.End = s.Start + int32(len(bytes.TrimRight(part, " \t\r\n")))
	if !hasWords(text[s.Start:s.End]) {
		return index.Span{}
	}
	return s
}

package document

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// declarationSpan returns the range of declaration i with the comments directly above it and the rest of its last line.
func (c *codeCutter) declarationSpan(i int) index.Span {
	floor := c.lowerBound(i)
	return index.Span{Start: c.leadingStart(lineIndentStart(c.text, c.chunks[i].Start, floor), floor), End: c.trailingEnd(i)}
}

// leadingStart returns the start of the comment lines directly above the offset start.
func (c *codeCutter) leadingStart(start, floor int32) int32 {
	for start > floor {
		line := c.lineBefore(start, floor)
		if line == start || !c.isLeadingLine(c.text[line:start-1]) {
			break
		}
		start = line
	}
	return start
}

// lowerBound returns the end of the text that precedes declaration i: the previous sibling, or the start of the parent's body.
func (c *codeCutter) lowerBound(i int) int32 {
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

// lineIndentStart returns the start of the line of offset at if only blanks precede it, otherwise at.
func lineIndentStart(text []byte, at, floor int32) int32 {
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

// isLeadingLine reports whether a line belongs to the declaration below it: a comment, or the opening of a Go group.
func (c *codeCutter) isLeadingLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return false
	case c.isComment(line), bytes.Equal(line, []byte("*")), bytes.HasPrefix(line, []byte("* ")), bytes.HasSuffix(line, []byte("*/")):
		return true
	case c.lang != source.Go:
		return false
	}
	return bytes.Equal(line, []byte("const (")) || bytes.Equal(line, []byte("var (")) || bytes.Equal(line, []byte("type ("))
}

// comments recognizes the comments of a language.
type comments struct {
	lang    source.Language
	syntax  *source.Syntax // of a language that a parser has added, or nil
	parsers *source.Parsers
}

func newComments(lang source.Language, parsers *source.Parsers) comments {
	if d, ok := parsers.Definition(lang); ok {
		return comments{lang, &d.Syntax, parsers}
	}
	return comments{lang: lang, parsers: parsers}
}

// isComment reports whether a line begins with a comment mark.
func (c comments) isComment(line []byte) bool { return c.parsers.IsComment(c.lang, line) }

// trailingEnd returns the end of the last line of declaration i if only a comment follows it there, otherwise the end of the
// declaration.
func (c *codeCutter) trailingEnd(i int) int32 {
	end := c.chunks[i].End
	line := c.text[end:]
	if feed := bytes.IndexByte(line, '\n'); feed >= 0 {
		line = line[:feed]
	}
	if rest := bytes.TrimLeft(line, " \t;,"); hasWords(rest) && !c.isComment(rest) {
		return end
	}
	next := c.nextChunk(i)
	if next < len(c.chunks) && c.chunks[next].Start < end+int32(len(line)) {
		return end
	}
	return end + int32(len(line))
}

// nextChunk returns the index of the first declaration behind declaration i and its children.
func (c *codeCutter) nextChunk(i int) int {
	end := c.chunks[i].End
	for i++; i < len(c.chunks) && c.chunks[i].Decl < end; i++ {
	}
	return i
}

// commentSpan trims s to its comments: it removes the opening of a group at its end. It returns an empty span if no words
// remain.
func commentSpan(text []byte, s index.Span) index.Span {
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

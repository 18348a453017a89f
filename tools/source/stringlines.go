package source

import "bytes"

// StringLines reports, for each line of src, whether the line begins within a string literal or belongs to a here-document: its
// white space is a part of a value. Lines of documentation strings (Python) do not count, because tools ignore their indentation.
// The result is nil if there is no such line, and for a language without a known syntax. A nil Parsers knows the built-in languages.
func (p *Parsers) StringLines(src []byte, lang Language) []bool {
	lines := stringLines{src: src}
	if d, ok := p.Definition(lang); ok {
		for s := range d.Syntax.Spans(src) {
			if !s.Comment {
				lines.mark(s.Start, s.End)
			}
		}
		return lines.inside
	}
	code, ok := readCodeLines(src, lang, false)
	if !ok {
		return nil
	}
	for _, s := range code.texts {
		if lang == Python && code.isDocumentation(s) {
			continue
		}
		start := int(s.start)
		if s.word != "" && start > 0 {
			start-- // a here-document begins with its line
		}
		lines.mark(start, int(s.end))
	}
	return lines.inside
}

// isDocumentation reports whether a string of Python is the first statement of a block: it begins its line, and the line before it
// ends in a colon that is not in brackets.
func (c *codeLines) isDocumentation(s multilineString) bool {
	line := c.lineAt(s.start)
	if line < 1 {
		return false
	}
	const maxPrefix = 2 // letters before the quotes: r, Rb
	before := &c.lines[line-1]
	return s.start-c.lines[line].start <= maxPrefix && c.src[before.end-1] == ':' && balanced(c.brackets[:c.lines[line].brackets])
}

// stringLines collects the lines of a text that begin within strings.
type stringLines struct {
	src    []byte
	inside []bool // by line; nil before the first such line

	at, line int // the number of line feeds before an offset
}

// mark marks the lines that begin after the offset start and before end. Strings are marked in the order of their offsets.
func (l *stringLines) mark(start, end int) {
	n := bytes.Count(l.src[start:end], []byte("\n"))
	if n == 0 {
		return
	}
	if l.inside == nil {
		l.inside = make([]bool, 1+bytes.Count(l.src, []byte("\n")))
	}
	if start < l.at {
		l.at, l.line = 0, 0
	}
	l.line += bytes.Count(l.src[l.at:start], []byte("\n"))
	l.at = start
	for i := range n {
		l.inside[l.line+1+i] = true
	}
}

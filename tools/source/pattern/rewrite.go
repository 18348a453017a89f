package pattern

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// Template is new code with the variables of a pattern.
type Template struct {
	pieces []piece
	fixed  []bool // by line: the line begins within a string
}

// ParseTemplate makes a Template for the matches of a pattern. A variable without a capture is an *Error, except in languages whose own
// variables look so. The empty text deletes matches. fixed is that of NewText, for the lines of the template.
func ParseTemplate(p *Pattern, text string, fixed []bool) (*Template, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if len(text) > maxText {
		return nil, refuse("Write less.", "the new code has %d bytes; at most %d are read", len(text), maxText)
	}
	t := &Template{pieces: split(text), fixed: fixed}
	line := 0
	for i := range t.pieces {
		piece := &t.pieces[i]
		piece.line = line
		line += strings.Count(piece.text, "\n")
		switch {
		case !piece.variable || piece.name != "" && slices.Contains(p.names, piece.name):
		case keepsUnknown(p.lang) && !piece.many:
			piece.variable = false
		case piece.name == "":
			return nil, refuse("Name it in the pattern and in the new code.", "%s in the new code captures nothing", piece.text)
		default:
			return nil, refuse("Use a name of the pattern.", "the pattern has no %s", piece.text)
		}
	}
	return t, nil
}

// Text is the text in which a Template is used.
type Text struct {
	content string
	lines   *textfile.Lines
	fixed   []bool
	unit    string
}

// NewText returns a Text. fixed reports, by line from 0, the lines that begin within a string: their white space is kept. It may be
// shorter than the text has lines.
func NewText(content string, fixed []bool) *Text {
	lines := textfile.NewLines(content)
	return &Text{content: content, lines: lines, fixed: fixed, unit: indent.Unit(lines)}
}

// Expand returns the new code for a match in a text. The indentation of its lines follows the line of the match, and the lines of
// captures follow their new place. A comma beside a $$$NAME that has no siblings is left out. New code of more than source.MaxSource bytes
// is an *Error.
func (t *Template) Expand(in *Text, m Match) (string, error) {
	e := expansion{in: in, fixed: t.fixed, base: in.indentation(m.Start)}
	e.level = e.unit(t.pieces)
	for i, p := range t.pieces {
		if e.tooLong {
			break
		}
		if !p.variable {
			e.literal(p.text, p.line)
			continue
		}
		at := slices.IndexFunc(m.Captures, func(c Capture) bool { return c.Name == p.name })
		if at < 0 {
			continue
		}
		if c := m.Captures[at]; c.Start < c.End {
			e.capture(c)
			continue
		}
		e.skip(i+1 < len(t.pieces) && !t.pieces[i+1].variable && strings.HasPrefix(strings.TrimLeft(t.pieces[i+1].text, " \t\n"), ","))
	}
	if e.tooLong {
		return "", refuse("Use each capture once, or match smaller code.", "the new code of one place has more than %d MiB", source.MaxSource>>20)
	}
	return string(e.out), nil
}

// indentation returns the white space at the start of the line of an offset.
func (in *Text) indentation(at int) string {
	start := strings.LastIndexByte(in.content[:at], '\n') + 1
	return indent.Leading(in.content[start:])
}

// expansion is the state of Expand.
type expansion struct {
	in    *Text
	fixed []bool // of the template
	base  string // indentation of the line of the match
	level string // one level of indentation in the template; "" if it is that of the text
	out   []byte
	begin int  // offset in out of the last line
	comma bool // the next literal loses a comma at its start
	empty bool // the next literal loses the line end at its start, because its line is empty

	tooLong bool // the rest is not written
}

// write appends text without line ends.
func (e *expansion) write(text string) {
	if len(e.out)+len(text) > source.MaxSource {
		e.tooLong = true
	}
	if !e.tooLong {
		e.out = append(e.out, text...)
	}
}

func (e *expansion) endLine() {
	e.write("\n")
	if !e.tooLong {
		e.begin = len(e.out)
	}
}

// unit returns one level of indentation of a template, if it is not written as in the text.
func (e *expansion) unit(pieces []piece) string {
	level := ""
	for _, p := range pieces {
		if p.variable {
			continue
		}
		rest := p.text
		for {
			_, after, ok := strings.Cut(rest, "\n")
			if !ok {
				break
			}
			rest = after
			if in := indent.Leading(rest); in != "" && (level == "" || len(in) < len(level)) {
				level = in
			}
		}
	}
	if level == "" || (level[0] == '\t') == (e.in.unit[0] == '\t') {
		return ""
	}
	if level[0] == '\t' {
		return "\t"
	}
	return level
}

// literal writes text of the template, whose lines get the indentation of the match. line is the line of its start in the template.
func (e *expansion) literal(text string, line int) {
	end := line + strings.Count(text, "\n")
	if e.comma {
		text = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(text, " \t\n"), ","), " \t")
		e.comma = false
	}
	begins := e.empty // at the start of a line
	if e.empty {
		text = strings.TrimPrefix(text, "\n")
		e.empty = false
	}
	line = end - strings.Count(text, "\n")
	if begins && text != "" {
		e.lines(text, line)
		return
	}
	first, rest, more := strings.Cut(text, "\n")
	e.write(first)
	if more {
		e.endLine()
		e.lines(rest, line+1)
	}
}

// lines writes text that begins a line of the template. Lines that begin within a string are written as they are.
func (e *expansion) lines(text string, at int) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if e.tooLong {
			return
		}
		if i > 0 {
			e.endLine()
		}
		if n := at + i; n < len(e.fixed) && e.fixed[n] {
			e.write(line)
			continue
		}
		if line == "" && i+1 < len(lines) {
			continue // an empty line stays empty
		}
		e.write(e.base)
		in := indent.Leading(line)
		if e.level != "" {
			n := strings.Count(in, e.level)
			e.write(strings.Repeat(e.in.unit, n))
			line = line[min(len(in), n*len(e.level)):]
		}
		e.write(line)
	}
}

// capture writes a captured part of the text.
func (e *expansion) capture(c Capture) {
	code := e.in.content[c.Start:c.End]
	first, rest, more := strings.Cut(code, "\n")
	if !more {
		e.write(first)
		return
	}
	to := e.base
	if e.begin > 0 {
		to = indent.Leading(string(e.out[e.begin:]))
	}
	e.write(first)
	from := e.in.indentation(c.Start)
	line, _ := e.in.lines.Position(c.Start) // from 1, so it is the next line from 0
	for i, text := range strings.Split(rest, "\n") {
		if e.tooLong {
			return
		}
		e.endLine()
		if n := line + i; n < len(e.in.fixed) && e.in.fixed[n] {
			e.write(text)
			continue
		}
		if inner, ok := strings.CutPrefix(text, from); ok && strings.TrimSpace(text) != "" {
			e.write(to)
			text = inner
		}
		e.write(text)
	}
}

// skip leaves out a capture without code: with the comma after it, the comma before it, or its line.
func (e *expansion) skip(commaAfter bool) {
	if commaAfter {
		e.comma = true
		return
	}
	trimmed := bytes.TrimRight(e.out, " \t\n")
	switch {
	case bytes.HasSuffix(trimmed, []byte(",")):
		e.out = trimmed[:len(trimmed)-1]
		if len(e.out) < e.begin {
			e.begin = bytes.LastIndexByte(e.out, '\n') + 1
		}
	case e.begin > 0 && len(trimmed) <= e.begin:
		e.out = e.out[:e.begin]
		e.empty = true
	}
}

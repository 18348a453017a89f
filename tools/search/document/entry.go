package document

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// entryLines limits the search for the start of an entry to this number of lines before the function, and for its end to 100
// times as many bytes.
const entryLines = 40

// entry is the entry of a table that contains exactly one function:
//
//	'sort': { // sorts a list
//	  type: 'func',
//	  fn: function(list) { … }
//	},
//
// The key of the entry names such a function better than its own key.
type entry struct {
	key     string
	start   int32 // start of the line with the key
	end     int32
	comment index.Span // at the end of that line
}

// entry returns the entry around function i, in languages of the TypeScript family.
func (c *codeCutter) entry(i int) (e entry, ok bool) {
	chunk := &c.chunks[i]
	if c.lang.Family() != source.TypeScript || !chunk.Kind.IsCallable() {
		return e, false
	}
	floor := c.lowerBound(i)
	at := lineIndentStart(c.text, chunk.Start, floor)
	if at == chunk.Start || at == floor && floor > 0 {
		return e, false // its line has other content
	}
	indent := int(chunk.Start - at)
	for range entryLines {
		line := c.lineBefore(at, floor)
		if line == at {
			return e, false
		}
		text := c.text[line : at-1]
		at = line
		if n := indentOf(text); n < indent && n < len(text) {
			e.start = line
			if e.key, e.comment, ok = keyOf(text, line); !ok {
				return e, false
			}
			e.end, ok = c.entryEnd(i, indent, n)
			return e, ok
		}
	}
	return e, false
}

// lineBefore returns the start of the line before the one that starts at offset at, or at if there is none after floor.
func (c *codeCutter) lineBefore(at, floor int32) int32 {
	if at <= floor || c.text[at-1] != '\n' {
		return at
	}
	line := floor + int32(bytes.LastIndexByte(c.text[floor:at-1], '\n')+1)
	if line == floor && floor > 0 && c.text[floor-1] != '\n' {
		return at
	}
	return line
}

// entryEnd returns the end of the line that closes the entry around function i. ok is false if the entry contains another
// function.
func (c *codeCutter) entryEnd(i, indent, outer int) (int32, bool) {
	end := c.chunks[i].End
	limit := int32(len(c.text))
	if next := c.nextChunk(i); next < len(c.chunks) {
		limit = c.chunks[next].Start
	}
	rest := bytes.IndexByte(c.text[end:limit], '\n')
	if rest < 0 {
		return 0, false
	}
	at := end + int32(rest) + 1
	for line := range bytes.Lines(c.text[at:limit]) {
		text := bytes.TrimRight(line, "\r\n")
		n := indentOf(text)
		switch {
		case n == len(text), n >= indent:
			at += int32(len(line))
		case n == outer && text[n] == '}':
			return at + int32(len(text)), true
		default:
			return 0, false
		}
		if at-end > entryLines*100 {
			return 0, false
		}
	}
	return 0, false
}

// indentOf returns the number of blanks at the start of a line.
func indentOf(line []byte) int {
	return len(line) - len(bytes.TrimLeft(line, " \t"))
}

// keyOf parses the first line of an entry, and the comment at its end.
func keyOf(line []byte, at int32) (key string, comment index.Span, ok bool) {
	open := bytes.TrimSpace(line)
	if i := bytes.Index(line, []byte("//")); i > 0 && bytes.HasSuffix(bytes.TrimSpace(line[:i]), []byte("{")) {
		open = bytes.TrimSpace(line[:i])
		comment = index.Span{Start: at + int32(i), End: at + int32(len(bytes.TrimRight(line, " \t\r")))}
	}
	open, braced := bytes.CutSuffix(open, []byte("{"))
	open, colon := bytes.CutSuffix(bytes.TrimSpace(open), []byte(":"))
	key = string(bytes.TrimSpace(open))
	if !braced || !colon || key == "" || len(key) > maxName {
		return "", comment, false
	}
	if q := key[0]; (q == '\'' || q == '"' || q == '`') && len(key) > 2 && strings.IndexByte(key[1:], q) == len(key)-2 {
		return key[1 : len(key)-1], comment, true
	}
	return key, comment, !strings.ContainsAny(key, "'\"`?()[]{} ,.=")
}

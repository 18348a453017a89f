package main

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// floor finds matching lines with package regexp, after a search for literals with package bytes. It is the best search with only
// the standard library. It must not be used concurrently.
type floor struct {
	re       *regexp.Regexp
	literals [][]byte // each match contains one of them; none if unknown
	fold     bool     // the literals are in lower case, and ASCII letters are compared without case
	whole    bool     // each literal is a match
	odd      bool     // the literals contain k or s, which K (Kelvin sign) and ſ match without case
	next     []int    // next offset of each literal; len(text) if there is none
	lower    []byte   // buffer
}

// newFloor compiles a pattern in the syntax of package regexp.
func newFloor(pattern string) (*floor, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	f := &floor{re: re}
	literals, fold, whole := literalsOf(tree.Simplify())
	f.fold, f.whole = fold, whole
	for _, text := range literals {
		f.literals = append(f.literals, []byte(text))
		f.odd = f.odd || fold && strings.ContainsAny(text, "ks")
	}
	f.next = make([]int, len(f.literals))
	return f, nil
}

// lines calls visit for each matching line, with its number from 1, and its start and end without the line end. Lines end with LF,
// CRLF or a lone CR.
func (f *floor) lines(text []byte, visit func(number, start, end int)) {
	text = withoutLoneCR(text)
	if len(f.literals) == 0 || f.odd && (bytes.Contains(text, []byte("ſ")) || bytes.Contains(text, []byte("\u212A"))) {
		f.everyLine(text, visit)
		return
	}
	in := text
	if f.fold {
		in = f.inLower(text)
	}
	for i := range f.next {
		f.next[i] = -1
	}
	number, counted := 1, 0
	for at := f.find(in, 0); at < len(text); {
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		end, next := lineEnd(text, at)
		if f.whole || f.re.Match(text[start:end]) {
			number += bytes.Count(text[counted:start], []byte{'\n'})
			counted = start
			visit(number, start, end)
		}
		at = f.find(in, next)
	}
}

// find returns the offset of the first literal at or after from, or the length of the text.
func (f *floor) find(text []byte, from int) int {
	first := len(text)
	for i, literal := range f.literals {
		if f.next[i] < from {
			f.next[i] = len(text)
			if n := bytes.Index(text[min(from, len(text)):], literal); n >= 0 {
				f.next[i] = from + n
			}
		}
		first = min(first, f.next[i])
	}
	return first
}

// everyLine matches each line.
func (f *floor) everyLine(text []byte, visit func(number, start, end int)) {
	number := 1
	for start := 0; start < len(text); number++ {
		end, next := lineEnd(text, start)
		if f.re.Match(text[start:end]) {
			visit(number, start, end)
		}
		start = next
	}
}

// lineEnd returns the end of the line at an offset, and the start of the next line.
func lineEnd(text []byte, at int) (end, next int) {
	n := bytes.IndexByte(text[at:], '\n')
	if n < 0 {
		return len(text), len(text)
	}
	end, next = at+n, at+n+1
	if n > 0 && text[end-1] == '\r' {
		end--
	}
	return end, next
}

// inLower returns the text with ASCII letters in lower case, in a buffer.
func (f *floor) inLower(text []byte) []byte {
	f.lower = append(f.lower[:0], text...)
	for i, c := range f.lower {
		if 'A' <= c && c <= 'Z' {
			f.lower[i] = c + 'a' - 'A'
		}
	}
	return f.lower
}

// withoutLoneCR replaces each CR without a following LF by LF.
func withoutLoneCR(text []byte) []byte {
	if bytes.Count(text, []byte{'\r'}) == bytes.Count(text, []byte("\r\n")) {
		return text
	}
	text = slices.Clone(text)
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			text[i] = '\n'
		}
	}
	return text
}

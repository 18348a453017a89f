package source

import (
	"bytes"
	"iter"
	"slices"
)

// Syntax describes the comments, strings and keywords of a language, for the tools that compare, count or cut texts without a
// parser. The zero value describes a language without comments, strings and keywords.
type Syntax struct {
	// LineComments begin comments that end with the line: "--".
	LineComments []string
	// BlockComments enclose comments. They do not nest, and a comment without an end reaches to the end of the text.
	BlockComments []Delimiters
	// Strings enclose strings.
	Strings []Delimiters
	// Keywords are the reserved words. The comparison of code distinguishes them, and takes all other names for equal.
	Keywords []string
}

// Delimiters enclose a comment or a string. Delimiters with an empty Open or Close are ignored.
type Delimiters struct {
	Open, Close string
	// Raw marks a string that may contain line feeds, and in which a backslash is an ordinary character. In other strings a
	// backslash escapes the next character, and a string without an end in its line is none. Comments ignore Raw.
	Raw bool
}

// Span is a comment or a string of a text: src[Start:End], with its delimiters.
type Span struct {
	Start, End int
	Comment    bool // false for a string
}

// IsComment reports whether a text begins with a comment.
func (s Syntax) IsComment(text []byte) bool {
	return slices.ContainsFunc(s.LineComments, func(open string) bool { return open != "" && bytes.HasPrefix(text, []byte(open)) }) ||
		slices.ContainsFunc(s.BlockComments, func(d Delimiters) bool { return d.valid() && bytes.HasPrefix(text, []byte(d.Open)) })
}

func (d Delimiters) valid() bool { return d.Open != "" && d.Close != "" }

// Spans iterates over the comments and strings of a text, in order. Of several delimiters at one place, the longest counts.
func (s Syntax) Spans(src []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		openers := s.openers()
		var first [256]bool
		for _, o := range openers {
			first[o.Open[0]] = true
		}
		for at := 0; at < len(src); {
			if !first[src[at]] {
				at++
				continue
			}
			end := at
			var comment bool
			for i := range openers {
				if o := &openers[i]; bytes.HasPrefix(src[at:], o.text) {
					end, comment = o.end(src, at), o.comment
					break
				}
			}
			if end == at {
				at++
				continue
			}
			if !yield(Span{at, end, comment}) {
				return
			}
			at = end
		}
	}
}

// opener begins a comment or a string.
type opener struct {
	Delimiters
	text, close   []byte // Open and Close
	line, comment bool
	none          int // no string of this opener ends before this offset
}

// openers returns the delimiters of comments and strings, the longest first. Of equal ones a comment is first.
func (s Syntax) openers() []opener {
	var all []opener
	for _, open := range s.LineComments {
		if open != "" {
			all = append(all, opener{Delimiters: Delimiters{Open: open}, line: true, comment: true})
		}
	}
	for i, d := range slices.Concat(s.BlockComments, s.Strings) {
		if d.valid() {
			all = append(all, opener{Delimiters: d, comment: i < len(s.BlockComments)})
		}
	}
	for i := range all {
		all[i].text, all[i].close = []byte(all[i].Open), []byte(all[i].Close)
	}
	slices.SortStableFunc(all, func(x, y opener) int {
		if n := len(y.Open) - len(x.Open); n != 0 {
			return n
		}
		return bytes.Compare(x.text, y.text)
	})
	return all
}

// end returns the end of the comment or string that begins at an offset. It returns at if a string has no end.
func (o *opener) end(src []byte, at int) int {
	from := at + len(o.text)
	switch {
	case o.line:
		return endOfLine(src, at)
	case o.comment || o.Raw:
		return after(src, from, o.Close)
	case at < o.none:
		return at
	}
	for i := from; i < len(src); i++ {
		switch {
		case src[i] == '\\':
			i++
		case src[i] == '\n':
			o.none = i
			return at
		case bytes.HasPrefix(src[i:], o.close):
			return i + len(o.close)
		}
	}
	o.none = len(src)
	return at
}

package textfile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Edit replaces Content[Start:End] of a Text by New, the Content being that of Decode. Both offsets are in bytes and stand between characters.
type Edit struct {
	Start, End int
	New        string
}

// Splice is a text with edits made, which must be in ascending order, apart and within it.
func Splice(content string, edits []Edit) string {
	var b strings.Builder
	done := 0
	for _, e := range edits {
		b.WriteString(content[done:e.Start])
		b.WriteString(e.New)
		done = e.End
	}
	b.WriteString(content[done:])
	return b.String()
}

// Replace is Apply with one edit.
func (t *Text) Replace(start, end int, text string) ([]byte, error) {
	return t.Apply(Edit{Start: start, End: end, New: text})
}

// Update returns the bytes of the file with its content replaced. It keeps the bytes of the common beginning and end of the old
// and the new content.
func (t *Text) Update(content string) ([]byte, error) {
	return t.Apply(Edit{Start: 0, End: len(t.src.content), New: content})
}

// Apply returns the bytes of the file with edits, which must be in ascending order and must not overlap. New text is encoded in
// the encoding of the file. All other bytes, including the byte-order mark, are copied from the old file, even if a character
// has another code. Characters that an edit shares with the replaced text at its beginning and end are not changed. Line ends
// are written as given; see Fit.
//
// The error is a *RangeError for invalid edits, or an *EncodeError with line and column in the new content. The Text does not
// change.
func (t *Text) Apply(edits ...Edit) ([]byte, error) {
	src := &t.src
	if err := src.check(edits); err != nil {
		return nil, err
	}
	c := codecFor(src.encoding)
	if c == nil {
		c = utf8Codec{} // the zero Text
	}
	size := len(src.raw)
	for _, e := range edits {
		size += len(e.New)
	}
	p := patch{codec: c, utf8: src.encoding == UTF8, body: src.body, out: make([]byte, 0, size)}
	p.out = append(p.out, src.raw[:len(src.raw)-len(src.body)]...)
	for i, e := range edits {
		e = e.trim(src.content)
		if lacking := p.replace(e); lacking >= 0 {
			return nil, src.cannotApply(append(edits[:i:i], e), lacking)
		}
	}
	return append(p.out, p.body[p.copied:]...), nil
}

// check returns the error of invalid edits.
func (s *source) check(edits []Edit) error {
	from := 0
	for i, e := range edits {
		why := ""
		switch {
		case e.Start < 0 || e.Start > e.End || e.End > len(s.content):
			why = fmt.Sprintf("edit %d covers bytes %d to %d of a text of %d bytes", i+1, e.Start, e.End, len(s.content))
		case e.Start < from:
			why = fmt.Sprintf("edit %d begins at byte %d, before the end of the edit in front of it (%d)", i+1, e.Start, from)
		case splitsRune(s.content, e.Start) || splitsRune(s.content, e.End):
			why = fmt.Sprintf("edit %d (bytes %d to %d) cuts through a character", i+1, e.Start, e.End)
		}
		if why != "" {
			return &RangeError{What: "edits", Why: why,
				Next: "give edits in ascending order that do not overlap, with offsets between characters"}
		}
		from = e.End
	}
	return nil
}

func splitsRune(s string, offset int) bool { return offset < len(s) && !utf8.RuneStart(s[offset]) }

// trim removes the text that an edit shares with the replaced text.
func (e Edit) trim(content string) Edit {
	old := content[e.Start:e.End]
	n := 0
	for n < len(old) && n < len(e.New) && old[n] == e.New[n] {
		n++
	}
	for n > 0 && (splitsRune(old, n) || splitsRune(e.New, n)) {
		n--
	}
	old, text := old[n:], e.New[n:]
	m := 0
	for m < len(old) && m < len(text) && old[len(old)-1-m] == text[len(text)-1-m] {
		m++
	}
	for m > 0 && splitsRune(old, len(old)-m) {
		m--
	}
	return Edit{Start: e.Start + n, End: e.End - m, New: text[:len(text)-m]}
}

// cannotApply describes a character of the last edit, given by its offset in New, at its place in the new content.
func (s *source) cannotApply(edits []Edit, lacking int) error {
	last := edits[len(edits)-1]
	before := Splice(s.content[:last.End], edits)
	return cannotEncode(s.encoding, before, len(before)-len(last.New)+lacking)
}

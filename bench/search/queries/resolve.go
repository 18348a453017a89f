package queries

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Pieces returns the units of a file's pieces, by number. The parts of a declaration that is too long for a piece are one unit.
func Pieces(f *index.File) []string {
	units := make([]string, len(f.Pieces))
	for i := range f.Pieces {
		if i > 0 && sameParts(&f.Pieces[i-1], &f.Pieces[i]) {
			units[i] = units[i-1]
			continue
		}
		units[i] = f.Path + "#" + strconv.Itoa(i)
	}
	return units
}

func sameParts(a, b *index.Piece) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Container == b.Container && a.Signature == b.Signature && a.Name != ""
}

// InPieces returns the answers of a query among the pieces of files. A label without a piece counts as not found; the error names
// it.
func InPieces(q *Query, file func(path string) *index.File) (Answers, error) {
	units := make([][]string, len(q.Relevant))
	var loose []error
	for i, l := range q.Relevant {
		if f := file(l.Path); f != nil {
			all := Pieces(f)
			for n := range f.Pieces {
				if l.in(f, &f.Pieces[n]) {
					units[i] = append(units[i], all[n])
				}
			}
		}
		if len(units[i]) == 0 {
			units[i] = []string{fmt.Sprintf("%s has no piece %d of %s", l.Path, i, q.ID)}
			loose = append(loose, fmt.Errorf("%s: %s has no piece with %q", q.ID, l.Path, l.At+l.Heading))
		}
	}
	return NewAnswers(q, units), errors.Join(loose...)
}

// InFiles returns the answers of a query among files.
func InFiles(q *Query) Answers {
	units := make([][]string, len(q.Relevant))
	for i, l := range q.Relevant {
		units[i] = []string{l.Path}
	}
	return NewAnswers(q, units)
}

// in reports whether a label is in a piece, and in no piece inside it.
func (l *Label) in(f *index.File, p *index.Piece) bool {
	switch {
	case l.Heading != "":
		return strings.Contains(blanks(p.Name), l.Heading)
	case l.At == "":
		return true
	}
	for _, place := range l.findRanges(f.Text) {
		for _, own := range p.Own {
			if int(own.Start) <= place.start && place.start < int(own.End) {
				return true
			}
		}
		if place.start <= int(p.Range.Start) && int(p.Range.End) <= place.end {
			return true
		}
	}
	return false
}

// textRange is the range of a label; end equals start if the end is unknown.
type textRange struct{ start, end int }

func (l *Label) findRanges(text []byte) []textRange {
	mark := []byte(strings.TrimLeft(l.At, "\n"))
	ofLine := len(l.At) > len(mark)
	var all []textRange
	for at := 0; ; {
		next := bytes.Index(text[at:], mark)
		if next < 0 {
			return all
		}
		at += next
		if !ofLine || at == 0 || text[at-1] == '\n' {
			all = append(all, textRange{at, at + l.length(text[at:])})
		}
		at += len(mark)
	}
}

// length returns the length of the label's range at the beginning of a text.
func (l *Label) length(text []byte) int {
	if l.To == "" {
		return 0
	}
	if end := bytes.Index(text, []byte(l.To)); end >= 0 {
		return end + len(l.To)
	}
	return 0
}

// OccursIn reports whether a label occurs in the content of its file.
func (l *Label) OccursIn(content []byte) bool {
	if l.Heading != "" {
		return strings.Contains(blanks(html.UnescapeString(withoutTags(string(content)))), l.Heading)
	}
	return bytes.Contains(append([]byte("\n"), content...), []byte(l.At))
}

// blanks replaces each white space by one blank.
func blanks(s string) string { return strings.Join(strings.Fields(s), " ") }

// withoutTags removes HTML tags.
func withoutTags(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, ">")
	}
}

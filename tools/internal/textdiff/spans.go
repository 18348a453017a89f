package textdiff

import (
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Span is a difference between two lists: a[A0:A1] was replaced by b[B0:B1]. At most one of the
// ranges is empty.
type Span struct{ A0, A1, B0, B1 int }

// maxCompared is the maximum number of elements of both lists that are compared. The comparison
// takes up to a hundred steps for each.
const maxCompared = 40_000

// Compare returns the differences between two lists, in order, with at least one equal element
// between two spans. The work is bounded. Lists with more than about a hundred differences, or very
// long lists, may get spans that contain equal elements.
func Compare(a, b []string) []Span {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	spans := []Span{{0, len(a), 0, len(b)}}
	if len(a) > 0 && len(b) > 0 && len(a)+len(b) <= maxCompared {
		spans = compare(a, b)
	}
	for i := range spans {
		s := &spans[i]
		s.A0, s.A1, s.B0, s.B1 = s.A0+head, s.A1+head, s.B0+head, s.B1+head
	}
	return spans
}

func compare(a, b []string) []Span {
	x, y := number(a, b)
	var spans []Span
	for _, d := range lcs.DiffRunes(x, y) {
		spans = append(spans, Span{d.Start, d.End, d.ReplStart, d.ReplEnd})
	}
	if !consistent(x, y, spans) {
		return []Span{{0, len(a), 0, len(b)}}
	}
	return spans
}

// number gives equal elements of two lists the same number.
func number(a, b []string) (x, y []rune) {
	numbers := make(map[string]rune, len(a))
	list := func(s []string) []rune {
		out := make([]rune, len(s))
		for i, element := range s {
			n, ok := numbers[element]
			if !ok {
				n = rune(len(numbers))
				numbers[element] = n
			}
			out[i] = n
		}
		return out
	}
	return list(a), list(b)
}

// consistent reports whether the elements between the spans are equal. It guards against an
// algorithm that stops at its limit: a wrong diff must not be returned.
func consistent(x, y []rune, spans []Span) bool {
	ax, by := 0, 0
	for _, s := range append(slices.Clip(spans), Span{len(x), len(x), len(y), len(y)}) {
		if s.A0 < ax || s.B0 < by || s.A1 < s.A0 || s.B1 < s.B0 || s.A1 > len(x) || s.B1 > len(y) || !slices.Equal(x[ax:s.A0], y[by:s.B0]) {
			return false
		}
		ax, by = s.A1, s.B1
	}
	return true
}

package edit

import (
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// frame is the reference of the indentation of New.
type frame uint8

const (
	likeOld   frame = iota // New is indented as Old is, and needs the same shift
	likeText               // New is indented as the text is already
	likeWhich              // it cannot be known
)

// frameOf determines the reference of the indentation of New if Old is indented unlike the text. Usually it is Old, but New can
// be correct where Old is not. pairs has the indentation of the non-blank lines of Old from first on.
//
// The first line of New decides if it is indented like that of Old or like that of the text. Otherwise the lines that New
// shares with Old decide.
func frameOf(old, now []line, first int, pairs []pair) frame {
	now = now[min(first, len(now)):]
	begin, any := firstIndent(now)
	asOld, asText := begin == pairs[0].old, begin == pairs[0].text
	sharedOld, sharedText := shared(old[first:], now, pairs)
	switch {
	case !any:
		return likeOld
	case asOld != asText && asOld:
		if sharedText && !sharedOld {
			return likeWhich // lines were put around others, or only the first one is indented like Old
		}
		return likeOld
	case asOld != asText && !sharedOld:
		return likeText
	case sharedOld != sharedText && sharedOld:
		return likeOld
	case sharedOld != sharedText:
		return likeText
	case sharedOld || !asOld:
		return likeWhich
	}
	// If the first lines are indented alike and no other line is shared, the unit of further indentation decides.
	var author, oldKind, textKind kind
	for _, x := range pairs {
		oldKind, textKind = oldKind.and(kindOf(x.old)), textKind.and(kindOf(x.text))
	}
	for _, l := range now {
		if !isBlank(l.text) {
			author = author.and(kindOf(indent(l.text)))
		}
	}
	if author == textKind && author != oldKind {
		return likeText
	}
	return likeOld
}

// firstIndent is the indentation of the first line that is not blank, if there is any.
func firstIndent(lines []line) (string, bool) {
	for _, l := range lines {
		if !isBlank(l.text) {
			return indent(l.text), true
		}
	}
	return "", false
}

// shared reports whether New has lines of Old with the indentation of Old, and lines with the indentation of the text. Lines
// for which both are equal are ignored.
func shared(old, now []line, pairs []pair) (asOld, asText bool) {
	was, is := bareLines(old), bareLines(now)
	place := make([]pair, 0, len(old)) // of each line of Old
	for _, l := range old {
		var p pair
		if !isBlank(l.text) {
			p, pairs = pairs[0], pairs[1:]
		}
		place = append(place, p)
	}
	tell := func(i, j int) {
		if p := place[i]; p.old != p.text && !isBlank(now[j].text) {
			asOld = asOld || indent(now[j].text) == p.old
			asText = asText || indent(now[j].text) == p.text
		}
	}
	i, j := 0, 0
	for _, s := range append(textdiff.Compare(was, is), textdiff.Span{A0: len(was), B0: len(is)}) {
		for ; i < s.A0; i, j = i+1, j+1 {
			tell(i, j)
		}
		i, j = s.A1, s.B1
	}
	return asOld, asText
}

// bareLines returns lines without indentation and line ends.
func bareLines(lines []line) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = strings.Trim(l.text, blanks)
	}
	return all
}

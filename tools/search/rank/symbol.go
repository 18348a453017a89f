package rank

import (
	"strings"

	"github.com/dougu-go/dougu/tools/search/token"
)

// symbol is a name of code that a query has, or may mean.
type symbol struct {
	text  string // as written
	whole string
	in    []string // what it is said to belong to, the nearest last
	sure  bool     // it is written as a name is, or is all there is
	units int      // how many there are in it
}

// maxJoined is how many words are taken for a name that is written apart.
const maxJoined = 4

// symbolsOf finds the names in a query: what is written like one, with what stands
// before it, and the words of a short query as one name.
func symbolsOf(text string, groups []token.Group, units []unit) []symbol {
	var all []symbol
	for i := range groups {
		g := &groups[i]
		if g.Whole == "" || g.Kind == token.Pair {
			continue
		}
		s := symbol{text: g.Text, whole: g.Whole, sure: g.Code || len(groups) == 1, units: 1}
		for before := i; before > 0 && joins(text[groups[before-1].End:groups[before].Start]) && groups[before-1].Whole != ""; before-- {
			s.in = append([]string{groups[before-1].Whole}, s.in...)
		}
		if i+1 < len(groups) && joins(text[g.End:groups[i+1].Start]) {
			s.sure = false // what belongs to it is meant
		}
		if s.sure || !stopWords[g.Whole] {
			all = append(all, s)
		}
	}
	for _, stops := range []bool{true, false} {
		if joined, ok := joinedSymbol(units, stops); ok {
			all = append(all, joined)
		}
	}
	return all
}

// joins says that a name goes on after this.
func joins(between string) bool {
	switch between {
	case ".", "::", "->", "#", "/", ".prototype.", "().", "?.":
		return true
	}
	return false
}

// joinedSymbol is the name that a short query is if its words, or those that matter,
// are written as one.
func joinedSymbol(units []unit, stops bool) (symbol, bool) {
	var whole, text strings.Builder
	n := 0
	for i := range units {
		u := &units[i]
		if u.stop && !stops {
			continue
		}
		if u.whole == "" || u.kind == token.Pair {
			return symbol{}, false
		}
		whole.WriteString(u.whole)
		text.WriteString(u.text)
		n++
	}
	return symbol{text: text.String(), whole: whole.String(), units: n}, n > 1 && n <= maxJoined
}

package grep

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Literal is a text that is in a match, byte for byte, or without regard to the case of ASCII letters if Fold is set.
type Literal struct {
	Text string
	Fold bool
}

// Literals answers what is in every text that has a match of a pattern: of each set, at least one literal. It is for an
// index that knows which texts have some bytes in them. There may be no sets, where nothing is known. The error is that of
// Compile for a pattern that cannot be parsed. At most 64 literals are in a set, and 64 sets are answered.
func Literals(pattern string, o Options) ([][]Literal, error) {
	p, err := parse(pattern, o)
	if err != nil {
		return nil, err
	}
	n := needOf(p.tree)
	n.flush()
	return n.sets[:min(len(n.sets), maxLiterals)], nil
}

// shortestLiteral is how long, in bytes, literals must be to be of use.
const shortestLiteral = 2

// need is what is known of the matches of a part of a pattern.
type need struct {
	exact   []required  // the match is one of these; nil if that is not known
	partial bool        // only the end of the match is one of exact
	sets    [][]Literal // what is in it besides, one of each
}

// required is a literal of a match, with the characters beyond ASCII that may stand in its place.
type required struct {
	Literal
	exotic exotic
}

func needOf(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return need{exact: []required{{}}}
	case syntax.OpLiteral:
		return needOfRunes(re)
	case syntax.OpCharClass:
		return needOfClass(re.Rune)
	case syntax.OpCapture:
		return needOf(re.Sub[0])
	case syntax.OpPlus:
		n := needOf(re.Sub[0])
		n.flush()
		return n
	case syntax.OpQuest:
		if n := needOf(re.Sub[0]); n.exact != nil && !n.partial && len(n.exact) < maxProduct {
			return need{exact: append(n.exact, required{})}
		}
	case syntax.OpConcat:
		n := need{exact: []required{{}}}
		for _, sub := range re.Sub {
			n.then(needOf(sub))
		}
		return n
	case syntax.OpAlternate:
		return needOfAny(re.Sub)
	}
	return need{}
}

// needOfRunes is about characters that follow each other.
func needOfRunes(re *syntax.Regexp) need {
	n := need{exact: []required{{}}}
	for _, r := range re.Rune {
		part := need{exact: []required{{Literal: Literal{Text: string(r)}}}}
		if re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r {
			part = needOfFold(r)
		}
		if !inLiterals(r) {
			part = need{}
		}
		n.then(part)
	}
	return n
}

// inLiterals tells the characters that stand in a text as they are: line ends may be others, and what is no UTF-8 is read
// as U+FFFD.
func inLiterals(r rune) bool {
	return r != '\n' && r != '\r' && r != utf8.RuneError && utf8.ValidRune(r)
}

// needOfFold is about a character in any case.
func needOfFold(r rune) need {
	var one required
	for _, r := range orbit(r) {
		switch {
		case r == 'ſ':
			one.exotic |= longS
		case r == '\u212A':
			one.exotic |= kelvin
		case r < utf8.RuneSelf:
			one.Literal = Literal{Text: string(unicode.ToLower(r)), Fold: true}
		default:
			return need{}
		}
	}
	return need{exact: []required{one}}
}

// needOfClass is about one of a few characters.
func needOfClass(ranges []rune) need {
	exact := []required{}
	for i := 0; i+1 < len(ranges); i += 2 {
		if int(ranges[i+1]-ranges[i]) >= maxClass-len(exact) {
			return need{}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if !inLiterals(r) {
				return need{}
			}
			exact = append(exact, required{Literal: Literal{Text: string(r)}})
		}
	}
	return need{exact: exact}
}

// then is about what is followed by something else.
func (n *need) then(next need) {
	if n.exact != nil && next.exact != nil && !next.partial && len(n.exact)*len(next.exact) <= maxProduct {
		joined := make([]required, 0, len(n.exact)*len(next.exact))
		for _, a := range n.exact {
			for _, b := range next.exact {
				joined = append(joined, required{Literal{a.Text + b.Text, a.Fold || b.Fold}, a.exotic | b.exotic})
			}
		}
		n.exact = joined
		return
	}
	n.flush()
	n.partial = true
	n.sets = append(n.sets, next.sets...)
	if n.exact = next.exact; n.exact == nil {
		n.exact = []required{{}}
		n.flush()
	}
}

// flush makes a set of the exact literals, which are not known from then on.
func (n *need) flush() {
	if set := setOf(n.exact); set != nil && len(n.sets) < maxLiterals {
		n.sets = append(n.sets, set)
	}
	n.exact = nil
}

// setOf is nil if a text may have none of the literals, or only short ones.
func setOf(exact []required) []Literal {
	var set []Literal
	for _, l := range exact {
		if len(l.Text) < shortestLiteral {
			return nil
		}
		set = append(set, l.Literal)
		if l.exotic&longS != 0 {
			set = append(set, Literal{Text: "ſ"})
		}
		if l.exotic&kelvin != 0 {
			set = append(set, Literal{Text: "\u212A"})
		}
	}
	slices.SortFunc(set, compareLiterals)
	return slices.Compact(set)
}

func compareLiterals(a, b Literal) int {
	switch {
	case a.Text != b.Text && a.Text < b.Text, a.Text == b.Text && !a.Fold && b.Fold:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// needOfAny is about alternatives: one set of what each needs.
func needOfAny(alternatives []*syntax.Regexp) need {
	exact, known := []required{}, true
	set, some := []Literal{}, true
	for _, re := range alternatives {
		n := needOf(re)
		known = known && n.exact != nil && !n.partial && len(exact)+len(n.exact) <= maxProduct
		if known {
			exact = append(exact, n.exact...)
		}
		n.flush()
		best := bestSet(n.sets)
		if some = some && best != nil && len(set)+len(best) <= maxLiterals; some {
			set = append(set, best...)
		}
	}
	switch {
	case known:
		return need{exact: exact}
	case some:
		slices.SortFunc(set, compareLiterals)
		return need{sets: [][]Literal{slices.Compact(set)}}
	}
	return need{}
}

// bestSet is the one whose shortest literal is the longest.
func bestSet(sets [][]Literal) []Literal {
	var best []Literal
	longest := 0
	for _, set := range sets {
		least := len(slices.MinFunc(set, func(a, b Literal) int { return len(a.Text) - len(b.Text) }).Text)
		if least > longest {
			best, longest = set, least
		}
	}
	return best
}

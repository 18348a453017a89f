package grep

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Literal is a text that occurs in a match, byte for byte, or regardless of the case of ASCII letters if Fold is set.
type Literal struct {
	Text string
	Fold bool
}

// Literals returns literals that texts with a match contain: at least one of each set. An index uses them to select files.
// Without usable literals there are no sets. At most 64 sets with at most 64 literals are returned. The error is that of
// Compile for a pattern that cannot be parsed.
func Literals(pattern string, o Options) ([][]Literal, error) {
	p, err := parse(pattern, o)
	if err != nil {
		return nil, err
	}
	n := requirementOf(p.tree)
	n.flush()
	return n.sets[:min(len(n.sets), maxLiterals)], nil
}

// shortestLiteral is the minimum length of a useful literal, in bytes.
const shortestLiteral = 2

// requirement describes the literals of a part of a pattern.
type requirement struct {
	exact   []required  // the match is one of these; nil if unknown
	partial bool        // whether only the end of the match is one of exact
	sets    [][]Literal // the match also contains one of each
}

// required is a literal of a match, with the alternative characters beyond ASCII.
type required struct {
	Literal
	exotic exotic
}

func requirementOf(re *syntax.Regexp) requirement {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return requirement{exact: []required{{}}}
	case syntax.OpLiteral:
		return requirementOfRunes(re)
	case syntax.OpCharClass:
		return requirementOfClass(re.Rune)
	case syntax.OpCapture:
		return requirementOf(re.Sub[0])
	case syntax.OpPlus:
		n := requirementOf(re.Sub[0])
		n.flush()
		return n
	case syntax.OpQuest:
		if n := requirementOf(re.Sub[0]); n.exact != nil && !n.partial && len(n.exact) < maxProduct {
			return requirement{exact: append(n.exact, required{})}
		}
	case syntax.OpConcat:
		n := requirement{exact: []required{{}}}
		for _, sub := range re.Sub {
			n.then(requirementOf(sub))
		}
		return n
	case syntax.OpAlternate:
		return requirementOfAny(re.Sub)
	}
	return requirement{}
}

// requirementOfRunes handles consecutive characters.
func requirementOfRunes(re *syntax.Regexp) requirement {
	n := requirement{exact: []required{{}}}
	for _, r := range re.Rune {
		part := requirement{exact: []required{{Literal: Literal{Text: string(r)}}}}
		if re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r {
			part = requirementOfFold(r)
		}
		if !inLiterals(r) {
			part = requirement{}
		}
		n.then(part)
	}
	return n
}

// inLiterals reports whether a character has the same bytes in each text. Line ends and U+FFFD can have others.
func inLiterals(r rune) bool {
	return r != '\n' && r != '\r' && r != utf8.RuneError && utf8.ValidRune(r)
}

// requirementOfFold handles a character in any case.
func requirementOfFold(r rune) requirement {
	var one required
	for _, r := range caseVariants(r) {
		switch {
		case r == 'ſ':
			one.exotic |= longS
		case r == '\u212A':
			one.exotic |= kelvin
		case r < utf8.RuneSelf:
			one.Literal = Literal{Text: string(unicode.ToLower(r)), Fold: true}
		default:
			return requirement{}
		}
	}
	return requirement{exact: []required{one}}
}

// requirementOfClass handles a small class.
func requirementOfClass(ranges []rune) requirement {
	exact := []required{}
	for i := 0; i+1 < len(ranges); i += 2 {
		if int(ranges[i+1]-ranges[i]) >= maxClass-len(exact) {
			return requirement{}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if !inLiterals(r) {
				return requirement{}
			}
			exact = append(exact, required{Literal: Literal{Text: string(r)}})
		}
	}
	return requirement{exact: exact}
}

// then appends the requirement of the following part.
func (n *requirement) then(next requirement) {
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

// flush converts the exact literals to a set; exact is unknown afterwards.
func (n *requirement) flush() {
	if set := setOf(n.exact); set != nil && len(n.sets) < maxLiterals {
		n.sets = append(n.sets, set)
	}
	n.exact = nil
}

// setOf returns nil if a matching text may lack all literals, or they are too short.
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

// requirementOfAny handles alternatives: it returns one set with a literal of each.
func requirementOfAny(alternatives []*syntax.Regexp) requirement {
	exact, known := []required{}, true
	set, some := []Literal{}, true
	for _, re := range alternatives {
		n := requirementOf(re)
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
		return requirement{exact: exact}
	case some:
		slices.SortFunc(set, compareLiterals)
		return requirement{sets: [][]Literal{slices.Compact(set)}}
	}
	return requirement{}
}

// bestSet returns the set whose shortest literal is longest.
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

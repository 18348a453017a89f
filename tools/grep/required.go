package grep

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	maxLiterals = 64  // literals in a set
	maxProduct  = 16  // literals in a product of sets
	maxElements = 256 // elements of a literal that may still be extended
	maxClass    = 8   // characters of a class beyond ASCII that is treated as a set
)

// exotic is a bit set of characters beyond ASCII that a set of literals does not cover. In texts with these characters the set
// is not valid.
type exotic uint8

const (
	longS      exotic = 1 << iota // ſ, another case of s
	kelvin                        // the Kelvin sign, another case of k
	largeClass                    // characters of large classes
)

// facts describes the matches of a part of a pattern. A nil set is unknown; an empty set means no match.
type facts struct {
	exact  []literal // the match is one of these
	prefix []literal // the match begins with one of these
	suffix []literal // the match ends with one of these
	inner  []literal // the match contains one of these; the cheapest known set
	exotic exotic    // characters that the sets do not cover
}

// exactFacts returns the facts of a part that matches exactly these literals.
func exactFacts(set ...literal) facts {
	if set == nil {
		set = []literal{}
	}
	return facts{exact: set, prefix: set, suffix: set, inner: set}
}

// analysis derives the literals that a pattern requires.
type analysis struct {
	elements
	lines bool // whether each line is a separate text
	ascii bool // whether literals must be ASCII
	// narrow replaces large classes with their ASCII characters: the literals are not valid in other texts.
	narrow bool
}

// of returns the facts about a tree without counted repetitions.
func (a *analysis) of(re *syntax.Regexp) facts {
	switch re.Op {
	case syntax.OpNoMatch:
		return exactFacts()
	case syntax.OpEmptyMatch:
		return exactFacts(literal{})
	case syntax.OpBeginLine:
		return condition(syntax.EmptyBeginLine)
	case syntax.OpEndLine:
		return condition(syntax.EmptyEndLine)
	case syntax.OpBeginText:
		return condition(syntax.EmptyBeginText)
	case syntax.OpEndText:
		return condition(syntax.EmptyEndText)
	case syntax.OpWordBoundary:
		return condition(syntax.EmptyWordBoundary)
	case syntax.OpNoWordBoundary:
		return condition(syntax.EmptyNoWordBoundary)
	case syntax.OpLiteral:
		return a.literal(re)
	case syntax.OpCharClass:
		return a.class(re.Rune)
	}
	return a.compound(re)
}

func (a *analysis) compound(re *syntax.Regexp) facts {
	parts := make([]facts, len(re.Sub))
	for i, sub := range re.Sub {
		parts[i] = a.of(sub)
	}
	switch re.Op {
	case syntax.OpCapture:
		return parts[0]
	case syntax.OpPlus:
		parts[0].exact = nil
		return parts[0]
	case syntax.OpQuest:
		return a.alternate(append(parts, exactFacts(literal{})))
	case syntax.OpConcat:
		return a.concat(parts)
	case syntax.OpAlternate:
		return a.alternate(parts)
	}
	return facts{}
}

func condition(look syntax.EmptyOp) facts { return exactFacts(literal{begin: look, end: look}) }

// literal returns the facts about consecutive characters.
func (a *analysis) literal(re *syntax.Regexp) facts {
	var parts []facts
	var run []byte
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, exactFacts(plain(string(run))))
			run = nil
		}
	}
	for _, r := range re.Rune {
		switch {
		case re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r:
			flush()
			parts = append(parts, a.runes(caseVariants(r)))
		case a.isExcluded(r):
			flush()
			parts = append(parts, facts{})
		default:
			run = utf8.AppendRune(run, r)
		}
	}
	flush()
	return a.concat(parts)
}

// isExcluded reports whether literals cannot contain a character: lines contain no line ends, files may have other line ends
// than the pattern, and U+FFFD stands for any invalid byte.
func (a *analysis) isExcluded(r rune) bool {
	return r == '\n' || r == '\r' || r == utf8.RuneError || !utf8.ValidRune(r) || a.ascii && r >= utf8.RuneSelf
}

// caseVariants returns a character in all its cases.
func caseVariants(r rune) []rune {
	all := []rune{r}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		all = append(all, other)
	}
	return all
}

// class returns the facts about a character of a class.
func (a *analysis) class(ranges []rune) facts {
	if n := len(ranges); a.narrow && n > 0 && ranges[n-1] >= utf8.RuneSelf+maxClass {
		f := a.class(asciiRanges(ranges))
		f.exotic |= largeClass
		return f
	}
	var runes []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-max(ranges[i], utf8.RuneSelf) > maxClass {
			return a.lead(ranges)
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			runes = append(runes, r)
		}
	}
	if len(runes) > utf8.RuneSelf+maxClass {
		return a.lead(ranges)
	}
	return a.runes(runes)
}

// asciiRanges returns the ASCII part of the ranges of a class.
func asciiRanges(ranges []rune) []rune {
	var all []rune
	for i := 0; i+1 < len(ranges) && ranges[i] < utf8.RuneSelf; i += 2 {
		all = append(all, ranges[i], min(ranges[i+1], utf8.RuneSelf-1))
	}
	return all
}

// lead returns the facts about a large class, by the first bytes of its characters; no facts if these are frequent.
func (a *analysis) lead(ranges []rune) facts {
	var set byteSet
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo <= utf8.RuneError && utf8.RuneError <= hi {
			set.add(0x80, 0xFF) // invalid UTF-8 is read as U+FFFD
		}
		for _, l := range utf8Lengths {
			if from, to := max(lo, l.lo), min(hi, l.hi); from <= to {
				shift := 6 * l.continuations
				set.add(l.lead|byte(from>>shift), l.lead|byte(to>>shift))
			}
		}
	}
	x := a.element(set)
	if a.ascii || a.probability(x) > 0.02 {
		return facts{}
	}
	first := []literal{{elems: []element{x}}}
	return facts{prefix: first, inner: first}
}

// runes returns the facts about one of several characters.
func (a *analysis) runes(runes []rune) facts {
	var ascii byteSet
	var left exotic
	set := []literal{}
	for _, r := range runes {
		switch {
		case a.lines && (r == '\n' || r == '\r'):
		case r == 'ſ' && slices.Contains(runes, 's'):
			left |= longS
		case r == '\u212A' && slices.Contains(runes, 'k'):
			left |= kelvin
		case a.isExcluded(r):
			return facts{}
		case r < utf8.RuneSelf:
			ascii.add(byte(r), byte(r))
		default:
			set = append(set, plain(string(r)))
		}
	}
	if len(set) > maxClass {
		return facts{}
	}
	if ascii.len() > 0 {
		set = append(set, literal{elems: []element{a.element(ascii)}})
	}
	f := exactFacts(set...)
	f.exotic = left
	return f
}

// alternate returns the facts about alternatives.
func (a *analysis) alternate(parts []facts) facts {
	all := parts[0]
	for _, f := range parts[1:] {
		all.exact = union(all.exact, f.exact)
		all.prefix = union(all.prefix, f.prefix)
		all.suffix = union(all.suffix, f.suffix)
		all.inner = union(all.inner, f.inner)
		all.exotic |= f.exotic
	}
	all.inner = a.shortest(all.inner)
	for _, set := range [][]literal{all.exact, all.prefix, all.suffix} {
		all.inner = a.cheaper(all.inner, a.shortest(set))
	}
	return all
}

// union joins two sets. It returns nil if one is unknown or the result is too large.
func union(a, b []literal) []literal {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	return distinct(slices.Concat(a, b))
}

// cheaper returns the set that is cheaper to search for; an unknown one is most expensive.
func (a *analysis) cheaper(one, other []literal) []literal {
	if len(other) == 0 || len(one) > 0 && a.plan(one, costLine).cost <= a.plan(other, costLine).cost {
		return one
	}
	return other
}

package grep

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	maxLiterals = 64  // in a set
	maxProduct  = 16  // in a set that is a product of others
	maxElements = 256 // in a literal that is still made longer
	maxClass    = 8   // characters of a class beyond ASCII that counts as a set
)

// exotic are the characters beyond ASCII that are an ASCII letter in another case. Sets of literals do not have them:
// where a text does, sets are of no use.
type exotic uint8

const (
	longS  exotic = 1 << iota // ſ, which is s
	kelvin                    // the sign K, which is k
	beyond                    // characters of large classes
)

// facts is what is known of the matches of a pattern, or a part of one. A nil set is one that is not known, which is not
// the same as an empty one.
type facts struct {
	exact  []literal // the match is one of these
	prefix []literal // the match begins with one of these
	suffix []literal // the match ends with one of these
	inner  []literal // the match has one of these in it; the best such set
	exotic exotic    // what the sets leave out
}

// exactly are the facts of a part that matches these literals.
func exactly(set ...literal) facts {
	if set == nil {
		set = []literal{}
	}
	return facts{exact: set, prefix: set, suffix: set, inner: set}
}

// analysis finds the literals that a pattern requires.
type analysis struct {
	elements
	lines bool // each line is a text of its own
	ascii bool // literals are to be ASCII
	// narrow says that large classes stand for their characters of ASCII: the literals are of no use in other texts.
	narrow bool
}

// of answers the facts about a tree without counted repetitions.
func (a *analysis) of(re *syntax.Regexp) facts {
	switch re.Op {
	case syntax.OpNoMatch:
		return exactly()
	case syntax.OpEmptyMatch:
		return exactly(literal{})
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
		return a.alternate(append(parts, exactly(literal{})))
	case syntax.OpConcat:
		return a.concat(parts)
	case syntax.OpAlternate:
		return a.alternate(parts)
	}
	return facts{}
}

func condition(look syntax.EmptyOp) facts { return exactly(literal{begin: look, end: look}) }

// literal answers the facts about characters that follow each other.
func (a *analysis) literal(re *syntax.Regexp) facts {
	var parts []facts
	var run []byte
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, exactly(plain(string(run))))
			run = nil
		}
	}
	for _, r := range re.Rune {
		switch {
		case re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r:
			flush()
			parts = append(parts, a.runes(orbit(r)))
		case a.separates(r):
			flush()
			parts = append(parts, facts{})
		default:
			run = utf8.AppendRune(run, r)
		}
	}
	flush()
	return a.concat(parts)
}

// separates tells the characters that literals do not have: no line has line ends in it, files may have others than the
// pattern, and U+FFFD stands for anything.
func (a *analysis) separates(r rune) bool {
	return r == '\n' || r == '\r' || r == utf8.RuneError || !utf8.ValidRune(r) || a.ascii && r >= utf8.RuneSelf
}

// orbit answers a character in all its cases.
func orbit(r rune) []rune {
	all := []rune{r}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		all = append(all, other)
	}
	return all
}

// class answers the facts about one character of a class.
func (a *analysis) class(ranges []rune) facts {
	if n := len(ranges); a.narrow && n > 0 && ranges[n-1] >= utf8.RuneSelf+maxClass {
		f := a.class(asciiRanges(ranges))
		f.exotic |= beyond
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

// lead answers the facts about a large class, by the first bytes of its characters; none if they are frequent.
func (a *analysis) lead(ranges []rune) facts {
	var set byteSet
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo <= utf8.RuneError && utf8.RuneError <= hi {
			set.add(0x80, 0xFF) // what is not UTF-8 is read as U+FFFD
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

// runes answers the facts about one of some characters.
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
		case a.separates(r):
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
	f := exactly(set...)
	f.exotic = left
	return f
}

// alternate answers the facts about one of some parts.
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
		all.inner = a.better(all.inner, a.shortest(set))
	}
	return all
}

// union joins two sets; it is nil if they are not known or the result is too large.
func union(a, b []literal) []literal {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	return distinct(slices.Concat(a, b))
}

// better answers the set that is cheaper to look for; an unknown one costs most.
func (a *analysis) better(one, other []literal) []literal {
	if len(other) == 0 || len(one) > 0 && a.plan(one, costLine).cost <= a.plan(other, costLine).cost {
		return one
	}
	return other
}

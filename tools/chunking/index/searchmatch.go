package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Base scores of the kinds of matches. Up to 99 are added for the quality.
const (
	scoreFuzzy   = 100 * (iota + 1) // the characters occur in order
	scoreInside                     // substring
	scoreWord                       // prefix of a word
	scorePrefix                     // prefix of the name
	scoreFolded                     // equal except for case
	scoreExact                      // equal
	scoreNothing = 0
)

// needle is a searched name with precomputed data.
type needle struct {
	text   string
	folded []rune
	key    uint64
	first  uint64
	ascii  bool
	low    string // folded, if ascii

	patterns         []uint64 // of low, or nil
	begin, beginMask uint64   // the head of every name that has the needle as prefix
}

func newNeedle(text string) needle {
	n := needle{text: text, key: keyOf(text) &^ keyForeign, first: firstOf(text), ascii: true}
	for _, r := range text {
		n.ascii = n.ascii && r < utf8.RuneSelf
		n.folded = append(n.folded, fold(r))
	}
	n.low = string(n.folded)
	if n.ascii {
		n.patterns = patterns(n.low)
		n.begin = headPart(n.low)
		n.beginMask = 1<<(5*min(len(n.low), headChars)) - 1
	}
	return n
}

// score returns the score of a name, or 0. The name must contain all characters of the
// needle. Scores below floor may be inexact. It does not allocate.
func (n *needle) score(name string, floor int) int {
	switch {
	case n.text == "":
		return scoreFuzzy
	case name == n.text:
		return scoreExact
	case n.ascii:
		return n.scoreASCII(name, floor)
	}
	return n.scoreRunes(name)
}

// scoreASCII is score for an ASCII needle. It compares bytes; the Kelvin sign, a case
// variant of K, does not match.
func (n *needle) scoreASCII(name string, floor int) int {
	low := n.low
	if len(name) < len(low) {
		return scoreNothing
	}
	if hasFoldedPrefix(name, low) {
		return n.whole(name, len(name) == len(low))
	}
	if floor >= scorePrefix {
		return n.scoreLow(name)
	}
	best, first := scoreNothing, low[0]
	for i := 1; i+len(low) <= len(name); i++ {
		if lower(name[i]) != first || !hasFoldedPrefix(name[i:], low) {
			continue
		}
		if beginsWord(name, i) {
			return scoreWord + nearness(len(name), len(low))
		}
		best = scoreInside + nearness(len(name), len(low))
	}
	if best != scoreNothing {
		return best
	}
	at, begins, last := 0, 0, -2
	for i := 0; i < len(name); i++ {
		if lower(name[i]) != low[at] {
			continue
		}
		if i == last+1 || i == 0 || beginsWord(name, i) {
			begins++
		}
		last = i
		if at++; at == len(low) {
			return scoreFuzzy + 60*begins/len(low) + nearness(len(name), len(low))/3
		}
	}
	return scoreNothing
}

// scoreLow returns scoreFuzzy if the name contains the needle in order, otherwise 0.
func (n *needle) scoreLow(name string) int {
	at, next := 0, n.low[0]
	for i := 0; i < len(name); i++ {
		if lower(name[i]) == next {
			if at++; at == len(n.low) {
				return scoreFuzzy
			}
			next = n.low[at]
		}
	}
	return scoreNothing
}

// scoreRunes is score for a needle with non-ASCII letters.
func (n *needle) scoreRunes(name string) int {
	at, together, begins, previous := 0, true, 0, rune(0)
	for _, r := range name {
		if at < len(n.folded) && fold(r) == n.folded[at] {
			if at++; startsWord(previous, r) {
				begins++
			}
		} else if at < len(n.folded) {
			together = false
		}
		previous = r
	}
	switch {
	case at < len(n.folded):
		return scoreNothing
	case together:
		return n.whole(name, utf8.RuneCountInString(name) == len(n.folded))
	case strings.Contains(name, n.text):
		return scoreInside + nearness(len(name), len(n.text))
	}
	return scoreFuzzy + 60*begins/len(n.folded) + nearness(len(name), len(n.text))/3
}

// whole returns the score of a name that has the needle as prefix or equals it.
func (n *needle) whole(name string, same bool) int {
	switch {
	case same:
		return scoreFolded
	case strings.HasPrefix(name, n.text):
		return scorePrefix + 50 + nearness(len(name), len(n.text))/2
	}
	return scorePrefix + nearness(len(name), len(n.low))/2
}

// nearness returns 99 minus three for each byte that the name has beyond the needle, at
// least 0.
func nearness(name, needle int) int { return max(0, 99-(name-needle)*3) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func hasFoldedPrefix(name, low string) bool {
	if len(name) < len(low) {
		return false
	}
	for i := range len(low) {
		if lower(name[i]) != low[i] {
			return false
		}
	}
	return true
}

// beginsWord reports whether a word of an ASCII name begins at i > 0: push in
// stackPush, stack_push and HTTPPush.
func beginsWord(name string, i int) bool {
	if startsWord(rune(name[i-1]), rune(name[i])) {
		return true
	}
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	return upper(name[i]) && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'
}

func startsWord(previous, r rune) bool {
	letter := unicode.IsLetter(r)
	switch {
	case previous == 0:
		return true
	case unicode.IsUpper(r):
		return !unicode.IsUpper(previous)
	case unicode.IsDigit(r):
		return !unicode.IsDigit(previous)
	}
	return letter && !unicode.IsLetter(previous) && !unicode.IsMark(previous)
}

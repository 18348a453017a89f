package main

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the literals of a pattern.
const (
	maxLiterals = 16 // literals of a set, and characters of a class
	maxBytes    = 4  // literals of a set that contains a single byte: more of them match almost everywhere
)

// required are the literals of an expression.
type required struct {
	exact []string // all texts that match; nil if there are too many
	inner []string // each match contains one of them; nil if unknown
}

// literalsOf returns texts of which each match of a pattern contains one; none if unknown. They are in lower case if fold is set.
// whole means that each text is a match.
func literalsOf(tree *syntax.Regexp) (literals []string, fold, whole bool) {
	fold = anyFold(tree)
	of := requiredBy(tree, fold)
	if useful(of.exact) && (len(of.inner) == 0 || !isFaster(of.inner, of.exact)) {
		return of.exact, fold, !conditional(tree) && (!fold || allFold(tree))
	}
	return of.inner, fold, false
}

func requiredBy(re *syntax.Regexp, fold bool) required {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if strings.ContainsRune(text, utf8.RuneError) {
			return required{} // it matches invalid UTF-8
		}
		if fold {
			if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 && unicode.SimpleFold(r) != r }) {
				return required{}
			}
			text = strings.ToLower(text)
		}
		return required{exact: []string{text}}
	case syntax.OpCharClass:
		return required{exact: members(re.Rune, fold)}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return required{exact: []string{""}}
	case syntax.OpCapture:
		return requiredBy(re.Sub[0], fold)
	case syntax.OpPlus:
		return required{inner: requiredBy(re.Sub[0], fold).best()}
	case syntax.OpQuest:
		if of := requiredBy(re.Sub[0], fold); of.exact != nil && len(of.exact) < maxLiterals {
			return required{exact: append([]string{""}, of.exact...)}
		}
	case syntax.OpConcat:
		return concat(re.Sub, fold)
	case syntax.OpAlternate:
		return alternate(re.Sub, fold)
	}
	return required{} // for example . and *
}

// best returns the literals to search for.
func (r required) best() []string {
	if useful(r.exact) && (len(r.inner) == 0 || !isFaster(r.inner, r.exact)) {
		return r.exact
	}
	return r.inner
}

func concat(subs []*syntax.Regexp, fold bool) required {
	var best []string
	run, all := []string{""}, true
	end := func() {
		if useful(run) && isFaster(run, best) {
			best = run
		}
		run, all = []string{""}, false
	}
	for _, sub := range subs {
		of := requiredBy(sub, fold)
		if len(of.exact)*len(run) > maxLiterals {
			end()
		}
		if of.exact == nil {
			end()
			if of.inner != nil && isFaster(of.inner, best) {
				best = of.inner
			}
			continue
		}
		var next []string
		for _, before := range run {
			for _, text := range of.exact {
				next = append(next, before+text)
			}
		}
		run = next
	}
	if all {
		return required{exact: run}
	}
	end()
	return required{inner: best}
}

func alternate(subs []*syntax.Regexp, fold bool) required {
	exact, inner := []string{}, []string{}
	for _, sub := range subs {
		of := requiredBy(sub, fold)
		if exact = append(exact, of.exact...); of.exact == nil || len(exact) > maxLiterals {
			exact = nil
		}
		if best := of.best(); inner != nil && len(best) > 0 && len(inner)+len(best) <= maxLiterals {
			inner = append(inner, best...)
		} else {
			inner = nil
		}
		if exact == nil && inner == nil {
			return required{}
		}
	}
	return required{exact: exact, inner: inner}
}

// members returns the characters of a class; nil if there are too many.
func members(ranges []rune, fold bool) (all []string) {
	for i := 0; i < len(ranges); i += 2 {
		if int(ranges[i+1]-ranges[i]) >= maxLiterals-len(all) {
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if fold && r >= 0x80 {
				return nil
			}
			text := string(r)
			if fold {
				text = strings.ToLower(text)
			}
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// useful reports whether a search for the literals is faster than none.
func useful(literals []string) bool {
	return len(literals) > 0 && shortest(literals) > 0 && (shortest(literals) > 1 || len(literals) <= maxBytes)
}

// isFaster reports whether one set is faster to search for than another: by its shortest literal, then by its size.
func isFaster(set, than []string) bool {
	if len(than) == 0 {
		return true
	}
	a, b := shortest(set), shortest(than)
	return a > b || a == b && len(set) < len(than)
}

func shortest(set []string) int {
	n := len(set[0])
	for _, text := range set {
		n = min(n, len(text))
	}
	return n
}

func anyFold(re *syntax.Regexp) bool {
	return re.Flags&syntax.FoldCase != 0 && re.Op == syntax.OpLiteral || slices.ContainsFunc(re.Sub, anyFold)
}

// allFold reports whether an expression ignores case everywhere.
func allFold(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Flags&syntax.FoldCase != 0 || strings.ToLower(string(re.Rune)) == strings.ToUpper(string(re.Rune))
	case syntax.OpCharClass:
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !allFold(sub) })
}

// conditional reports whether an expression contains conditions other than characters.
func conditional(re *syntax.Regexp) bool {
	return re.Op >= syntax.OpBeginLine && re.Op <= syntax.OpNoWordBoundary || slices.ContainsFunc(re.Sub, conditional)
}

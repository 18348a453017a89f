package grep

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// Limits of a pattern, far above usual patterns. They limit memory and time.
const (
	maxPattern = 4 << 10 // bytes
	maxProgram = 10_000  // instructions of package regexp, with repetitions expanded

	// In multiline mode package regexp finds each match, with a time per instruction.
	maxMultiline = 2_000
)

// pattern is a parsed pattern.
type pattern struct {
	source string // for package regexp, including flags
	// nextMatch is a pattern for package regexp that finds the next match behind the first character of a text. That character
	// serves ^ and \b, which depend on the preceding one. The match is the first group.
	nextMatch string
	// tree and prog belong to a pattern that matches wherever this one does, and in ASCII texts nowhere else; see looseClasses.
	// tree has no counted repetitions.
	tree *syntax.Regexp
	prog *syntax.Prog
	// wide matches texts beyond ASCII; nil if tree and prog are the pattern itself.
	wide func() *unicodeMatcher
}

// parse parses a pattern, and checks its size before the expansion of repetitions.
func parse(text string, o Options) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, tooLong(len(text))
	}
	if !utf8.ValidString(text) {
		return nil, notUTF8(text)
	}
	insensitive := o.Case == Insensitive || o.Case == Smart && !hasUpper(text, o.Literal)
	if o.Literal {
		text = regexp.QuoteMeta(text)
	}
	flags, prefix := syntax.Perl, ""
	if o.Multiline {
		flags, prefix = flags&^syntax.OneLine|syntax.DotNL, "ms"
	}
	if insensitive {
		flags, prefix = flags|syntax.FoldCase, prefix+"i"
	}
	if prefix != "" {
		prefix = "(?" + prefix + ")"
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		return nil, explain(text, err)
	}
	if n := instructions(tree); n > maxProgram || o.Multiline && n > maxMultiline {
		return nil, tooLarge()
	}
	var wider func() *unicodeMatcher
	if !o.Literal && readsUnicode(text) {
		wide, ok := wideClasses(text)
		if !ok {
			return nil, tooLarge()
		}
		if tree, err = syntax.Parse(looseClasses(text), flags); err != nil {
			return nil, explain(text, err)
		}
		wider = sync.OnceValue(func() *unicodeMatcher { return newUnicodeMatcher(wide, flags, !o.Multiline) })
	}
	p := &pattern{wide: wider, source: prefix + text, nextMatch: `\A(?s:.)(?s:.*?)(` + prefix + closeQuote(text) + ")"}
	p.tree = tree.Simplify()
	p.prog, err = syntax.Compile(p.tree)
	if err != nil {
		return nil, explain(text, err)
	}
	return p, nil
}

// instructions estimates the number of instructions of the program for a tree. Above maxProgram the result is only a lower
// bound.
func instructions(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n = min(n+instructions(sub), maxProgram+1)
	}
	switch re.Op {
	case syntax.OpConcat:
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCapture:
		n += 2
	case syntax.OpAlternate:
		n += len(re.Sub) - 1
	case syntax.OpRepeat:
		// x{2,5} becomes xx(x(x(x)?)?)?, and x{2,} becomes xx+.
		n = (n + 1) * max(re.Min, re.Max, 1)
	default:
		n++
	}
	return min(n, maxProgram+1)
}

// namesCR reports whether a pattern names a carriage return outside of classes.
func namesCR(tree *syntax.Regexp) bool {
	if tree.Op == syntax.OpLiteral && strings.ContainsRune(string(tree.Rune), '\r') {
		return true
	}
	for _, sub := range tree.Sub {
		if namesCR(sub) {
			return true
		}
	}
	return false
}

package grep

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// Limits of a pattern. Both are far above what people write; what exceeds them costs memory and time for nothing.
const (
	maxPattern = 4 << 10 // bytes
	maxProgram = 10_000  // instructions of package regexp, with repetitions written out

	// In multiline mode package regexp does the work, once for each match, and takes time for each instruction.
	maxMultiline = 2_000
)

// pattern is a parsed pattern.
type pattern struct {
	source string // for package regexp, with its flags
	// everywhere is for package regexp as well, to find the next match behind the first character of a text, which is
	// there for what looks behind: ^ and \b. The match is the first group.
	everywhere string
	// tree and prog are of a pattern that matches wherever this one does, and in a text of ASCII nowhere else: see looseClasses. The
	// tree is simplified: without counted repetitions.
	tree *syntax.Regexp
	prog *syntax.Prog
	// wide is for texts beyond ASCII; nil if tree and prog are the pattern itself.
	wide func() *unicodeMatcher
}

// parse reads a pattern and checks its size before anything is made that grows with it.
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
	p := &pattern{wide: wider, source: prefix + text, everywhere: `\A(?s:.)(?s:.*?)(` + prefix + closed(text) + ")"}
	p.tree = tree.Simplify()
	p.prog, err = syntax.Compile(p.tree)
	if err != nil {
		return nil, explain(text, err)
	}
	return p, nil
}

// instructions estimates the size of the program for a tree; what exceeds maxProgram is answered as a number above it.
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

// namesCR tells whether a pattern has a carriage return as a character of its own, not only in a class.
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

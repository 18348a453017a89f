package grep

import (
	"bytes"
	"context"
	"iter"
	"regexp"
	"regexp/syntax"
	"sync"
)

// Matcher finds the lines that match a pattern. It is safe for concurrent use.
type Matcher struct {
	text     string
	options  Options
	always   bool                   // every line matches
	set      *finder                // literals of which each match contains one; nil if the search for them saves no time
	excluded exotic                 // characters beyond ASCII: in texts with one of them, set is not valid
	raw      *finder                // literals in the bytes of each matching file, in any encoding; nil if unknown
	caches   pool                   // unused caches of the states of the automaton, called machine
	wide     func() *unicodeMatcher // made at its first use, for texts beyond ASCII; nil if the machine reads them
	regexp   func() *regexp.Regexp  // the pattern in package regexp
	// nextMatch finds the next match in multiline mode, in a text that begins one character before the search position. The
	// first group is the match. nil in line mode.
	nextMatch *regexp.Regexp
	cr        bool // whether the pattern names carriage returns
}

// Compile prepares a pattern in the RE2 syntax of package regexp. A pattern may have 4 KiB, and 10,000 instructions after
// compilation. The error is an *Error with the reason, the position and the next step. In line mode a pattern that only matches
// across line ends is an error.
func Compile(text string, o Options) (*Matcher, error) {
	p, err := parse(text, o)
	if err != nil {
		return nil, err
	}
	machine := newMachine(p.prog, !o.Multiline, p.wide != nil)
	if machine == nil {
		return nil, tooLarge()
	}
	if !o.Multiline && !satisfiable(p.prog, true) && satisfiable(p.prog, false) {
		return nil, acrossLines()
	}
	m := &Matcher{text: text, options: o, cr: namesCR(p.tree)}
	m.caches.machine, m.caches.wide, m.wide = machine, p.wide, p.wide
	m.regexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.source) })
	if o.Multiline {
		if m.nextMatch, err = regexp.Compile(p.nextMatch); err != nil {
			return nil, explain(text, err)
		}
	}
	w := newWalker(machine)
	if _, v := w.begin(nil); v == matched { // the pattern matches the empty text
		m.always = true
		return m, nil
	}
	m.prepare(p.tree)
	return m, nil
}

// prepare selects the literals whose search replaces the reading of the complete text. For a pattern with Unicode classes, a
// set that is valid only in ASCII texts is selected if it is clearly cheaper.
func (m *Matcher) prepare(tree *syntax.Regexp) {
	a := analysis{lines: !m.options.Multiline}
	cost := m.plan(&a, tree)
	if m.wide != nil {
		const worthwhile = 0.8 // of the cost: literals valid only in ASCII must be this much cheaper
		narrow := &Matcher{options: m.options}
		b := analysis{lines: a.lines, narrow: true}
		if c := narrow.plan(&b, tree); c+costASCII < worthwhile*cost {
			m.set, m.excluded = narrow.set, narrow.excluded
		}
	}
	a.ascii = true
	if raw := a.plan(a.of(tree).inner, costLine); raw.cost < costMachine {
		m.raw = a.finder(raw, false)
	}
}

// plan sets the literals to search for, and returns the cost of the search per byte of source code. The costs are constants of plan.go:
// without literals the machine reads each byte (costMachine), with literals each line that contains one (costLine).
func (m *Matcher) plan(a *analysis, tree *syntax.Regexp) float64 {
	// f.inner are literals of which each match contains one. f.exact are the matches, if the pattern has only a few.
	f, cost := a.of(tree), costMachine
	m.excluded = f.exotic
	if inner := a.plan(f.inner, costLine); inner.cost < costMachine {
		m.set, cost = a.finder(inner, a.lines), inner.cost
		m.set.exactMatch = false
	}
	if exact := a.plan(f.exact, 0); a.lines && exact.cost < costMachine {
		if set := a.finder(exact, true); set.exactMatch {
			m.set, cost = set, exact.cost
		}
	}
	return cost
}

// Hint returns advice for a valid pattern that probably has another meaning than intended; "" for most patterns. Show it if
// there are no matches.
func (m *Matcher) Hint() string { return hintFor(m.text, m.options) }

// Lines iterates over the matching lines of a text, in order. Lines end at LF, CRLF or a lone CR; the line end is not matched.
// The text is UTF-8 without a byte-order mark; invalid bytes are read as U+FFFD. It must not change while the matches are used.
func (m *Matcher) Lines(text []byte) iter.Seq[Match] {
	return m.LinesContext(context.Background(), text)
}

// LinesContext is like Lines, but stops when ctx ends. The caller checks ctx.Err. The delay is some milliseconds in line mode,
// and up to the duration of one match in multiline mode.
func (m *Matcher) LinesContext(ctx context.Context, text []byte) iter.Seq[Match] {
	if m.options.Multiline {
		return m.blocks(ctx, text)
	}
	return func(yield func(Match) bool) {
		number, start := 1, 0
		m.search(ctx, text, func(text []byte, at int) bool {
			next := start + bytes.LastIndexByte(text[start:at], '\n') + 1
			number += bytes.Count(text[start:next], lf)
			start = next
			return yield(Match{Line: number, Lines: 1, Start: start, End: lineEnd(text, start, at), m: m, text: text})
		})
	}
}

// Count returns the number of matching lines; in multiline mode, of lines that contain matches. It is faster than counting the
// results of Lines.
func (m *Matcher) Count(text []byte) int { return m.CountContext(context.Background(), text) }

// CountContext is like Count, but stops when ctx ends; the number is then too small.
func (m *Matcher) CountContext(ctx context.Context, text []byte) int {
	n := 0
	if m.options.Multiline {
		for block := range m.blocks(ctx, text) {
			n += block.Lines
		}
		return n
	}
	m.search(ctx, text, func([]byte, int) bool {
		n++
		return true
	})
	return n
}

// Match reports whether any line of a text matches.
func (m *Matcher) Match(text []byte) bool {
	for range m.Lines(text) {
		return true
	}
	return false
}

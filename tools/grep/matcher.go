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
	text    string
	options Options
	always  bool                   // every line matches
	set     *finder                // what each match has in it; nil if that is no help
	left    exotic                 // what set leaves out
	raw     *finder                // what is in the bytes of each file that has a match, whatever its encoding; nil if not known
	caches  pool                   // of the machine that decides
	wide    func() *unicodeMatcher // for texts beyond ASCII; nil if the machine decides there, too
	regexp  func() *regexp.Regexp
	rest    *regexp.Regexp // in multiline mode, for the matches behind the first one
	cr      bool           // the pattern is for a text with its CRs
}

// Compile prepares a pattern in the syntax of RE2, as package regexp has it. The error is an *Error that says what is
// wrong with the pattern, where, and what to write instead. A pattern may have 4 KiB, and 10,000 instructions once it is
// compiled.
//
// In line mode a pattern that can only match across line ends is an error, too: it would find nothing.
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
		if m.rest, err = regexp.Compile(p.everywhere); err != nil {
			return nil, explain(text, err)
		}
	}
	w := newWalker(machine)
	if _, v := w.begin(nil); v == matched {
		m.always = true
		return m, nil
	}
	m.prepare(p.tree)
	return m, nil
}

// prepare decides how candidates are found.
func (m *Matcher) prepare(tree *syntax.Regexp) {
	a := analysis{lines: !m.options.Multiline}
	cost := m.plan(&a, tree)
	if m.wide != nil {
		const worthwhile = 0.8 // of the cost, for literals that are of no use beyond ASCII
		narrow := &Matcher{options: m.options}
		b := analysis{lines: a.lines, narrow: true}
		if c := narrow.plan(&b, tree); c+costASCII < worthwhile*cost {
			m.set, m.left = narrow.set, narrow.left
		}
	}
	a.ascii = true
	if raw := a.plan(a.of(tree).inner, costLine); raw.cost < costLanes {
		m.raw = a.finder(raw, false)
	}
}

// plan chooses the literals to look for. It returns the cost of the search for a byte of source code.
func (m *Matcher) plan(a *analysis, tree *syntax.Regexp) float64 {
	f, cost := a.of(tree), costLanes
	m.left = f.exotic
	if inner := a.plan(f.inner, costLine); inner.cost < costLanes {
		m.set, cost = a.finder(inner, a.lines), inner.cost
		m.set.whole = false
	}
	if whole := a.plan(f.exact, 0); a.lines && whole.cost < costLanes {
		if set := a.finder(whole, true); set.whole {
			m.set, cost = set, whole.cost
		}
	}
	return cost
}

// Hint is advice for a pattern that is legal but, by its looks, means something else than it does here; most have none.
// It is for whoever finds nothing.
func (m *Matcher) Hint() string { return hintFor(m.text, m.options) }

// Lines finds the lines of a text that match, in order. They end at LF, CRLF or a lone CR; what is matched is a line
// without its end. The text is UTF-8, without a byte-order mark; a byte that is no UTF-8 is taken for U+FFFD. It must not
// change while the matches are used.
func (m *Matcher) Lines(text []byte) iter.Seq[Match] {
	return m.LinesContext(context.Background(), text)
}

// LinesContext is Lines that ends when ctx does; whether it did is for the caller to ask of ctx. In line mode it takes
// some milliseconds until that is noticed, in multiline mode up to the time that a match takes.
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

// Count answers how many lines of a text match; in multiline mode, how many lines matches lie in. It is faster than to
// count what Lines finds.
func (m *Matcher) Count(text []byte) int { return m.CountContext(context.Background(), text) }

// CountContext is Count that answers too few when ctx ends, as LinesContext does.
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

// Match tells whether any line of a text matches.
func (m *Matcher) Match(text []byte) bool {
	for range m.Lines(text) {
		return true
	}
	return false
}

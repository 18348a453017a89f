package grep

import (
	"bytes"
	"context"
)

// window is the number of bytes that are read before their matches are reported.
const window = 256 << 10

// visitor receives a position in a matching line, which may be within the line end, and the text without lone CR. It returns
// whether to continue.
type visitor func(text []byte, at int) bool

// search calls visit with a position in each matching line, in order, until visit returns false or ctx ends.
func (m *Matcher) search(ctx context.Context, text []byte, visit visitor) {
	switch {
	case m.always:
		visitEveryLine(ctx, withoutLoneCR(text), visit)
	case m.set == nil:
		m.scan(ctx, withoutLoneCR(text), 0, visit)
	case !m.excluded.occursIn(text):
		m.searchLiterals(ctx, text, visit)
	case m.excluded&largeClass != 0 && !(m.excluded &^ largeClass).occursIn(text) && !mostlyUnicode(text):
		m.searchLiteralsASCII(ctx, withoutLoneCR(text), visit)
	default:
		m.scan(ctx, withoutLoneCR(text), 0, visit)
	}
}

func visitEveryLine(ctx context.Context, text []byte, visit visitor) {
	for at := 0; at < len(text) && visit(text, at) && ctx.Err() == nil; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return
		}
		at += n + 1
	}
}

// occursIn reports whether a text contains one of the characters.
func (e exotic) occursIn(text []byte) bool {
	return e&largeClass != 0 && !isASCII(text) || e&longS != 0 && bytes.Contains(text, []byte("ſ")) || e&kelvin != 0 && bytes.Contains(text, []byte("\u212A"))
}

// scan is search with the machine alone, starting at the line at from.
func (m *Matcher) scan(ctx context.Context, text []byte, from int, visit visitor) {
	c := m.caches.get()
	defer m.caches.put(c)
	for from < len(text) && ctx.Err() == nil {
		to := windowEnd(text, from)
		if f := m.wideFor(text[from:to]); f != nil {
			for _, at := range f.scan(ctx, text[from:to]) {
				if !visit(text, from+at) {
					return
				}
			}
			from = to
			continue
		}
		c.scan(ctx, text[from:to])
		for _, places := range c.hits {
			for _, at := range places {
				if !visit(text, from+at) {
					return
				}
			}
		}
		from = to
	}
}

// wideFor returns the matcher for a text with many characters beyond ASCII; nil if the automaton reads it.
func (m *Matcher) wideFor(text []byte) *unicodeMatcher {
	if m.wide == nil || !mostlyUnicode(text) {
		return nil
	}
	if f := m.wide(); f.caches != nil {
		return f
	}
	return nil
}

// windowEnd returns the end of a window that consists of complete lines.
func windowEnd(text []byte, from int) int {
	to := from + window
	if to >= len(text) {
		return len(text)
	}
	if n := bytes.LastIndexByte(text[from:to], '\n'); n >= 0 {
		return from + n + 1
	}
	if n := bytes.IndexByte(text[to:], '\n'); n >= 0 {
		return to + n + 1
	}
	return len(text)
}

// searchLiterals is search with the finder, and with the machine in lines with a literal. If literals are too frequent, the
// machine continues alone.
func (m *Matcher) searchLiterals(ctx context.Context, text []byte, visit visitor) {
	h := literalSearch{finder: m.set, text: text}
	at := h.find(0)
	if at == notFound {
		return
	}
	text = withoutLoneCR(text)
	h.text = text
	lines := lineMatcher{m: m}
	defer lines.close()
	for start := 0; at != notFound && ctx.Err() == nil; at = h.find(start) {
		if at == tooFrequent || lines.bytesRead > 4096 && lines.bytesRead > start/8 {
			lines.close()
			m.scan(ctx, text, start, visit)
			return
		}
		next := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		if (m.set.exactMatch || lines.match(ctx, text[:next], start, at)) && !visit(text, at) {
			return
		}
		start = next
	}
}

// searchLiteralsASCII is searchLiterals for literals that are valid in ASCII only: lines beyond ASCII are matched one by one.
func (m *Matcher) searchLiteralsASCII(ctx context.Context, text []byte, visit visitor) {
	wanted := true
	for from := 0; from < len(text) && wanted && ctx.Err() == nil; {
		start, end := len(text), len(text)
		if n := indexBeyondASCII(text[from:]); n >= 0 {
			start, end = lineAround(text, from+n)
		}
		m.searchLiterals(ctx, text[from:start], func(_ []byte, at int) bool {
			wanted = visit(text, from+at)
			return wanted
		})
		if start < len(text) && wanted && m.wide().matchLine(ctx, text[start:end]) {
			wanted = visit(text, start)
		}
		n := bytes.IndexByte(text[end:], '\n')
		if n < 0 {
			return
		}
		from = end + n + 1
	}
}

// lineMatcher matches lines one by one.
type lineMatcher struct {
	m         *Matcher
	cache     *cache // nil until it is needed
	bytesRead int    // bytes
}

// match reports whether the line around a position matches. The last line of the text begins at start or later.
func (l *lineMatcher) match(ctx context.Context, text []byte, start, at int) bool {
	if l.cache == nil {
		l.cache = l.m.caches.get()
	}
	start += bytes.LastIndexByte(text[start:at], '\n') + 1
	line := text[start:lineEnd(text, start, at)]
	l.bytesRead += len(line)
	return l.cache.matchLine(ctx, line)
}

func (l *lineMatcher) close() {
	if l.cache != nil {
		l.m.caches.put(l.cache)
		l.cache = nil
	}
}

package grep

import (
	"bytes"
	"context"
)

// window is how much of a text is read before its matches are told, in bytes.
const window = 256 << 10

// visitor is told a place in a line that matches, which may be that of the line end, and the text with no lone CR; it
// answers whether more are wanted.
type visitor func(text []byte, at int) bool

// search tells a place in each line that matches, in order, until no more are wanted or ctx ends.
func (m *Matcher) search(ctx context.Context, text []byte, visit visitor) {
	switch {
	case m.always:
		everyLine(ctx, withoutLoneCR(text), visit)
	case m.set == nil:
		m.scan(ctx, withoutLoneCR(text), 0, visit)
	case !m.left.in(text):
		m.hunt(ctx, text, visit)
	case m.left&beyond != 0 && !(m.left &^ beyond).in(text) && !mostlyUnicode(text):
		m.huntASCII(ctx, withoutLoneCR(text), visit)
	default:
		m.scan(ctx, withoutLoneCR(text), 0, visit)
	}
}

func everyLine(ctx context.Context, text []byte, visit visitor) {
	for at := 0; at < len(text) && visit(text, at) && ctx.Err() == nil; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return
		}
		at += n + 1
	}
}

// in tells whether a text has characters that sets leave out.
func (e exotic) in(text []byte) bool {
	return e&beyond != 0 && !isASCII(text) || e&longS != 0 && bytes.Contains(text, []byte("ſ")) || e&kelvin != 0 && bytes.Contains(text, []byte("\u212A"))
}

// scan is search by the machine alone, from a line on.
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

// wideFor returns the reader of a text with many characters beyond ASCII; nil if the automaton reads it.
func (m *Matcher) wideFor(text []byte) *unicodeMatcher {
	if m.wide == nil || !mostlyUnicode(text) {
		return nil
	}
	if f := m.wide(); f.caches != nil {
		return f
	}
	return nil
}

// windowEnd answers the end of a window of whole lines.
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

// hunt is search by the finder, and by the machine in the lines where something is found. The machine goes on alone where
// literals are too frequent for that to be worthwhile.
func (m *Matcher) hunt(ctx context.Context, text []byte, visit visitor) {
	h := hunt{finder: m.set, text: text}
	at := h.find(0)
	if at == nothing {
		return
	}
	text = withoutLoneCR(text)
	h.text = text
	lines := lineMatcher{m: m}
	defer lines.close()
	for start := 0; at != nothing && ctx.Err() == nil; at = h.find(start) {
		if at == tooOften || lines.read > 4096 && lines.read > start/8 {
			lines.close()
			m.scan(ctx, text, start, visit)
			return
		}
		next := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		if (m.set.whole || lines.match(ctx, text[:next], start, at)) && !visit(text, at) {
			return
		}
		start = next
	}
}

// huntASCII is hunt for literals that are of use in ASCII only: lines beyond ASCII are matched one by one.
func (m *Matcher) huntASCII(ctx context.Context, text []byte, visit visitor) {
	wanted := true
	for from := 0; from < len(text) && wanted && ctx.Err() == nil; {
		start, end := len(text), len(text)
		if n := indexBeyondASCII(text[from:]); n >= 0 {
			start, end = lineAround(text, from+n)
		}
		m.hunt(ctx, text[from:start], func(_ []byte, at int) bool {
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

// lineMatcher decides about lines one by one.
type lineMatcher struct {
	m     *Matcher
	cache *cache // nil as long as none was needed
	read  int    // bytes
}

// match tells whether the line that a place is in matches; the last line of the text, begun at start or behind it.
func (l *lineMatcher) match(ctx context.Context, text []byte, start, at int) bool {
	if l.cache == nil {
		l.cache = l.m.caches.get()
	}
	start += bytes.LastIndexByte(text[start:at], '\n') + 1
	line := text[start:lineEnd(text, start, at)]
	l.read += len(line)
	return l.cache.matchLine(ctx, line)
}

func (l *lineMatcher) close() {
	if l.cache != nil {
		l.m.caches.put(l.cache)
		l.cache = nil
	}
}

package grep

import (
	"bytes"
	"context"
	"iter"
	"unicode/utf8"
)

// blocks iterates over the lines that contain matches of a multiline pattern.
func (m *Matcher) blocks(ctx context.Context, text []byte) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		b := blocks{m: m, yield: yield}
		if m.cr {
			b.text, b.shape = text, withoutLoneCR(text)
		} else {
			b.text = withoutCR(text)
			b.shape = b.text
		}
		b.origin = origin{text: text, moved: len(b.text) != len(text)}
		f := newRanges(m, b.text)
		defer f.close()
		for from, to, ok := f.next(ctx); ok; from, to, ok = f.next(ctx) {
			if !b.add(from, to) {
				return
			}
		}
		b.emit()
	}
}

// blocks collects matches into blocks of lines.
type blocks struct {
	m      *Matcher
	yield  func(Match) bool
	text   []byte // text that is matched
	shape  []byte // text without lone CR, for line numbers
	origin origin // maps offsets to the original text

	open     bool // whether a block has not been emitted
	from, to int  // first match of the block
	end      int  // end of its last line, with the line end
	number   int  // lines in front of counted
	counted  int
	start    int
}

// add adds the next match. It returns false if the consumer stops.
func (b *blocks) add(from, to int) bool {
	if from == len(b.text) && (from == 0 || b.shape[from-1] == '\n') {
		return true // behind the last line
	}
	last := max(from, to-1) // in the last line, or its end
	joined := b.open && (from < b.end || b.shape[b.end-1] != '\n')
	if joined && last < b.end {
		return true
	}
	if !joined && !b.emit() {
		return false
	}
	end := len(b.shape)
	if n := bytes.IndexByte(b.shape[last:], '\n'); n >= 0 {
		end = last + n + 1
	}
	if joined {
		b.end = end
		return true
	}
	b.start = b.counted + bytes.LastIndexByte(b.shape[b.counted:from], '\n') + 1
	b.open, b.from, b.to, b.end = true, from, to, end
	return true
}

// emit passes the open block to the consumer.
func (b *blocks) emit() bool {
	if !b.open {
		return true
	}
	b.open = false
	b.number += bytes.Count(b.shape[b.counted:b.start], lf)
	lines := bytes.Count(b.shape[b.start:b.end], lf)
	first := b.number + 1
	b.number += lines
	b.counted = b.end
	if b.shape[b.end-1] != '\n' {
		lines++
	}
	hit := Match{Line: first, Lines: lines, Start: b.origin.of(b.start), from: b.origin.of(b.from), known: true}
	end := contentEnd(b.shape, b.start, b.end)
	if b.to <= end {
		hit.to = b.origin.of(b.to)
	}
	hit.End = b.origin.of(end)
	if b.to > end { // the match extends into the line end
		hit.to = b.origin.of(b.to)
	}
	return b.yield(hit)
}

// contentEnd returns the end of the last line of a block, without its line end.
func contentEnd(text []byte, start, end int) int {
	if end > start && text[end-1] == '\n' {
		if end--; end > start && text[end-1] == '\r' {
			end--
		}
	}
	return end
}

// ranges finds the matches in a text like regexp.FindAllIndex, one at a time.
type ranges struct {
	m      *Matcher
	text   []byte
	at     int // start of the next search
	end    int // end of the last match
	valid  bool
	hunt   *literalSearch
	caches *pool
	cache  *cache          // nil if it is not usable for the text
	wide   *unicodeMatcher // for a text beyond ASCII, if the pattern uses Unicode
}

func newRanges(m *Matcher, text []byte) *ranges {
	r := &ranges{m: m, text: text, end: -1, valid: utf8.Valid(text), caches: &m.caches}
	if m.wide != nil && !isASCII(text) {
		r.wide = m.wide()
		r.caches = r.wide.caches
	}
	if r.caches != nil {
		r.cache = r.caches.get()
	} else {
		r.valid = false
	}
	if m.set != nil && !m.excluded.occursIn(text) {
		r.hunt = &literalSearch{finder: m.set, text: text, unlimited: true}
	}
	return r
}

func (r *ranges) close() {
	if r.cache != nil {
		r.caches.put(r.cache)
	}
}

// next returns the next match. ok is false at the end, or after ctx has ended.
func (r *ranges) next(ctx context.Context) (from, to int, ok bool) {
	for r.at <= len(r.text) && ctx.Err() == nil && r.possible(ctx) {
		found := r.find(ctx)
		if found == nil {
			return 0, 0, false
		}
		from, to = found[0], found[1]
		abuts := from == to && from == r.end
		r.end = to
		if to > r.at {
			r.at = to
		} else {
			_, size := utf8.DecodeRune(r.text[r.at:])
			r.at += max(size, 1)
		}
		if !abuts {
			return from, to, true
		}
	}
	return 0, 0, false
}

// possible returns false if there is certainly no further match.
func (r *ranges) possible(ctx context.Context) bool {
	if r.m.always {
		return true
	}
	if r.hunt != nil && r.hunt.find(r.at) == notFound {
		return false
	}
	possible, sure := true, r.valid
	if sure {
		possible, sure = r.cache.possible(ctx, r.text, r.at)
	}
	r.valid = sure // otherwise the cache is not usable for this text
	return possible
}

// find returns the next match from r.at on.
func (r *ranges) find(ctx context.Context) []int {
	if r.wide != nil {
		return r.wide.find(ctx, r.text, r.at)
	}
	if r.at == 0 {
		return r.m.regexp().FindIndex(r.text)
	}
	_, size := utf8.DecodeLastRune(r.text[:r.at])
	base := r.at - size
	groups := r.m.nextMatch.FindSubmatchIndex(r.text[base:])
	if groups == nil {
		return nil
	}
	return []int{groups[2] + base, groups[3] + base}
}

// possible reports whether a match begins at or behind at. If sure is false, package regexp must decide.
func (c *cache) possible(ctx context.Context, text []byte, at int) (possible, sure bool) {
	f, v := c.begin(nil)
	if at > 0 {
		f, v = c.beginBehind(text[at-1])
	}
	state := c.stateOf(f, v)
	for c.pausedBytes <= 0 && state < special && at < len(text) && ctx.Err() == nil {
		n := min(window, len(text)-at)
		state = c.follow(state, text[at:at+n])
		at += n
	}
	switch {
	case state == stateMatched:
		return true, true
	case state < special && at == len(text):
		return c.finish(c.front(state)), true
	}
	c.pausedBytes = 0
	return true, false
}

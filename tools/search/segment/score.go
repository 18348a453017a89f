package segment

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// window is the number of pieces that are scored together.
const window = 4096

// unit is the integer that represents a score of 1. Integer sums do not depend on their
// order.
const unit = 1 << 20

// fewWords is the maximum number of words of a term that is looked up per piece. A term
// with more words is always read completely.
const fewWords = 4

// runner is a term in one segment.
type runner struct {
	*term
	cursors []*cursor
	bound   int64  // maximum score in a piece
	bit     uint64 // its bit in Matched
}

// scorer scores the pieces of a segment in windows. Terms that can still bring a piece
// into the results are read completely. The others are looked up only for pieces that
// were already found.
type scorer struct {
	scoring  *scoring
	topHits  *topHits
	segment  *live
	allowed  *allowed
	read     []*runner // terms that are read completely
	asked    []*runner // terms that are looked up per piece, by descending bound
	rest     int64     // sum of the bounds of asked
	required int       // number of required terms in read
	strict   bool      // asked contains a required term
	total    int
	cursors  []*cursor

	scores  [window]int64
	matched [window]uint64
	held    [window]uint8 // number of required terms in each piece
	one     [window]int64 // highest score of a word of the current term
	found   [window / 64]uint64
}

// run scores a segment.
func (s *scorer) run(runners []*runner) {
	s.assign(runners)
	for len(s.read) > 0 {
		first := uint32(end)
		for _, r := range s.read {
			for _, c := range r.cursors {
				first = min(first, c.piece)
			}
		}
		if first == end {
			return
		}
		from := first / window * window
		for _, r := range s.read {
			s.readTerm(r, from)
		}
		s.collect(from)
		s.reassign()
	}
}

// assign selects the terms to read at the start: the rarest of the required terms, and
// terms that are slow to look up.
func (s *scorer) assign(runners []*runner) {
	s.read, s.asked, s.rest, s.required, s.strict = s.read[:0], s.asked[:0], 0, 0, false
	lead := -1
	for i, r := range runners {
		if r.required && (lead < 0 || r.frequency < runners[lead].frequency) {
			lead = i
		}
	}
	for i, r := range runners {
		if lead < 0 || i == lead || len(r.cursors) > fewWords {
			s.read = append(s.read, r)
			if r.required {
				s.required++
			}
		} else {
			s.ask(r)
		}
	}
	slices.SortStableFunc(s.read, func(a, b *runner) int { return int(min(max(b.bound-a.bound, -1), 1)) })
	s.reassign()
}

// ask changes a term from reading to lookup.
func (s *scorer) ask(r *runner) {
	s.rest += r.bound
	s.strict = s.strict || r.required
	s.asked = append(s.asked, r)
	slices.SortStableFunc(s.asked, func(a, b *runner) int { return int(min(max(b.bound-a.bound, -1), 1)) })
}

// reassign changes terms to lookup that can no longer bring a piece into the results.
func (s *scorer) reassign() {
	for i := len(s.read) - 1; i > 0; i-- {
		r := s.read[i]
		if r.required || len(r.cursors) > fewWords {
			continue
		}
		if !s.topHits.full() || s.rest+r.bound >= s.topHits.least() {
			return
		}
		s.read = slices.Delete(s.read, i, i+1)
		s.ask(r)
	}
}

// readTerm adds the scores of a term for the pieces of a window.
func (s *scorer) readTerm(r *runner, from uint32) {
	several := len(r.cursors) > 1
	if several {
		clear(s.one[:])
	}
	for _, c := range r.cursors {
		for c.piece < from+window {
			at := c.at
			for ; at < c.n && c.pieces[at] < from+window; at++ {
				piece := c.pieces[at]
				if !s.allowed.piece(piece) {
					continue
				}
				if score := s.count(r, piece, c.tfs[at]); score > 0 {
					s.add(r, piece-from, score, several)
				}
			}
			c.move(at)
		}
	}
}

// add adds the score of one word of a term to a piece. With several words, the highest
// score counts.
func (s *scorer) add(r *runner, at uint32, score int64, several bool) {
	first := true
	if several {
		first = s.one[at] == 0
		if score <= s.one[at] {
			return
		}
		score, s.one[at] = score-s.one[at], score
	}
	if bit := uint64(1) << (at % 64); s.found[at/64]&bit == 0 {
		s.found[at/64] |= bit
		s.scores[at], s.matched[at], s.held[at] = 0, 0, 0
	}
	s.scores[at] += score
	s.matched[at] |= r.bit
	if first && r.required {
		s.held[at]++
	}
}

// count returns the score of a posting: at least 1, or 0 if no field has weight.
func (s *scorer) count(r *runner, piece uint32, tf frequencies) int64 {
	x := s.scoring.one(tf, s.segment.lengths(piece))
	if x <= 0 {
		return 0
	}
	return max(int64(r.scale*x*unit), 1)
}

// collect adds the pieces of a window to the results.
func (s *scorer) collect(from uint32) {
	for i := range s.found {
		word := s.found[i]
		s.found[i] = 0
		for ; word != 0; word &= word - 1 {
			at := uint32(64*i + bits.TrailingZeros64(word))
			if int(s.held[at]) == s.required {
				s.candidate(from+at, s.scores[at], s.matched[at])
			}
		}
	}
}

// candidate looks up the remaining terms for a piece, unless it cannot enter the
// results.
func (s *scorer) candidate(piece uint32, score int64, matched uint64) {
	if !s.strict {
		s.total++
	}
	rest := s.rest
	for _, r := range s.asked {
		if s.topHits.full() && score+rest < s.topHits.least() {
			return
		}
		rest -= r.bound
		most := int64(0)
		for _, c := range r.cursors {
			c.seek(piece)
			if c.piece == piece {
				most = max(most, s.count(r, piece, c.tf()))
			}
		}
		if most == 0 {
			if r.required {
				return
			}
			continue
		}
		score += most
		matched |= r.bit
	}
	if s.strict {
		s.total++
	}
	s.topHits.add(hit{live: s.segment, piece: piece, score: score, matched: matched})
}

// scoring computes the BM25F score of a word in a piece.
type scoring struct {
	k1    float64
	norms [index.Fields][256]float64 // weight of one occurrence in a field, by length code
}

func (s *state) scoring(q *index.Query) *scoring {
	w := &scoring{k1: q.K1}
	if w.k1 <= 0 {
		w.k1 = defaultK1
	}
	weights, b := q.Weights, q.B
	if weights == ([index.Fields]float64{}) {
		weights = defaultWeights()
	}
	if b == ([index.Fields]float64{}) {
		b = defaultB()
	}
	for f := range w.norms {
		sum, pieces := 0.0, 0.0
		for _, l := range s.live {
			sum += float64(l.sums[f])
			pieces += float64(l.pieces)
		}
		average := max(sum/max(pieces, 1), 1e-9)
		for code := range w.norms[f] {
			length := float64(lengthOf(uint8(code))) / average
			w.norms[f][code] = max(weights[f], 0) / max(1-b[f]+b[f]*length, 1e-9)
		}
	}
	return w
}

// one returns the score as a fraction of the term's maximum.
func (w *scoring) one(tf frequencies, lengths *[index.Fields]uint8) float64 {
	const body = 8 * index.Body
	x := 0.0
	if tf&^(0xFF<<body) == 0 {
		x = w.norms[index.Body][lengths[index.Body]] * float64(tf>>body)
	} else {
		for f := range lengths {
			if n := tf.of(f); n > 0 {
				x += w.norms[f][lengths[f]] * float64(n)
			}
		}
	}
	return x * (w.k1 + 1) / (w.k1 + x)
}

// hit is a scored piece.
type hit struct {
	live    *live
	piece   uint32
	score   int64
	matched uint64
	path    string // set by topHits.add
}

// before reports the order of hits: by descending score, path and position.
func (h *hit) before(o *hit) bool {
	if h.score != o.score {
		return h.score > o.score
	}
	if c := strings.Compare(h.path, o.path); c != 0 {
		return c < 0
	}
	return h.piece < o.piece
}

// topHits keeps the best hits in a heap with the worst one on top.
type topHits struct {
	limit int
	hits  []hit

	live *live // of the last hit, with its file; hits arrive in order
	file uint32
}

func (b *topHits) full() bool { return len(b.hits) >= b.limit }

func (b *topHits) least() int64 { return b.hits[0].score }

func (b *topHits) add(h hit) {
	if b.full() && h.score < b.least() {
		return
	}
	if b.live != h.live || b.file > 0 && h.live.rows[b.file].first > h.piece {
		b.live, b.file = h.live, 0
	}
	for int(b.file)+1 < len(h.live.rows) && h.live.rows[b.file+1].first <= h.piece {
		b.file++
	}
	h.path = h.live.rows[b.file].path
	if !b.full() {
		b.hits = append(b.hits, h)
		b.up(len(b.hits) - 1)
		return
	}
	if h.before(&b.hits[0]) {
		b.hits[0] = h
		b.down()
	}
}

func (b *topHits) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !b.hits[parent].before(&b.hits[i]) {
			return
		}
		b.hits[parent], b.hits[i] = b.hits[i], b.hits[parent]
		i = parent
	}
}

func (b *topHits) down() {
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.hits); child++ {
			if b.hits[worst].before(&b.hits[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.hits[i], b.hits[worst] = b.hits[worst], b.hits[i]
		i = worst
	}
}

// candidates reads the metadata of the hits and returns them by descending score.
func (b *topHits) candidates() ([]index.Candidate, error) {
	// The metadata of a file's pieces is read together.
	slices.SortFunc(b.hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.live.number, y.live.number), cmp.Compare(x.piece, y.piece))
	})
	list := make([]index.Candidate, 0, len(b.hits))
	for rest := b.hits; len(rest) > 0; {
		l := rest[0].live
		file := l.fileOf(rest[0].piece)
		row := l.row(file)
		var numbers []uint32
		for _, h := range rest {
			if h.live != l || h.piece >= row.first+row.count {
				break
			}
			numbers = append(numbers, h.piece)
		}
		pieces, err := l.piecesOf(&row, numbers)
		if err != nil {
			return nil, err
		}
		known := l.known(&row)
		for i := range pieces {
			list = append(list, index.Candidate{File: known, Piece: pieces[i], Score: float64(rest[i].score) / unit, Matched: rest[i].matched})
		}
		rest = rest[len(numbers):]
	}
	slices.SortStableFunc(list, func(x, y index.Candidate) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), strings.Compare(x.File.Path, y.File.Path), cmp.Compare(x.Piece.Range.Start, y.Piece.Range.Start))
	})
	return list, nil
}

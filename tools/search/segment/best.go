package segment

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// hit is a piece that was found.
type hit struct {
	live    *live
	piece   uint32
	score   int64
	matched uint64
	path    string // set by best
}

// before is the order of hits: the better first, then by path, then by place.
func (h *hit) before(o *hit) bool {
	if h.score != o.score {
		return h.score > o.score
	}
	if c := strings.Compare(h.path, o.path); c != 0 {
		return c < 0
	}
	return h.piece < o.piece
}

// best keeps the best hits: a heap, with the worst of them on top.
type best struct {
	limit int
	hits  []hit

	live *live // of the last hit, and its file, since hits come in order
	file uint32
}

func (b *best) full() bool   { return len(b.hits) >= b.limit }
func (b *best) least() int64 { return b.hits[0].score }

func (b *best) add(h hit) {
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

func (b *best) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !b.hits[parent].before(&b.hits[i]) {
			return
		}
		b.hits[parent], b.hits[i] = b.hits[i], b.hits[parent]
		i = parent
	}
}

func (b *best) down() {
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

// candidates reads what is known of the hits, best first.
func (b *best) candidates() ([]index.Candidate, error) {
	// Those of one file are read together.
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

package repomap

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Ranked is a ranked declaration. Chunk is its index in the parse result of File. Rank is
// comparable only within one Ranking; a higher value is more important.
type Ranked struct {
	File  *index.File
	Chunk int
	Rank  float64
}

// Ranking contains the ranked declarations of a project. It does not change.
type Ranking struct {
	graph *graph
	ranks []float64 // by index in graph.places
}

// Len returns the number of declarations.
func (r *Ranking) Len() int { return len(r.ranks) }

// All returns the declarations, the most important first. A loop that stops early avoids
// the sorting of the rest.
func (r *Ranking) All() iter.Seq[Ranked] {
	return func(yield func(Ranked) bool) {
		// A heap sorts only as many declarations as the caller reads.
		heap := make([]int32, len(r.ranks))
		for i := range heap {
			heap[i] = int32(i)
		}
		for i := len(heap)/2 - 1; i >= 0; i-- {
			r.sink(heap, i)
		}
		for len(heap) > 0 {
			at := heap[0]
			p := &r.graph.places[at]
			if !yield(Ranked{r.graph.files[p.file], int(p.chunk), r.ranks[at]}) {
				return
			}
			last := len(heap) - 1
			heap[0], heap = heap[last], heap[:last]
			r.sink(heap, 0)
		}
	}
}

// sink moves the element i of a heap down to its position.
func (r *Ranking) sink(heap []int32, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && r.before(heap[child+1], heap[child]) {
			child++
		}
		if !r.before(heap[child], heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// before reports whether declaration a precedes b: the more important one first, then the
// order of files and lines.
func (r *Ranking) before(a, b int32) bool {
	if r.ranks[a] != r.ranks[b] {
		return r.ranks[a] > r.ranks[b]
	}
	p, q := &r.graph.places[a], &r.graph.places[b]
	if p.file != q.file {
		return p.file < q.file
	}
	return p.chunk < q.chunk
}

// ranking computes the ranks of all declarations.
func (s *spreading) ranking() *Ranking {
	ranks := make([]float64, len(s.places))
	members := make([]float64, len(s.places))
	for i := range s.places {
		if outer := s.places[i].outer; outer >= 0 {
			members[outer] = max(members[outer], s.ranks[i])
		}
	}
	for i, of := range members {
		ranks[i] = s.rank(i, factorMembers*of)
	}
	s.spreadOut(ranks)
	return &Ranking{s.graph, ranks}
}

// rank returns the importance of a declaration: the one that uses and the focus give it,
// except the focus on known files, by its weight and size. more is the importance that it
// gets from its members.
func (s *spreading) rank(at int, more float64) float64 {
	p := &s.places[at]
	rank := max(s.ranks[at]-s.restart*s.known[at], 0) + more
	if s.relevance != nil {
		return rank * math.Sqrt(float64(p.weight)) * float64(p.size)
	}
	return math.Pow(rank, powerRank) * float64(p.weight) * math.Pow(float64(p.size), powerSize)
}

// Powers of the parts of an importance without a query. The few declarations that almost
// all code uses tell less about a project than the large ones that use many others.
const (
	powerRank = 0.6
	powerSize = 1.3
)

// spreadOut reduces the ranks of the second and further declarations of a file, so that a
// map shows several files.
func (s *spreading) spreadOut(ranks []float64) {
	var in []int32
	for i := range s.files {
		in = in[:0]
		for _, at := range s.placeOf[s.starts[i]:s.starts[i+1]] {
			if at >= 0 {
				in = append(in, at)
			}
		}
		slices.SortStableFunc(in, func(a, b int32) int { return cmp.Compare(ranks[b], ranks[a]) })
		for n, at := range in {
			ranks[at] /= math.Pow(float64(1+n), factorSame)
		}
	}
}

// factorMembers is the part of the importance of its most important member that a type gets.
const factorMembers = 0.4

// factorSame is the power by which the ranks within a file decrease.
const factorSame = 0.15

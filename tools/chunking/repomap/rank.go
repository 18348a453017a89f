package repomap

import (
	"iter"
	"math"

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
	types := s.typeRanks()
	ranks := make([]float64, len(s.places))
	at := 0
	for i := range s.names {
		for _, p := range s.placesOf(i) {
			rank := s.rank(i, p)
			// Many methods and inner types share a name. The importance of the enclosing type
			// distinguishes them.
			switch {
			case p.outer >= 0:
				rank = math.Sqrt(rank*types[p.outer]) / 2
			case p.outer == strangeOuter:
				rank /= 4
			}
			// Unused declarations are ordered by the importance of their files.
			rank += s.fileRanks[p.file] * 1e-3 * float64(p.weight) / float64(1+s.files[p.file].Len())
			ranks[at] = rank
			at++
		}
	}
	return &Ranking{s.graph, ranks}
}

// rank returns the importance of a declaration: its part of the importance of its name.
func (s *spreading) rank(name int, p place) float64 {
	w := float64(p.weight)
	return s.nameRanks[name] * w / s.names[name].weight * w
}

// typeRanks returns the highest rank of the types in each slot.
func (s *spreading) typeRanks() []float64 {
	ranks := make([]float64, s.slots)
	for _, t := range s.types {
		rank := s.rank(int(t.name), s.places[t.place])
		ranks[t.inFile] = max(ranks[t.inFile], rank)
		ranks[t.inDir] = max(ranks[t.inDir], rank)
	}
	return ranks
}

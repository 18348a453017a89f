package repomap

import (
	"iter"
	"math"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Ranked is a declaration with its importance.
type Ranked struct {
	File  *index.File
	Chunk int
	Rank  float64
}

// Ranking is the declarations of a project in the order of their importance.
type Ranking struct {
	graph *graph
	ranks []float64 // of the places
}

// Len is how many declarations there are.
func (r *Ranking) Len() int { return len(r.ranks) }

// All are the declarations, the most important one first. The fewer are asked for
// the faster it is.
func (r *Ranking) All() iter.Seq[Ranked] {
	return func(yield func(Ranked) bool) {
		// A heap, which is in order only as far as somebody looks.
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

// sink lets an element of a heap go down to its place.
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

// before says which of two places comes first: the more important one, or the one
// that stands first.
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

// ranking shares out the importance of names among their declarations.
func (s *spreading) ranking() *Ranking {
	types := s.typeRanks()
	ranks := make([]float64, len(s.places))
	at := 0
	for i := range s.names {
		for _, p := range s.placesOf(i) {
			rank := s.rank(i, p)
			// Names are shared by many methods and inner types. Those of types that matter
			// matter.
			switch {
			case p.outer >= 0:
				rank = math.Sqrt(rank*types[p.outer]) / 2
			case p.outer == strangeOuter:
				rank /= 4
			}
			// Of what nobody else uses that of important files comes first.
			rank += s.fileRanks[p.file] * 1e-3 * float64(p.weight) / float64(1+s.files[p.file].Len())
			ranks[at] = rank
			at++
		}
	}
	return &Ranking{s.graph, ranks}
}

// rank is the importance of one of the places of a name.
func (s *spreading) rank(name int, p place) float64 {
	w := float64(p.weight)
	return s.nameRanks[name] * w / s.names[name].weight * w
}

// typeRanks are what the types are worth to what belongs to them, by their slots.
func (s *spreading) typeRanks() []float64 {
	ranks := make([]float64, s.slots)
	for _, t := range s.types {
		rank := s.rank(int(t.name), s.places[t.place])
		ranks[t.inFile] = max(ranks[t.inFile], rank)
		ranks[t.inDir] = max(ranks[t.inDir], rank)
	}
	return ranks
}

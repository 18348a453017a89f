package repomap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// Focus is the part of the project that a map centres on. Without a focus, all files
// count equally.
type Focus struct {
	// Files are paths as in index.File.Path. A directory stands for all files below it.
	Files []string
	// Identifiers are names of interest.
	Identifiers []string
}

// spreading is the distribution of importance over a graph for one focus.
type spreading struct {
	*graph
	source    []float64 // initial share of importance, by file
	wanted    []int32   // names in focus
	total     []float64 // sum of the flows from each file
	fileRanks []float64
	nameRanks []float64
}

// spread computes the distribution by iteration, until it hardly changes or after the
// maximum number of rounds.
func (g *graph) spread(ctx context.Context, focus Focus) (*spreading, error) {
	s := &spreading{graph: g, nameRanks: make([]float64, len(g.names))}
	s.want(focus.Identifiers)
	s.aim(focus.Files)
	s.fileRanks = slices.Clone(s.source)
	next := make([]float64, len(g.files))
	for range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.round(next)
		change := 0.0
		for i := range next {
			change += math.Abs(next[i] - s.fileRanks[i])
		}
		s.fileRanks, next = next, s.fileRanks
		if change < 1e-6 {
			break
		}
	}
	return s, nil
}

// Parameters of the iteration, as in PageRank: the part of the importance that flows on in
// each round, and the maximum number of rounds.
const (
	damping = 0.5
	rounds  = 30
)

// want finds the names in focus and increases the flows to them.
func (s *spreading) want(identifiers []string) {
	s.total = make([]float64, len(s.from))
	for i := range s.from {
		s.total[i] = s.from[i].total
	}
	if len(identifiers) == 0 {
		return
	}
	wanted := make(map[string]bool, len(identifiers))
	for _, text := range identifiers {
		wanted[text] = true
	}
	for i := range s.names {
		if wanted[s.names[i].text] {
			s.wanted = append(s.wanted, int32(i))
		}
	}
	for i := range s.from {
		flows := s.flowsOf(i)
		for _, n := range s.wanted {
			if at, ok := slices.BinarySearchFunc(flows, n, func(f flow, n int32) int { return cmp.Compare(f.name, n) }); ok {
				s.total[i] += (factorWanted - 1) * float64(flows[at].weight)
			}
		}
	}
}

// aim sets the initial importance: the files and names in focus, or without a match all
// files by their weights.
func (s *spreading) aim(files []string) {
	s.source = make([]float64, len(s.files))
	some := len(s.wanted) > 0
	for i, f := range s.files {
		if within(f.Path, files) {
			s.source[i], some = 1, true
		}
	}
	for _, n := range s.wanted {
		for _, d := range s.declaresOf(int(n)) {
			s.source[d.file]++
		}
	}
	if !some {
		copy(s.source, s.weights)
	}
	sum := 0.0
	for _, w := range s.source {
		sum += w
	}
	for i := range s.source {
		s.source[i] /= sum
	}
}

// within reports whether a path is one of the paths in focus, or below one of them.
func within(path string, focus []string) bool {
	return slices.ContainsFunc(focus, func(f string) bool {
		return f == path || f == "." || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")
	})
}

// round computes the next importance of the files.
func (s *spreading) round(next []float64) {
	clear(s.nameRanks)
	lost := 0.0 // importance of files without flows
	for i, rank := range s.fileRanks {
		if s.total[i] == 0 {
			lost += rank
			continue
		}
		share := rank / s.total[i]
		for _, to := range s.flowsOf(i) {
			s.nameRanks[to.name] += share * float64(to.weight)
		}
	}
	for _, n := range s.wanted {
		s.nameRanks[n] *= factorWanted
	}
	for i, w := range s.source {
		next[i] = (1 - damping + damping*lost) * w
	}
	for i, rank := range s.nameRanks {
		for _, d := range s.declaresOf(i) {
			next[d.file] += damping * rank * d.share
		}
	}
}

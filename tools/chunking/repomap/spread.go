package repomap

import (
	"context"
	"math"
	"slices"
	"strings"
)

// Focus is the part of the project that a map centres on. Without a focus, all files
// count equally.
type Focus struct {
	// Files are paths as in index.File.Path whose code is known. The map shows what they
	// use. A directory stands for all files below it.
	Files []string
	// Identifiers are names of interest.
	Identifiers []string
	// Query is a question or words of interest. Its words are compared with the parts of
	// names and paths, without their endings.
	Query string
	// Recent are paths of files that were edited lately. They count less than the others.
	Recent []string
	// Entries are paths of files with which the program starts or that other programs
	// import, besides those whose names tell it.
	Entries []string
}

// spreading is the distribution of importance over a graph for one focus.
type spreading struct {
	*graph
	source    []float64 // initial share of importance, by node
	known     []float64 // its part of known files, by place
	relevance []float64 // to the query, by place; nil without one
	entries   []bool    // by file
	ranks     []float64 // by node
	restart   float64   // part of the importance that source distributed in the last round
}

// spread computes the distribution by iteration, until it hardly changes or after the
// maximum number of rounds.
func (g *graph) spread(ctx context.Context, focus Focus) (*spreading, error) {
	s := &spreading{graph: g}
	s.aim(focus)
	s.ranks = slices.Clone(s.source)
	next := make([]float64, len(s.ranks))
	for range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.round(next)
		change := 0.0
		for i := range next {
			change += math.Abs(next[i] - s.ranks[i])
		}
		s.ranks, next = next, s.ranks
		if change < 1e-4 {
			break
		}
	}
	return s, nil
}

// Parameters of the iteration, as in PageRank: the part of the importance that flows on in
// each round, and the maximum number of rounds.
const (
	damping = 0.6
	rounds  = 30
)

// Shares of the initial importance.
const (
	shareEntries = 0.25 // of entry points, without a focus
	shareFocus   = 0.9  // of the focus, if it matches something
	shareRecent  = 0.3  // of edited files, if they are the only focus
)

// sharpness is the power of the relevance to a query with which a declaration gets
// importance.
const sharpness = 1.7

// aim sets the initial importance.
func (s *spreading) aim(focus Focus) {
	places, nodes := len(s.places), len(s.places)+len(s.files)
	s.source = make([]float64, nodes)
	base := make([]float64, nodes)
	entry := make([]float64, nodes)
	s.entries = s.entryFiles(focus.Entries)
	for i := range s.places {
		p := &s.places[i]
		base[i] = float64(p.weight)
		if s.entries[p.file] || isMain(s.graph, i) {
			entry[i] = float64(p.weight)
		}
	}
	for i, w := range s.weights {
		base[places+i] = w
		if s.entries[i] {
			entry[places+i] = w
		}
	}
	if total(entry) > 0 {
		addShare(s.source, base, 1-shareEntries)
		addShare(s.source, entry, shareEntries)
	} else {
		addShare(s.source, base, 1)
	}
	wanted := make([]float64, nodes)
	s.known = make([]float64, places)
	some, known := false, 1.0
	if files := s.within(focus.Files); total(files) > 0 {
		addShare(wanted, files, 1)
		copy(s.known, files)
		for i := range s.places {
			if !slices.Contains(focus.Files, s.files[s.places[i].file].Path) {
				s.known[i] = 0
			}
		}
		known = total(files)
		some = true
	}
	if named := s.named(focus.Identifiers); total(named) > 0 {
		addShare(wanted, named, 1)
		some = true
	}
	if relevance := s.relevant(focus.Query); total(relevance) > 0 {
		s.relevance = relevance
		sharp := make([]float64, nodes)
		for i, r := range relevance {
			sharp[i] = math.Pow(r, sharpness)
		}
		addShare(wanted, sharp, 1)
		some = true
	}
	share := float64(shareFocus)
	if recent := s.within(focus.Recent); total(recent) > 0 {
		if some {
			addShare(wanted, recent, shareRecent)
		} else {
			addShare(wanted, recent, 1)
			share = shareRecent
		}
		some = true
	}
	if !some {
		return
	}
	for i := range s.source {
		s.source[i] *= 1 - share
	}
	sum := total(wanted)
	for i := range s.known {
		s.known[i] *= share / sum / known
	}
	addShare(s.source, wanted, share)
}

// total returns the sum of values.
func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// addShare adds values, scaled to the sum share.
func addShare(to, values []float64, share float64) {
	sum := total(values)
	if sum == 0 {
		return
	}
	for i, v := range values {
		to[i] += share * v / sum
	}
}

// within returns the weights of the nodes in paths, which may be directories. It is nil if
// there are none.
func (s *spreading) within(paths []string) []float64 {
	if len(paths) == 0 {
		return nil
	}
	found := make([]bool, len(s.files))
	for i, f := range s.files {
		found[i] = isWithin(f.Path, paths)
	}
	values := make([]float64, len(s.places)+len(s.files))
	for i := range s.places {
		if p := &s.places[i]; found[p.file] {
			values[i] = float64(p.weight)
		}
	}
	for i, w := range s.weights {
		if found[i] && len(s.flowsOf(len(s.places)+i)) > 0 {
			values[len(s.places)+i] = w
		}
	}
	return values
}

// isWithin reports whether a path is one of the paths in focus, or below one of them.
func isWithin(path string, focus []string) bool {
	return slices.ContainsFunc(focus, func(f string) bool {
		return f == path || f == "." || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")
	})
}

// named returns the weights of the declarations with one of the names.
func (s *spreading) named(identifiers []string) []float64 {
	if len(identifiers) == 0 {
		return nil
	}
	values := make([]float64, len(s.places)+len(s.files))
	for i := range s.names {
		if slices.Contains(identifiers, s.names[i].text) {
			begin, end := s.placesOf(i)
			for at := begin; at < end; at++ {
				values[at] = float64(s.places[at].weight)
			}
		}
	}
	return values
}

// round computes the next importance of the nodes.
func (s *spreading) round(next []float64) {
	clear(next)
	lost := 0.0 // importance of nodes without flows
	for i, rank := range s.ranks {
		flows := s.flowsOf(i)
		if len(flows) == 0 {
			lost += rank
			continue
		}
		share := damping * rank / float64(s.totals[i])
		for _, to := range flows {
			next[to.to] += share * float64(to.weight)
		}
	}
	s.restart = 1 - damping + damping*lost
	for i, w := range s.source {
		next[i] += s.restart * w
	}
}

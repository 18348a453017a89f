package repomap

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// graph has files on one side and declared names on the other. Importance flows
// from a file to the names that it uses, and from a name to the files that declare
// it. All that is added up is in the order of files and their declarations, so that
// the sums are the same each time.
type graph struct {
	files []*index.File
	focus Focus

	byName   map[word]int32 // the number of a declared name
	declared []name
	flows    [][]flow  // from each file
	total    []float64 // of the flows from each file
	wanted   []float64 // where importance comes from: the share of each file
	rank     []float64
}

// word is a name in languages that can use each other's.
type word struct {
	family parse.Language
	name   int32
}

func family(l parse.Language) parse.Language {
	switch l {
	case parse.TSX, parse.JavaScript:
		return parse.TypeScript
	case parse.Java, parse.Scala:
		return parse.Kotlin
	case parse.CPP:
		return parse.C
	}
	return l
}

// flow is a use of a declared name, which carries a part of the importance of a
// file.
type flow struct {
	name   int32
	weight float64
}

// name is a declared name.
type name struct {
	text   string
	places []place
	in     []inFile // the files that declare it, each once
	weight float64  // of all places
	factor float64
	rank   float64
}

type place struct {
	file, chunk int
	weight      float64
}

type inFile struct {
	file, places int
	weight       float64
}

// declare gathers the declared names.
func (g *graph) declare(contents []content, names map[string]int32) {
	g.wanted = make([]float64, len(g.files))
	for i, f := range g.files {
		g.wanted[i] = fileWeight(f.Path, contents[i].generated)
		for n := range f.Chunks {
			if !shown(f, n) {
				continue
			}
			id, used := names[f.Chunks[n].Name]
			if !used {
				continue
			}
			in := word{family(f.Language), id}
			at, ok := g.byName[in]
			if !ok {
				at = int32(len(g.declared))
				g.byName[in] = at
				g.declared = append(g.declared, name{text: f.Chunks[n].Name})
			}
			g.declared[at].add(place{i, n, weight(f, n, g.wanted[i])})
		}
	}
	for i := range g.declared {
		d := &g.declared[i]
		most, isType := 0.0, false
		for _, p := range d.places {
			if p.weight > most {
				most, isType = p.weight, g.files[p.file].Chunks[p.chunk].Kind.Type()
			}
		}
		d.factor = factor(d.text, most, d.weight, isType, slices.Contains(g.focus.Identifiers, d.text))
	}
}

func (d *name) add(p place) {
	d.places = append(d.places, p)
	d.weight += p.weight
	if len(d.in) == 0 || d.in[len(d.in)-1].file != p.file {
		d.in = append(d.in, inFile{file: p.file})
	}
	in := &d.in[len(d.in)-1]
	in.places++
	in.weight += p.weight
}

// weigh decides how much each use gives, and where importance comes from.
func (g *graph) weigh(contents []content) {
	g.flows, g.total = make([][]flow, len(g.files)), make([]float64, len(g.files))
	inFocus := make([]float64, len(g.files))
	some := false
	for i, f := range g.files {
		often := 1.0
		if g.focused(f.Path) {
			inFocus[i], often, some = 1, factorFocus, true
		}
		g.flows[i] = g.flowsFrom(i, contents[i].uses, often)
		for _, to := range g.flows[i] {
			g.total[i] += to.weight
		}
	}
	for i := range g.declared {
		if slices.Contains(g.focus.Identifiers, g.declared[i].text) {
			for _, in := range g.declared[i].in {
				inFocus[in.file]++
			}
			some = true
		}
	}
	if some {
		g.wanted = inFocus
	}
	sum := 0.0
	for _, w := range g.wanted {
		sum += w
	}
	for i := range g.wanted {
		g.wanted[i] /= sum
	}
}

// flowsFrom are the declared names that a file uses, in their order.
func (g *graph) flowsFrom(file int, uses []use, often float64) []flow {
	var flows []flow
	kin := family(g.files[file].Language)
	for _, u := range uses {
		at, ok := g.byName[word{kin, u.name}]
		if !ok {
			continue
		}
		d := &g.declared[at]
		count, own := float64(u.count), 1.0
		if n, found := slices.BinarySearchFunc(d.in, file, func(in inFile, file int) int { return in.file - file }); found {
			// What only the file itself declares says nothing of others.
			if len(d.in) == 1 {
				continue
			}
			count, own = count-float64(d.in[n].places), factorOwn
		}
		if count > 0 {
			flows = append(flows, flow{at, d.factor * own * often * math.Sqrt(count)})
		}
	}
	slices.SortFunc(flows, func(a, b flow) int { return int(a.name - b.name) })
	return flows
}

func (g *graph) focused(path string) bool {
	return slices.ContainsFunc(g.focus.Files, func(f string) bool {
		return f == path || f == "." || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")
	})
}

const (
	damping = 0.5
	rounds  = 30
)

// spread lets importance flow until it hardly changes.
func (g *graph) spread(ctx context.Context) error {
	g.rank = slices.Clone(g.wanted)
	next := make([]float64, len(g.files))
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.round(next)
		change := 0.0
		for i := range next {
			change += math.Abs(next[i] - g.rank[i])
		}
		g.rank, next = next, g.rank
		if change < 1e-6 {
			break
		}
	}
	return nil
}

// round computes the next importance of the files.
func (g *graph) round(next []float64) {
	lost := 0.0 // by files that use nothing
	for i := range g.declared {
		g.declared[i].rank = 0
	}
	for i, flows := range g.flows {
		if g.total[i] == 0 {
			lost += g.rank[i]
			continue
		}
		share := g.rank[i] / g.total[i]
		for _, to := range flows {
			g.declared[to.name].rank += share * to.weight
		}
	}
	for i := range next {
		next[i] = (1 - damping + damping*lost) * g.wanted[i]
	}
	for i := range g.declared {
		d := &g.declared[i]
		for _, in := range d.in {
			next[in.file] += damping * d.rank * in.weight / d.weight
		}
	}
}

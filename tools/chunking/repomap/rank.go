package repomap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// Focus is what a map is drawn around. Empty, every file counts the same.
type Focus struct {
	// Files are paths as index.File.Path has them; a directory stands for what is
	// below it.
	Files []string
	// Identifiers are names that the reader is interested in.
	Identifiers []string
}

// Ranked is a declaration with its importance.
type Ranked struct {
	File  *index.File
	Chunk int
	Rank  float64
}

// Rank puts the declarations of files, which are in order of their paths, into the
// order of their importance. The error is that of ctx.
func (m *Maps) Rank(ctx context.Context, files []*index.File, read Read, focus Focus) ([]Ranked, error) {
	contents, names, err := m.references(ctx, files, read)
	if err != nil {
		return nil, err
	}
	g := &graph{files: files, focus: focus, byName: make(map[word]int32)}
	m.mu.Lock()
	g.declare(contents, names)
	m.mu.Unlock()
	g.weigh(contents)
	if err := g.spread(ctx); err != nil {
		return nil, err
	}
	return g.ranked(), nil
}

// ranked shares out the importance of names among their declarations.
func (g *graph) ranked() []Ranked {
	byType := g.rankOfTypes()
	var all []Ranked
	for i := range g.declared {
		d := &g.declared[i]
		for _, p := range d.places {
			f := g.files[p.file]
			c := &f.Chunks[p.chunk]
			rank := d.rank * p.weight / d.weight * p.weight
			// Names are shared by many methods and inner types. Those of types that matter
			// matter.
			if c.Container != "" {
				if outer, ok := byType[typeIn{p.file, last(c.Container)}]; ok {
					rank = math.Sqrt(rank*outer) / 2
				} else if c.Parent >= 0 && f.Chunks[c.Parent].Kind != parse.Module {
					rank /= 4 // what is added to a type that the project does not declare
				}
			}
			// Of what nobody else uses that of important files comes first.
			rank += g.rank[p.file] * 1e-3 * p.weight / float64(1+len(f.Chunks))
			all = append(all, Ranked{f, p.chunk, rank})
		}
	}
	slices.SortFunc(all, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Chunk, b.Chunk))
	})
	return all
}

// typeIn is a type by the file that has its declaration, or one of its methods.
type typeIn struct {
	file int
	name string
}

// rankOfTypes is what the types are worth to their methods, which may lie in
// other files of the same directory.
func (g *graph) rankOfTypes() map[typeIn]float64 {
	ranks := make(map[typeIn]float64)
	inDir := make(map[[2]string]float64)
	for i := range g.declared {
		d := &g.declared[i]
		for _, p := range d.places {
			f := g.files[p.file]
			if !f.Chunks[p.chunk].Kind.Type() {
				continue
			}
			rank := d.rank * p.weight / d.weight * p.weight
			ranks[typeIn{p.file, d.text}] = max(ranks[typeIn{p.file, d.text}], rank)
			at := [2]string{dir(f.Path), d.text}
			inDir[at] = max(inDir[at], rank)
		}
	}
	for i := range g.declared {
		for _, p := range g.declared[i].places {
			container := last(g.files[p.file].Chunks[p.chunk].Container)
			if container == "" {
				continue
			}
			at := typeIn{p.file, container}
			if _, ok := ranks[at]; ok {
				continue
			}
			if rank, ok := inDir[[2]string{dir(g.files[p.file].Path), container}]; ok {
				ranks[at] = rank
			}
		}
	}
	return ranks
}

func last(container string) string { return container[strings.LastIndexByte(container, '.')+1:] }

func dir(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

package repomap

import (
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
// order of their importance.
func (m *Maps) Rank(ctx context.Context, files []*index.File, read Read, focus Focus) ([]Ranked, error) {
	uses, err := m.references(ctx, files, read)
	if err != nil {
		return nil, err
	}
	g := &graph{files: files, uses: uses, focus: focus}
	g.declare(m)
	g.weigh()
	g.spread()
	return g.ranked(), nil
}

// graph has files on one side and declared names on the other. Importance flows
// from a file to the names that it uses, and from a name to the files that declare
// it.
type graph struct {
	files []*index.File
	uses  [][]use
	focus Focus

	byName   map[int32]int // the number of a declared name
	declared []name
	weights  [][]float64 // of the uses of each file; 0 for what is not declared
	total    []float64   // of the weights of each file
	wanted   []float64   // where importance comes from: the share of each file
	rank     []float64
}

// name is a declared name.
type name struct {
	text   string
	places []place
	in     []int // the files that declare it, each once
	factor float64
	rank   float64
}

type place struct {
	file, chunk int
}

// Factors of how much a use of a name says.
const (
	factorWanted  = 10  // a name that is in focus
	factorTelling = 3   // one that is long and composed
	factorPrivate = 0.1 // one that begins with an underscore
	factorPlain   = 0.1 // one that is an ordinary word, and stands in comments and local variables as well
	factorCommon  = 0.1 // one that many files declare
	factorFocus   = 20  // a use in a file that is in focus
	tellingLength = 8
	commonFiles   = 5
)

// declare gathers the declared names.
func (g *graph) declare(m *Maps) {
	g.byName = make(map[int32]int)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, f := range g.files {
		for n := range f.Chunks {
			if !shown(f, n) {
				continue
			}
			id, used := m.names[f.Chunks[n].Name]
			if !used {
				continue
			}
			at, ok := g.byName[id]
			if !ok {
				at = len(g.declared)
				g.byName[id] = at
				g.declared = append(g.declared, name{text: f.Chunks[n].Name})
			}
			d := &g.declared[at]
			d.places = append(d.places, place{i, n})
			if len(d.in) == 0 || d.in[len(d.in)-1] != i {
				d.in = append(d.in, i)
			}
		}
	}
	for i := range g.declared {
		g.declared[i].factor = g.factor(&g.declared[i])
	}
}

// shown says that a declaration is part of a map: what others can use.
func shown(f *index.File, n int) bool {
	c := &f.Chunks[n]
	switch {
	case c.Kind == parse.Accessor || c.Kind == parse.Module || c.Kind == parse.Extension || c.Kind == parse.EnumCase:
		return false
	case c.Parent >= 0 && f.Chunks[c.Parent].Kind.Callable():
		return false
	}
	return !c.Kind.Value() || c.Parent < 0
}

func (g *graph) factor(d *name) float64 {
	factor := 1.0
	if slices.Contains(g.focus.Identifiers, d.text) {
		factor *= factorWanted
	}
	if len(d.text) >= tellingLength && composed(d.text) {
		factor *= factorTelling
	}
	if strings.HasPrefix(d.text, "_") {
		factor *= factorPrivate
	} else if d.text == strings.ToLower(d.text) && !composed(d.text) {
		factor *= factorPlain
	}
	if len(d.in) > commonFiles {
		factor *= factorCommon
	}
	return factor
}

// factorTests is what a declaration in a test is worth.
const factorTests = 0.1

// ofTests says that a file, by its path, holds tests or what they need.
func ofTests(file string) bool {
	for part := range strings.SplitSeq(strings.ToLower(file), "/") {
		switch part {
		case "test", "tests", "testdata", "__tests__", "spec", "fixtures", "mocks", "androidtest":
			return true
		}
		name, _, _ := strings.Cut(part, ".")
		if strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_spec") || strings.Contains(part, ".test.") || strings.Contains(part, ".spec.") {
			return true
		}
	}
	return false
}

// composed says that a name has several words.
func composed(s string) bool {
	if strings.Contains(strings.Trim(s, "_"), "_") {
		return true
	}
	lower, upper := false, false
	for _, c := range s {
		lower = lower || 'a' <= c && c <= 'z'
		upper = upper || 'A' <= c && c <= 'Z'
	}
	return lower && upper
}

// weigh decides how much each use gives, and how much each file has to give.
func (g *graph) weigh() {
	g.weights, g.total, g.wanted = make([][]float64, len(g.files)), make([]float64, len(g.files)), make([]float64, len(g.files))
	some := false
	for i, f := range g.files {
		focused := g.focused(f.Path)
		some = some || focused
		if focused {
			g.wanted[i] = 1
		}
		weights := make([]float64, len(g.uses[i]))
		for n, u := range g.uses[i] {
			at, ok := g.byName[u.name]
			if !ok {
				continue
			}
			d := &g.declared[at]
			if len(d.in) == 1 && d.in[0] == i {
				continue // what only the file itself declares says nothing of others
			}
			weights[n] = d.factor * math.Sqrt(float64(u.count))
			if focused {
				weights[n] *= factorFocus
			}
			g.total[i] += weights[n]
		}
		g.weights[i] = weights
	}
	for _, id := range g.focus.Identifiers {
		some = g.wantDeclaring(id) || some
	}
	sum := 0.0
	for i := range g.wanted {
		if !some {
			g.wanted[i] = 1
		}
		sum += g.wanted[i]
	}
	for i := range g.wanted {
		g.wanted[i] /= sum
	}
}

// wantDeclaring puts the files in focus that declare a name.
func (g *graph) wantDeclaring(text string) bool {
	for i := range g.declared {
		if g.declared[i].text != text {
			continue
		}
		for _, file := range g.declared[i].in {
			g.wanted[file]++
		}
		return true
	}
	return false
}

func (g *graph) focused(path string) bool {
	return slices.ContainsFunc(g.focus.Files, func(f string) bool {
		return f == path || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")
	})
}

const (
	damping = 0.85
	rounds  = 30
)

// spread lets importance flow until it hardly changes.
func (g *graph) spread() {
	g.rank = slices.Clone(g.wanted)
	next := make([]float64, len(g.files))
	for range rounds {
		lost := 0.0 // by files that use nothing
		for i := range g.declared {
			g.declared[i].rank = 0
		}
		for i, uses := range g.uses {
			if g.total[i] == 0 {
				lost += g.rank[i]
				continue
			}
			share := g.rank[i] / g.total[i]
			for n, u := range uses {
				if w := g.weights[i][n]; w > 0 {
					g.declared[g.byName[u.name]].rank += share * w
				}
			}
		}
		for i := range next {
			next[i] = (1 - damping + damping*lost) * g.wanted[i]
		}
		for i := range g.declared {
			d := &g.declared[i]
			for _, file := range d.in {
				next[file] += damping * d.rank / float64(len(d.in))
			}
		}
		change := 0.0
		for i := range next {
			change += math.Abs(next[i] - g.rank[i])
		}
		g.rank, next = next, g.rank
		if change < 1e-6 {
			return
		}
	}
}

// ranked shares out the importance of names among their declarations.
func (g *graph) ranked() []Ranked {
	var all []Ranked
	for i := range g.declared {
		d := &g.declared[i]
		for _, p := range d.places {
			f := g.files[p.file]
			rank := d.rank / float64(len(d.places))
			// A type tells more about a file than its parts do, and of what nobody else
			// uses that of important files still comes first.
			if f.Chunks[p.chunk].Kind.Type() {
				rank *= 1.5
			}
			if ofTests(f.Path) {
				rank *= factorTests
			}
			rank += g.rank[p.file] * 1e-3 / float64(1+len(f.Chunks))
			all = append(all, Ranked{f, p.chunk, rank})
		}
	}
	slices.SortFunc(all, func(a, b Ranked) int {
		switch {
		case a.Rank > b.Rank:
			return -1
		case a.Rank < b.Rank:
			return 1
		case a.File != b.File:
			return strings.Compare(a.File.Path, b.File.Path)
		}
		return a.Chunk - b.Chunk
	})
	return all
}

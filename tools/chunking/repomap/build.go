package repomap

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// builder creates a graph from files and their contents.
type builder struct {
	*graph
	words   *vocabulary
	parsed  []*source.File // parse results, by file
	kin     []int32        // number of the language family, by file
	numbers map[word]int32 // index in graph.names
	scopes  *scopes
	edges   []edge
}

// word is a name in a language family. Equal names in one family count as one name, because
// its languages can use each other's declarations.
type word struct{ kin, id int32 }

// edge is a flow with its begin.
type edge struct {
	from int32
	flow
}

// newGraph returns the graph of files, whose contents refer to the vocabulary.
func newGraph(files []*index.File, contents []content, words *vocabulary) *graph {
	b := &builder{graph: &graph{files: files, contents: contents, texts: words.texts}, words: words, numbers: make(map[word]int32)}
	b.load()
	b.relate()
	b.declare()
	b.nest()
	b.scopes = newScopes(files, b.parsed, words)
	b.connect()
	b.sort()
	return b.graph
}

// load loads the parse results. A file without one has no declarations.
func (b *builder) load() {
	b.parsed = make([]*source.File, len(b.files))
	for i, f := range b.files {
		var err error
		if b.parsed[i], err = f.Parsed(); err != nil {
			b.parsed[i] = new(source.File)
		}
	}
}

// relate numbers the language families of the files.
func (b *builder) relate() {
	families := make(map[source.Language]int32)
	b.kin = make([]int32, len(b.files))
	for i, f := range b.files {
		family := f.Language.Family()
		n, ok := families[family]
		if !ok {
			n = int32(len(families))
			families[family] = n
		}
		b.kin[i] = n
	}
}

// declare collects the declared names and their declarations, grouped by name.
func (b *builder) declare() {
	b.weights = make([]float64, len(b.files))
	b.starts = make([]int32, 1, len(b.files)+1)
	var found []place
	var of []int32 // index of the name of each entry in found
	short := make(map[string]int32)
	for i, f := range b.files {
		b.weights[i] = fileWeight(f.Path, b.contents[i].generated)
		chunks := b.parsed[i].Chunks
		b.starts = append(b.starts, b.starts[i]+int32(len(chunks)))
		for n := range chunks {
			c := &chunks[n]
			if !isVisible(chunks, n) || n > 0 && chunks[n-1].Name == c.Name && chunks[n-1].Line == c.Line && isVisible(chunks, n-1) {
				continue // for example the second name in "typedef struct x {} x"
			}
			id, ok := b.words.names[c.Name]
			if !ok { // too short or too long for a use
				if id, ok = short[c.Name]; !ok {
					id = -1 - int32(len(short))
					short[c.Name] = id
				}
			}
			in := word{b.kin[i], id}
			at, ok := b.numbers[in]
			if !ok {
				at = int32(len(b.names))
				b.numbers[in] = at
				b.names = append(b.names, name{text: c.Name, id: max(id, -1)})
			}
			b.names[at].places++
			of = append(of, at)
			p := place{file: int32(i), chunk: int32(n), outer: -1, weight: float32(weight(f.Language, c, b.weights[i])), size: size(c), isType: c.Kind.IsType()}
			if c.Container != "" {
				p.container = b.words.qualifier(last(c.Container))
			}
			if p.isType {
				p.itself = b.words.qualifier(c.Name)
			}
			found = append(found, p)
		}
	}
	b.group(found, of)
}

// group sorts the declarations by name. Before the call, name.places is the number of
// declarations; afterwards it is the end of their range.
func (b *builder) group(found []place, of []int32) {
	next := make([]int32, len(b.names))
	sum := int32(0)
	for i := range b.names {
		next[i] = sum
		sum += b.names[i].places
		b.names[i].places = sum
	}
	b.places = make([]place, len(found))
	b.placeOf = slices.Repeat([]int32{-1}, int(b.starts[len(b.files)]))
	for i, at := range of {
		b.places[next[at]] = found[i]
		b.placeOf[b.starts[found[i].file]+found[i].chunk] = next[at]
		next[at]++
	}
}

// outerKey is the key of a type in a file or in a directory.
type outerKey struct{ in, name string }

// nest finds the enclosing types of declarations. Some languages allow methods in other
// files of the directory.
func (b *builder) nest() {
	types := make(map[outerKey]int32)
	begin := int32(0)
	for i := range b.names {
		for at := begin; at < b.names[i].places; at++ {
			if p := &b.places[at]; p.isType {
				file := b.files[p.file].Path
				for _, in := range []string{file, dirName(file)} {
					if _, ok := types[outerKey{in, b.names[i].text}]; !ok {
						types[outerKey{in, b.names[i].text}] = at
					}
				}
			}
		}
		begin = b.names[i].places
	}
	for i := range b.places {
		p := &b.places[i]
		if p.container == noQualifier {
			continue
		}
		outer := last(b.parsed[p.file].Chunks[p.chunk].Container)
		file := b.files[p.file].Path
		for _, in := range []string{file, dirName(file)} {
			if at, ok := types[outerKey{in, outer}]; ok && at != int32(i) {
				p.outer, p.outerName = at, b.words.names[outer]
				break
			}
		}
	}
}

// connect computes the flows from each node to the declarations that it uses.
func (b *builder) connect() {
	for i := range b.files {
		seen := b.scopes.of(i)
		seen.mention(b.contents[i].uses)
		for _, u := range b.contents[i].uses {
			if at, ok := b.numbers[word{b.kin[i], u.name}]; ok {
				b.resolve(int(at), i, &u, seen)
			}
		}
	}
}

// Limits and values of the resolution of a use.
const (
	maxPlaces     = 50  // declarations of a name outside of the using file that are compared
	factorPlain   = 0.1 // a word that may as well be a variable
	factorUnknown = 0.2 // several declarations and no hint which one is used
	factorMember  = 0.5 // a member of an unknown type
	factorFile    = 0.5 // code outside of declarations
)

// candidate is a declaration that a use may mean.
type candidate struct {
	place int32
	fit   float32
}

// resolve adds the flows of a use to the declarations that it probably means: of the
// same type, file, directory or an imported file, and with a fitting qualifier.
func (b *builder) resolve(name, file int, u *use, seen *scope) {
	from := b.node(file, u.owner)
	begin, end := b.placesOf(name)
	if end-begin > maxPlaces {
		begin, end = b.near(begin, end, file)
	}
	own := b.own(from)
	var all [maxPlaces]candidate
	found := all[:0]
	best := float32(0)
	for at := begin; at < end && len(found) < maxPlaces; at++ {
		if at == from {
			continue
		}
		fit := b.fit(at, own, file, u, seen)
		found = append(found, candidate{at, fit})
		best = max(best, fit)
	}
	if best <= 0 {
		return
	}
	sum := float32(0)
	kept := 0
	for _, c := range found {
		if c.fit*4 > best {
			found[kept] = candidate{c.place, c.fit * b.places[c.place].weight}
			sum += found[kept].fit
			kept++
		}
	}
	w := math.Sqrt(float64(u.count))
	if u.how&(called|member) == 0 && !isCompound(b.names[name].text) && !b.places[found[0].place].isType {
		w *= factorPlain
	}
	if kept > 1 && best <= fitNone {
		w *= factorUnknown
	}
	if u.how&member != 0 && best < fitQualifier {
		w *= factorMember
	}
	if int(from) >= len(b.places) {
		w *= factorFile
	}
	for _, c := range found[:kept] {
		b.edges = append(b.edges, edge{from, flow{c.place, float32(w) * c.fit / sum}})
	}
}

// own returns the number of the type around a node, or noQualifier.
func (b *builder) own(node int32) int32 {
	switch {
	case int(node) >= len(b.places):
		return noQualifier
	case b.places[node].isType:
		return b.places[node].itself
	}
	return b.places[node].container
}

// near reduces declarations of a frequent name to those in the directory of a file.
func (b *builder) near(begin, end int32, file int) (int32, int32) {
	dir := dirName(b.files[file].Path)
	in := b.places[begin:end]
	from, _ := slices.BinarySearchFunc(in, dir, func(p place, dir string) int { return cmp.Compare(b.files[p.file].Path, dir) })
	to := from
	for to < len(in) && to-from < maxPlaces && strings.HasPrefix(b.files[in[to].file].Path, dir) {
		to++
	}
	return begin + int32(from), begin + int32(to)
}

// Values of hints that a use means a declaration. They are multiplied.
const (
	fitNone      = 1
	fitFile      = 8
	fitDir       = 4
	fitImported  = 6
	fitQualifier = 16
	fitMentioned = 8    // the file uses the type of the member
	fitAgainst   = 0.05 // the form of the use speaks against the declaration
)

// fit returns how well a use fits to a declaration.
func (b *builder) fit(at, own int32, file int, u *use, seen *scope) float32 {
	p := &b.places[at]
	fit := float32(fitNone)
	switch {
	case p.file == int32(file):
		fit = fitFile
	case b.scopes.dirs[p.file] == b.scopes.dirs[file]:
		fit = fitDir
	case seen.has(b.scopes, p.file):
		fit = fitImported
	}
	switch {
	case u.how&member == 0 && p.container == noQualifier:
	case u.how&member == 0 && own == p.container:
	case u.how&member == 0:
		fit *= fitAgainst
	case u.qualifier == ownQualifier && own != noQualifier && own == p.container:
		fit *= fitQualifier
	case u.qualifier >= qualifiers && (u.qualifier == p.container || p.container == noQualifier && b.scopes.isNamed(p.file, u.qualifier)):
		fit *= fitQualifier
	case p.container == noQualifier:
		fit *= fitAgainst
	case p.outer >= 0 && seen.mentions(p.outerName):
		fit *= fitMentioned
	}
	return fit
}

// sort groups the flows by their begin.
func (b *builder) sort() {
	nodes := len(b.places) + len(b.files)
	b.from = make([]int32, nodes+1)
	for _, e := range b.edges {
		b.from[e.from+1]++
	}
	for i := range nodes {
		b.from[i+1] += b.from[i]
	}
	next := slices.Clone(b.from)
	b.flows = make([]flow, len(b.edges))
	for _, e := range b.edges {
		b.flows[next[e.from]] = e.flow
		next[e.from]++
	}
	b.edges = nil
	b.totals = make([]float32, nodes)
	for i := range nodes {
		for _, to := range b.flowsOf(i) {
			b.totals[i] += to.weight
		}
	}
}

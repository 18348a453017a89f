package repomap

import (
	"cmp"
	"math"
	"slices"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// builder creates a graph from files and their contents.
type builder struct {
	*graph
	contents []content
	parsed   []*source.File // parse results, by file
	kin      []int32        // number of the language family, by file
	numbers  map[word]int32 // index in graph.names
}

// word is a name in a language family. Equal names in one family count as one name, because
// its languages can use each other's declarations.
type word struct{ kin, id int32 }

// newGraph returns the graph of files. ids are the numbers of the names in contents.
func newGraph(files []*index.File, contents []content, ids map[string]int32) *graph {
	b := &builder{graph: &graph{files: files}, contents: contents, numbers: make(map[word]int32)}
	b.load()
	b.relate()
	b.declare(ids)
	b.describe()
	b.connect()
	b.nest()
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

// declare collects the declared names and their declarations. Names that no file uses are
// left out.
func (b *builder) declare(ids map[string]int32) {
	b.weights = make([]float64, len(b.files))
	var found []place
	var of []int32 // index of the name of each entry in found
	for i, f := range b.files {
		b.weights[i] = fileWeight(f.Path, b.contents[i].generated)
		chunks := b.parsed[i].Chunks
		for n := range chunks {
			if !isVisible(chunks, n) {
				continue
			}
			id, used := ids[chunks[n].Name]
			if !used {
				continue
			}
			in := word{b.kin[i], id}
			at, ok := b.numbers[in]
			if !ok {
				at = int32(len(b.names))
				b.numbers[in] = at
				b.names = append(b.names, name{text: chunks[n].Name})
			}
			b.names[at].places++
			of = append(of, at)
			found = append(found, place{file: int32(i), chunk: int32(n), outer: noOuter, weight: float32(weight(f.Language, &chunks[n], b.weights[i]))})
		}
	}
	b.names = slices.Clip(b.names)
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
	for i, at := range of {
		b.places[next[at]] = found[i]
		next[at]++
	}
}

// describe computes the declaring files of each name and the value of its uses.
func (b *builder) describe() {
	for i := range b.names {
		n := &b.names[i]
		first := len(b.declares)
		most, isType := float32(0), false
		for _, p := range b.placesOf(i) {
			if last := len(b.declares) - 1; last < first || b.declares[last].file != p.file {
				b.declares = append(b.declares, declares{file: p.file})
			}
			d := &b.declares[len(b.declares)-1]
			d.places++
			d.share += float64(p.weight)
			n.weight += float64(p.weight)
			if p.weight > most {
				most, isType = p.weight, b.parsed[p.file].Chunks[p.chunk].Kind.IsType()
			}
		}
		for k := range b.declares[first:] {
			b.declares[first+k].share /= n.weight
		}
		n.declares = int32(len(b.declares))
		n.factor = factor(n.text, float64(most), n.weight, isType)
	}
}

// connect computes the flows from each file to the declared names that it uses.
func (b *builder) connect() {
	uses := 0
	for i := range b.contents {
		uses += len(b.contents[i].uses)
	}
	b.flows, b.from = make([]flow, 0, uses), make([]flowRange, len(b.files))
	for i := range b.files {
		begin := len(b.flows)
		for _, u := range b.contents[i].uses {
			if at, ok := b.numbers[word{b.kin[i], u.name}]; ok {
				if w := b.use(int(at), i, u.count); w > 0 {
					b.flows = append(b.flows, flow{at, w})
				}
			}
		}
		flows := b.flows[begin:]
		slices.SortFunc(flows, func(a, b flow) int { return cmp.Compare(a.name, b.name) })
		b.from[i] = flowRange{begin: int32(begin), end: int32(len(b.flows))}
		for _, to := range flows {
			b.from[i].total += float64(to.weight)
		}
	}
	b.flows = slices.Clone(b.flows) // releases the capacity for words that are not declared names
}

// use returns the weight of count uses of a name in a file. It is 0 if only the file itself
// declares the name.
func (b *builder) use(at, file int, count int32) float32 {
	in, own := b.declaresOf(at), 1.0
	if n, found := slices.BinarySearchFunc(in, int32(file), func(d declares, file int32) int { return cmp.Compare(d.file, file) }); found {
		// Uses of a name that only this file declares transfer no importance to other files.
		if len(in) == 1 {
			return 0
		}
		count, own = count-in[n].places, factorOwn
	}
	if count <= 0 {
		return 0
	}
	return float32(b.names[at].factor * own * math.Sqrt(float64(count)))
}

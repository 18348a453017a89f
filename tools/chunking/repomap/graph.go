package repomap

import "github.com/dougu-go/dougu/tools/chunking/index"

// graph connects declarations with the declarations that they use. Its nodes are the
// places, followed by the files for code outside of declarations. Names and their data have
// the order of files and declarations, so that sums of floating-point numbers are
// reproducible. A graph does not change after newGraph and does not depend on the focus.
type graph struct {
	files    []*index.File
	unread   int       // number of unreadable files
	weights  []float64 // by file
	contents []content // by file
	texts    []string  // names to which contents refer, by number
	starts   []int32   // first entry of each file in placeOf, and the end
	placeOf  []int32   // index in places by chunk, or -1

	names  []name
	places []place // declarations of all names, grouped by name
	from   []int32 // begin of the flows of each node, and the end
	flows  []flow
	totals []float32 // sum of the weights of the flows from each node
}

// name is a declared name in one language family.
type name struct {
	text   string
	id     int32 // in the vocabulary, or -1
	places int32 // end of its range in graph.places
}

// place is a declaration.
type place struct {
	file, chunk int32
	container   int32 // number of the qualifier that the enclosing type is, or noQualifier
	itself      int32 // number of the qualifier that the declaration is, if it is a type
	outer       int32 // place of the enclosing type, or -1
	outerName   int32 // its name in the vocabulary
	weight      float32
	size        float32 // grows with the number of lines
	isType      bool
}

// flow is a use of a declaration. It carries a part of the importance of a node.
type flow struct {
	to     int32
	weight float32
}

// placesOf returns the range of the declarations of a name.
func (g *graph) placesOf(name int) (begin, end int32) {
	if name > 0 {
		begin = g.names[name-1].places
	}
	return begin, g.names[name].places
}

// node returns the node of a chunk, or of its file for noChunk.
func (g *graph) node(file int, chunk int32) int32 {
	if at := g.starts[file] + chunk; chunk >= 0 && at < g.starts[file+1] && g.placeOf[at] >= 0 {
		return g.placeOf[at]
	}
	return int32(len(g.places) + file)
}

// flowsOf returns the flows from a node.
func (g *graph) flowsOf(node int) []flow { return g.flows[g.from[node]:g.from[node+1]] }

// size returns the approximate memory of the graph without its files, in bytes.
func (g *graph) size() int {
	return 32*len(g.names) + 44*len(g.places) + 8*len(g.flows) + 64*len(g.files) + 4*len(g.placeOf)
}

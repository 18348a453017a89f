package repomap

import "github.com/dougu-go/dougu/tools/chunking/index"

// graph connects files with declared names. Importance flows from a file to the names that
// it uses, and from a name to the files that declare it. Names and their data have the
// order of files and declarations, so that sums of floating-point numbers are reproducible.
// A graph does not change after newGraph and does not depend on the focus.
type graph struct {
	files   []*index.File
	unread  int       // number of unreadable files
	weights []float64 // by file

	names    []name
	places   []place     // declarations of all names, grouped by name
	declares []declares  // declaring files of all names, grouped by name
	types    []typePlace // declarations of types
	slots    int         // number of type slots, by file and by directory
	flows    []flow      // flows from all files, grouped by file
	from     []flowRange // ranges in flows, by file
}

// name is a declared name in one language family.
type name struct {
	text             string
	places, declares int32 // end of its range in graph.places and graph.declares
	// weight is the sum of the weights of its declarations.
	weight float64
	factor float64 // value of one use
}

// place is a declaration.
type place struct {
	file, chunk int32
	outer       int32 // slot of the enclosing type, or noOuter or strangeOuter
	weight      float32
}

// Values of place.outer.
const (
	noOuter      = -1
	strangeOuter = -2 // the project does not declare the enclosing type
)

// declares is a file that declares a name at least once; places is the number of its
// declarations.
type declares struct {
	file, places int32
	share        float64 // its part of the weight of the name
}

// typePlace is the declaration of a type, as indexes in graph.names and graph.places.
type typePlace struct {
	name, place   int32
	inFile, inDir int32 // slots of the type
}

// flow is the use of a declared name. It carries a part of the importance of a file.
type flow struct {
	name   int32
	weight float32
}

// flowRange is the range of a file's flows in graph.flows, sorted by name.
type flowRange struct {
	begin, end int32
	total      float64 // sum of the weights
}

// placesOf returns the declarations of a name.
func (g *graph) placesOf(name int) []place {
	begin := int32(0)
	if name > 0 {
		begin = g.names[name-1].places
	}
	return g.places[begin:g.names[name].places]
}

// declaresOf returns the files that declare a name, in their order.
func (g *graph) declaresOf(name int) []declares {
	begin := int32(0)
	if name > 0 {
		begin = g.names[name-1].declares
	}
	return g.declares[begin:g.names[name].declares]
}

// flowsOf returns the flows from a file.
func (g *graph) flowsOf(file int) []flow { return g.flows[g.from[file].begin:g.from[file].end] }

// size returns the approximate memory of the graph without its files, in bytes.
func (g *graph) size() int {
	return 64*len(g.names) + 16*len(g.places) + 16*len(g.declares) + 16*len(g.types) + 8*cap(g.flows) + 32*len(g.files)
}

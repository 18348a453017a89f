package repomap

import "github.com/dougu-go/dougu/tools/chunking/index"

// graph has files on one side and declared names on the other. Importance flows
// from a file to the names that it uses, and from a name to the files that declare
// it. Names, and what belongs to them, are in the order of files and their
// declarations, so that sums are the same each time. Once it is made it does not
// change, whatever is in focus.
type graph struct {
	files   []*index.File
	unread  int       // how many of them could not be read
	weights []float64 // of the files

	names    []name
	places   []place      // of all names, one after the other
	declares []declares   // likewise
	types    []typePlace  // among the places
	slots    int          // how many types, by file and by directory, have an importance
	flows    []flow       // from all files, one after the other
	from     []flowsOfOne // where those of each file are
}

// name is a declared name, in languages that can use each other's.
type name struct {
	text             string
	places, declares int32 // where those of the next name begin
	weight           float64
	factor           float64 // of what a use gives
}

// place is where a name is declared.
type place struct {
	file, chunk int32
	outer       int32 // the slot of the type around it, or noOuter or strangeOuter
	weight      float32
}

const (
	noOuter      = -1
	strangeOuter = -2 // a type that the project does not declare
)

// declares is a file that declares a name, once or more often.
type declares struct {
	file, places int32
	share        float64 // of the weight of the name
}

// typePlace is a place where a type is declared.
type typePlace struct {
	name, place   int32
	inFile, inDir int32 // its slots
}

// flow is a use of a declared name, which carries a part of the importance of a
// file.
type flow struct {
	name   int32
	weight float32
}

// flowsOfOne are the flows from one file, in the order of their names.
type flowsOfOne struct {
	begin, end int32
	total      float64 // of their weights
}

// placesOf are those of a name.
func (g *graph) placesOf(name int) []place {
	begin := int32(0)
	if name > 0 {
		begin = g.names[name-1].places
	}
	return g.places[begin:g.names[name].places]
}

// declaresOf are the files that declare a name, in their order.
func (g *graph) declaresOf(name int) []declares {
	begin := int32(0)
	if name > 0 {
		begin = g.names[name-1].declares
	}
	return g.declares[begin:g.names[name].declares]
}

func (g *graph) flowsOf(file int) []flow { return g.flows[g.from[file].begin:g.from[file].end] }

// size is about how many bytes the graph takes, beside the files.
func (g *graph) size() int {
	return 64*len(g.names) + 16*len(g.places) + 16*len(g.declares) + 16*len(g.types) + 8*cap(g.flows) + 32*len(g.files)
}

// Package graph estimates dependencies between functions from calls and imports.
//
// A [Graph] stores declarations, calls and imports of an index. Package
// tools/chunking/sqlite implements it. Calls are known by name only: neither a build
// nor a compiler resolves them. [Rank] orders the declarations that a call can mean,
// the most likely one first.
package graph

import (
	"context"
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Graph stores the declarations, calls and imports of a project.
type Graph interface {
	// Update makes the graph equal to a Snapshot whose files were parsed with calls. It
	// writes only changed files.
	Update(ctx context.Context, s *index.Snapshot) error
	// Declared returns the declarations of a name, at most limit.
	Declared(ctx context.Context, name string, limit int) ([]Symbol, error)
	// Calls returns the calls of a name, at most limit, in order of path and line.
	Calls(ctx context.Context, name string, limit int) ([]Call, error)
	// Called returns the calls that a chunk contains, at most limit, in order of their
	// lines. id is that of index.File.ID.
	Called(ctx context.Context, id string, limit int) ([]Call, error)
	// Imports returns the imports of a file in order of their lines.
	Imports(ctx context.Context, file string) ([]source.Import, error)
	// Close releases the resources of the graph.
	Close() error
}

// Symbol is a declaration that can be called: a function or a type.
type Symbol struct {
	ID        string
	Name      string
	Container string
	Signature string
	File      string
	Language  source.Language
	Kind      source.Kind
	Line      int32
}

// Call is a call of a function by name.
type Call struct {
	Name     string
	Caller   string // ID of the chunk that contains the call; "" outside of chunks
	File     string
	Language source.Language
	Line     int32
}

// Ranks of a declaration that a call can mean, from 0 to 1.
const (
	sameFile  = 0.95 // the only declaration of the name in the file of the call
	onlyOne   = 0.9  // the only declaration of the name in the project
	imported  = 0.8  // in an imported file or directory
	neighbour = 0.7  // in the directory of the call
	someone   = 0.6  // one of several declarations; divided by their number
	foreign   = 0.3  // factor for a declaration in another language
)

// Rank returns a number from 0 to 1 that orders the declarations of a name: a higher
// rank means a more likely target of the call. imports are the imports of the calling file,
// and target is one of all. The rank is not a probability: a call of a common name often
// means a declaration outside the project.
func Rank(c Call, imports []source.Import, target Symbol, all []Symbol) float64 {
	same, inFile, inDir := 0, 0, 0
	for _, s := range all {
		if related(s.Language, c.Language) {
			same++
		}
		if s.File == c.File {
			inFile++
		}
		if path.Dir(s.File) == path.Dir(c.File) {
			inDir++
		}
	}
	factor := 1.0
	if !related(target.Language, c.Language) {
		factor = foreign
	}
	switch {
	case target.File == c.File:
		return factor * sameFile / float64(inFile)
	case len(all) == 1:
		return factor * onlyOne
	case names(imports, target):
		return factor * imported
	case path.Dir(target.File) == path.Dir(c.File):
		return factor * neighbour / float64(inDir)
	}
	return factor * someone / float64(max(same, 1))
}

// names reports whether one of the imports can mean the file of target.
func names(imports []source.Import, target Symbol) bool {
	base := strings.TrimSuffix(path.Base(target.File), path.Ext(target.File))
	dir := path.Base(path.Dir(target.File))
	for _, i := range imports {
		last := i.Path[strings.LastIndexAny(i.Path, `/.\:`)+1:]
		if last == "" {
			continue
		}
		// "./stack.js" may be stack.ts.
		if file := path.Base(i.Path); strings.TrimSuffix(file, path.Ext(file)) == base {
			return true
		}
		if last == base || last == dir || last == target.Name || last == target.Container || path.Base(i.Path) == path.Base(target.File) {
			return true
		}
	}
	return false
}

// related reports whether code in one language can call code in the other.
func related(a, b source.Language) bool { return a.Family() == b.Family() }

// Package graph says what the calls and imports of a project are worth as
// dependencies.
//
// Calls are known by name alone: no build is needed, and no compiler says which of
// several functions of one name is meant. [Rank] puts the candidates in order, the
// likely ones first; it resolves nothing. A [Graph] keeps calls, imports and declarations; package sqlite has one.
package graph

import (
	"context"
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Graph keeps what declares, calls and imports what.
type Graph interface {
	// Update brings the graph to what a snapshot has, whose files must have been
	// parsed with their calls. Only what has changed is written.
	Update(ctx context.Context, s *index.Snapshot) error
	// Declared are the chunks that bear a name, at most limit.
	Declared(ctx context.Context, name string, limit int) ([]Symbol, error)
	// Calls are the calls of a name, at most limit, in order of path and line.
	Calls(ctx context.Context, name string, limit int) ([]Call, error)
	// Called are the calls that a chunk makes, by its id, in order of their lines.
	Called(ctx context.Context, id string, limit int) ([]Call, error)
	// Imports are those of a file, in order of their lines.
	Imports(ctx context.Context, file string) ([]source.Import, error)
	// Close ends the use.
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

// Call is a call by name.
type Call struct {
	Name     string
	Caller   string // the id of the chunk that calls; empty outside of all
	File     string
	Language source.Language
	Line     int32
}

// The ranks, from 0 to 1, of a declaration that a call may mean.
const (
	sameFile  = 0.95 // the only one of the name in the file of the call
	onlyOne   = 0.9  // the only one of the name in the project
	imported  = 0.8  // in a file or directory that the file of the call imports
	neighbour = 0.7  // in the directory of the call
	someone   = 0.6  // one of several elsewhere: this, divided by their number
	foreign   = 0.3  // of another language: the factor
)

// Rank orders the declarations of a name that a call in a file with these imports
// may mean: target, which is one of all, is the likelier the higher it is. It is no
// probability: of methods with a common name most calls are of another one, which may
// be declared outside of the project.
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

// names says that one of the imports may be of the file that declares target.
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

// related says that code in one language can call that in the other.
func related(a, b source.Language) bool { return a.Family() == b.Family() }

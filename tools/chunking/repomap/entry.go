package repomap

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// entryFiles reports for each file whether a program starts with it, or whether others
// import it: by its name, or because it is in entries.
func (g *graph) entryFiles(entries []string) []bool {
	found := make([]bool, len(g.files))
	for i, f := range g.files {
		found[i] = g.weights[i] == 1 && (slices.Contains(entries, f.Path) || isEntryFile(f.Path, f.Language))
	}
	return found
}

// isEntryFile reports whether the name of a file tells that it is an entry point. Deep
// files are parts of something.
func isEntryFile(path string, lang source.Language) bool {
	depth := strings.Count(path, "/")
	base := baseName(path)
	switch lang {
	case source.Go:
		return depth == 0 || base == "main" && depth <= 3
	case source.Python:
		return base == "__init__" && depth <= 2 || base == "__main__" && depth <= 3 || depth == 0 && base != "setup" && base != "conftest"
	case source.JavaScript, source.TypeScript, source.TSX:
		return depth <= 1 && (base == "index" || base == "main") || depth == 0 && !strings.Contains(path, "config")
	case source.Rust:
		return (base == "lib" || base == "main") && depth <= 3
	}
	return strings.EqualFold(base, "main") && depth <= 3
}

// isMain reports whether a declaration is the function with which a program starts.
func isMain(g *graph, place int) bool {
	p := &g.places[place]
	if p.isType || g.weights[p.file] != 1 {
		return false
	}
	text := g.files[p.file].Symbol(int(p.chunk)).Name
	return text == "main" || text == "Main"
}

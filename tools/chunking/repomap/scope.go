package repomap

import (
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// scopes finds the files and directories that files import, by the paths in their import
// statements alone.
type scopes struct {
	files   []*index.File
	parsed  []*source.File
	units   []int32          // number of the path without extension, by file
	dirs    []int32          // number of the directory, by file
	numbers map[string]int32 // of units and directories, by path
	names   [][2]int32       // qualifiers that the directory and the file are, by file
}

// scope holds the imports and the used names of a file, sorted.
type scope struct {
	imported []int32 // numbers of units and directories
	used     []int32 // numbers of names in the vocabulary
}

// mention adds the names that the file uses.
func (in *scope) mention(uses []use) {
	for _, u := range uses {
		in.used = append(in.used, u.name)
	}
	slices.Sort(in.used)
	in.used = slices.Compact(in.used)
}

// mentions reports whether the file uses a name.
func (in *scope) mentions(name int32) bool {
	_, ok := slices.BinarySearch(in.used, name)
	return ok
}

// maxImports limits the imports of a file that are looked up.
const maxImports = 500

func newScopes(files []*index.File, parsed []*source.File, words *vocabulary) *scopes {
	s := &scopes{files: files, parsed: parsed, numbers: make(map[string]int32)}
	number := func(name string) int32 {
		n, ok := s.numbers[name]
		if !ok {
			n = int32(len(s.numbers))
			s.numbers[name] = n
		}
		return n
	}
	for _, f := range files {
		s.units = append(s.units, number(withoutExtension(f.Path)))
		s.dirs = append(s.dirs, number(strings.TrimSuffix(dirName(f.Path), "/")))
		s.names = append(s.names, [2]int32{words.qualifier(last(dirName(f.Path))), words.qualifier(baseName(f.Path))})
	}
	return s
}

// isNamed reports whether a qualifier names the directory or the file.
func (s *scopes) isNamed(file, qualifier int32) bool {
	return s.names[file][0] == qualifier || s.names[file][1] == qualifier
}

// of returns the scope of a file.
func (s *scopes) of(file int) *scope {
	in := new(scope)
	imports := s.parsed[file].Imports
	for _, i := range imports[:min(len(imports), maxImports)] {
		in.imported = append(in.imported, s.find(s.files[file], i.Path)...)
	}
	slices.Sort(in.imported)
	in.imported = slices.Compact(in.imported)
	return in
}

// has reports whether a file is imported, itself or by its directory.
func (in *scope) has(s *scopes, file int32) bool {
	if _, ok := slices.BinarySearch(in.imported, s.units[file]); ok {
		return true
	}
	_, ok := slices.BinarySearch(in.imported, s.dirs[file])
	return ok
}

// find returns the numbers of the file or the directory that an import means.
func (s *scopes) find(f *index.File, what string) (found []int32) {
	dir := strings.TrimSuffix(dirName(f.Path), "/")
	add := func(name string) bool {
		n, ok := s.numbers[name]
		if ok {
			found = append(found, n)
		}
		return ok
	}
	switch f.Language {
	case source.Python:
		up := len(what) - len(strings.TrimLeft(what, "."))
		rest := strings.ReplaceAll(what[up:], ".", "/")
		if up > 0 {
			for range up - 1 {
				dir = path.Dir(dir)
			}
			add(strings.TrimPrefix(path.Join(dir, rest), "./"))
			return found
		}
		what = rest
	case source.C, source.CPP, source.TypeScript, source.TSX, source.JavaScript:
		if add(withoutExtension(path.Join(dir, what))) || add(path.Join(dir, what)) || strings.HasPrefix(what, ".") {
			return found
		}
		what = withoutExtension(what)
	case source.Java, source.Kotlin, source.Scala:
		what = strings.ReplaceAll(what, ".", "/")
	}
	// The project may be a part of the path, or below a directory of sources.
	what = strings.Trim(strings.ReplaceAll(what, "::", "/"), "/")
	for rest := what; rest != ""; {
		if add(rest) || add("src/"+rest) || add("lib/"+rest) {
			break
		}
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
	}
	return found
}

// last returns the part of a qualified name after the last dot or slash.
func last(name string) string {
	name = strings.TrimSuffix(name, "/")
	return name[strings.LastIndexAny(name, "./")+1:]
}

// dirName returns the directory of a path, with its slash; "" for the root.
func dirName(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// baseName returns the name of a file without its extension.
func baseName(name string) string {
	base, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return base
}

// withoutExtension returns a path without the extension of its file.
func withoutExtension(name string) string {
	if at := strings.LastIndexByte(name, '.'); at > strings.LastIndexByte(name, '/')+1 {
		return name[:at]
	}
	return name
}

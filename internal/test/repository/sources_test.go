// Package repository checks rules that hold for the whole repository: the layers of packages, the modules, the goroutines, the texts and
// the documents.
package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/dougu-go/dougu/"

// source is one Go file.
type source struct {
	name string // with slashes, from the root of the repository
	file *ast.File
}

// sources returns every Go file of the modules but bench that is not a test, and the positions in them.
func sources(t *testing.T) ([]source, *token.FileSet) {
	t.Helper()
	files, positions := allSources(t)
	return slices.DeleteFunc(slices.Clone(files), func(s source) bool {
		return strings.HasSuffix(s.name, "_test.go") || slices.Contains(strings.Split(s.name, "/"), "bench")
	}), positions
}

// allSources returns every Go file, tests and benchmarks too, but no test data, and the positions in them.
func allSources(t *testing.T) ([]source, *token.FileSet) {
	t.Helper()
	tree, err := parsed()
	if err != nil || len(tree.files) < 500 {
		t.Fatalf("found %d files: %v", len(tree.files), err)
	}
	return tree.files, tree.positions
}

// parsed parses the files of allSources, once for all tests.
var parsed = sync.OnceValues(func() (tree struct {
	files     []source
	positions *token.FileSet
}, err error) {
	tree.positions = token.NewFileSet()
	err = filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(tree.positions, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		tree.files = append(tree.files, source{filepath.ToSlash(name), file})
		return err
	})
	return tree, err
})

// TestMain runs the tests in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.FromSlash("../../..")); err != nil {
		panic(err)
	}
	m.Run()
}

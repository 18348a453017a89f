package fs_test

import (
	"go/build"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

// BenchmarkSearch searches the sources of Go.
func BenchmarkSearch(b *testing.B) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{filepath.Join(build.Default.GOROOT, "src")}, ReadOnly: true})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { root.Close() })
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	p := project{Files: files}
	for name, args := range map[string]fs.SearchContentArgs{
		"Rare":       {Pattern: "errUnsupportedCurve"},
		"None":       {Pattern: "zyxwvutsrqponm"},
		"AnyCase":    {Pattern: "unsupported curve", CaseSensitive: new(false)},
		"Common":     {Pattern: "func "},
		"Every":      {Pattern: "e"},
		"Expression": {Pattern: `func \(\w+ \*?\w+\) [A-Z]\w*Error\(`},
		"NoLiteral":  {Pattern: `\b\w{20}\b`},
		"Japanese":   {Pattern: "日本"},
		"Names":      {Pattern: "func ", Glob: []string{"*_test.go"}},
		"Count":      {Pattern: "func ", OutputMode: "count"},
	} {
		b.Run("Content"+name, func(b *testing.B) { median(b, func() { p.grep(b, args) }) })
	}
	b.Run("Files", func(b *testing.B) { median(b, func() { p.find(b, fs.SearchFilesArgs{Pattern: "*_test.go"}) }) })
	b.Run("FilesByPath", func(b *testing.B) {
		median(b, func() { p.find(b, fs.SearchFilesArgs{Pattern: "net/**/*.go"}) })
	})
	b.Run("Structure", func(b *testing.B) { median(b, func() { p.structure(b, fs.WorkspaceStructureArgs{}) }) })
	b.Run("Project", func(b *testing.B) { median(b, func() { p.info(b) }) })
}

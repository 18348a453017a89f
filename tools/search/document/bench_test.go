package document_test

import (
	"context"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/source"
)

// goFiles returns files of the standard library, by path.
func goFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	root := filepath.Join(build.Default.GOROOT, "src")
	files := map[string][]byte{}
	for _, dir := range []string{"net", "go", "encoding", "strings"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			content, err := os.ReadFile(path)
			files[filepath.ToSlash(path)] = content
			return err
		})
		if err != nil {
			tb.Skip(err)
		}
	}
	return files
}

// BenchmarkParse measures the parsers alone, for comparison with BenchmarkCut.
func BenchmarkParse(b *testing.B) {
	files, p := goFiles(b), parsers()
	for b.Loop() {
		size := 0
		for _, content := range files {
			size += len(content)
			_, _ = p.Parse(context.Background(), content, source.Go, source.Options{})
		}
		b.SetBytes(int64(size))
	}
}

func BenchmarkCut(b *testing.B) {
	files, o := goFiles(b), document.Options{Parsers: parsers()}
	for b.Loop() {
		size := 0
		for path, content := range files {
			size += len(content)
			_, _ = document.Cut(context.Background(), path, content, o)
		}
		b.SetBytes(int64(size))
	}
}

// TestCut_StandardLibrary checks the invariants for files of the Go standard library.
func TestCut_StandardLibrary(t *testing.T) {
	o := document.Options{Parsers: parsers()}
	for path, content := range goFiles(t) {
		f, err := document.Cut(context.Background(), path, content, o)
		if err == nil {
			checkFile(t, f)
		}
		if t.Failed() {
			t.Fatal(path)
		}
	}
}

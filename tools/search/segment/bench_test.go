package segment_test

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// goTree returns the Go files of the distribution as indexed pieces, and their total size
// in bytes.
var goTree = sync.OnceValues(func() (files []index.File, size int64) {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	parsers := builtin.Parsers(builtin.Options{})
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, _ := os.ReadFile(name)
		path, _ := filepath.Rel(root, name)
		f, err := document.Cut(context.Background(), path, text, document.Options{Parsers: parsers})
		if err == nil {
			f.Hash, f.Size = sha256.Sum256(text), int64(len(text))
			files = append(files, f)
			size += f.Size
		}
		return nil
	})
	return files, size
})

func indexTree(b *testing.B, dir string) *segment.Index {
	files, _ := goTree()
	if len(files) == 0 {
		b.Skip("no Go source")
	}
	ctx := context.Background()
	ix, err := segment.Open(ctx, dir, segment.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ix.Close(ctx) })
	w, err := ix.Begin(ctx, index.WriteOptions{})
	if err != nil {
		b.Fatal(err)
	}
	next := make(chan index.File)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for f := range next {
				if err := w.Put(ctx, f); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for _, f := range files {
		next <- f
	}
	close(next)
	all.Wait()
	if err := w.Commit(ctx); err != nil {
		b.Fatal(err)
	}
	return ix
}

// BenchmarkIndex creates the index of the Go tree from prepared pieces.
func BenchmarkIndex(b *testing.B) {
	_, size := goTree()
	b.SetBytes(size)
	for b.Loop() {
		ix := indexTree(b, b.TempDir())
		if st, err := ix.Stats(b.Context()); err == nil {
			b.ReportMetric(float64(st.Disk)/float64(size)*100, "%-of-source")
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	ix := indexTree(b, b.TempDir())
	for _, words := range []string{
		"readall", "http server", "parse url query", "the", "if err return nil", "par* url", "e*",
		"how does the http server handle read timeouts when the client is slow",
	} {
		var q index.Query
		for word := range strings.FieldsSeq(words) {
			q.Terms = append(q.Terms, index.Term{Words: []string{word}})
		}
		b.Run(strings.ReplaceAll(words, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				if _, err := ix.Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCandidates(b *testing.B) {
	ix := indexTree(b, b.TempDir())
	for _, text := range []string{"ServeHTTP", "TODO", "fi", "return nil, err", "zzzqqq"} {
		b.Run(strings.ReplaceAll(text, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				if _, err := ix.Candidates(b.Context(), index.Literals{Literal: text}, index.Filter{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSimilar(b *testing.B) {
	ix := indexTree(b, b.TempDir())
	files, _ := goTree()
	var prints []uint32
	for i := range files[len(files)/3].Pieces {
		if p := files[len(files)/3].Pieces[i].Prints; len(p) > len(prints) {
			prints = p
		}
	}
	for b.Loop() {
		if _, err := ix.Similar(b.Context(), index.Likeness{Prints: prints, Least: 0.3}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpdate commits a change of one file of the Go tree.
func BenchmarkUpdate(b *testing.B) {
	ix := indexTree(b, b.TempDir())
	files, _ := goTree()
	for i := 0; b.Loop(); i++ {
		w, err := ix.Begin(b.Context(), index.WriteOptions{})
		if err == nil {
			err = w.Put(b.Context(), files[i%len(files)])
		}
		if err == nil {
			err = w.Commit(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens the index of the Go tree and verifies all of it.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	if err := indexTree(b, dir).Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		ix, err := segment.Open(b.Context(), dir, segment.Options{})
		if err == nil {
			err = ix.Close(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

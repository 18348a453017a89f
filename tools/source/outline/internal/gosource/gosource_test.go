package gosource_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline/internal/gosource"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// everything asks for all that a File can hold.
var everything = source.Options{Calls: true}

// TestParse_AsGoParser compares the results for the sources of Go with go/parser, file by file:
// every field of every chunk, and imports. A few in ten thousand calls differ, in types with a name
// before a bracket that is no call. Short tests compare every 100th file, and no rates.
func TestParse_AsGoParser(t *testing.T) {
	root := corpus.GoSources(t)
	files, chunks, differences, unsure, calls, others := 0, 0, 0, 0, 0, 0
	for i, path := range corpus.Files(t, root, ".go") {
		if i%100 > 0 && testing.Short() {
			continue
		}
		if strings.Contains(path, "/testdata/") { // of compilers: much of it is wrong by design
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		want, err := golang.Parser{}.Parse(t.Context(), src, source.Go, everything)
		if err != nil || len(want.Problems) > 0 {
			continue
		}
		got, err := gosource.Parse(t.Context(), src, source.Go, everything)
		if _, ok := errors.AsType[*source.UnsureError](err); ok {
			unsure++
			t.Logf("%s: %v", path, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		files, chunks = files+1, chunks+len(want.Chunks)
		calls, others = calls+len(want.Calls), others+different(want.Calls, got.Calls)
		want.Parser, want.Calls, got.Calls = got.Parser, nil, nil
		if diff := cmp.Diff(want, got); diff != "" {
			if differences++; differences <= 5 {
				t.Errorf("%s: %s", path, diff[:min(len(diff), 3000)])
			}
		}
	}
	t.Logf("%d files with %d chunks; %d differ, %d unsure; %d of %d calls differ", files, chunks, differences, unsure, others, calls)
	rates := unsure*1000 > files || others*2000 > calls
	if files == 0 || differences > 0 || rates && !testing.Short() { // rates of few files say little
		t.Errorf("%d of %d files differ, %d are unsure, %d of %d calls differ", differences, files, unsure, others, calls)
	}
}

// different counts the calls that only one of two lists has.
func different(a, b []source.Call) int {
	count := map[source.Call]int{}
	for _, c := range a {
		count[c]++
	}
	for _, c := range b {
		count[c]--
	}
	n := 0
	for _, c := range count {
		n += max(c, -c)
	}
	return n
}

func TestUnsure(t *testing.T) {
	for about, src := range map[string]string{
		"nothing":              "",
		"no package":           "func f() {}",
		"an open bracket":      "package p\nfunc f() {",
		"another bracket":      "package p\nfunc f() { g(] }",
		"an open string":       "package p\nvar x = \"a\n",
		"an open raw string":   "package p\nvar x = `a\n",
		"an open comment":      "package p\n/* a\n",
		"no declaration":       "package p\nx := 1\n",
		"a type without name":  "package p\ntype = int\n",
		"brackets, very deep":  "package p\nvar x = " + strings.Repeat("[", 100_000),
		"functions, very deep": "package p\nfunc f() {" + strings.Repeat("x := func() {", 100_000),
		"structs, very deep":   "package p\ntype T " + strings.Repeat("struct { a ", 100_000),
		"a function in a body": "package p\nfunc f() {\nfunc g() {}\n}\n",
		"a method in a body":   "package p\nfunc f() {\nfunc (t *T) g(x int) error {\n}\n}\n",
		"zero bytes":           "package p\n\x00",
	} {
		f, err := gosource.Parse(t.Context(), []byte(src), source.Go, everything)
		doubt, ok := errors.AsType[*source.UnsureError](err)
		if !ok || doubt.Reason == "" || doubt.Line < 1 {
			t.Errorf("%s: %v", about, err)
			continue
		}
		if err := parsertest.Invariants([]byte(src), f); err != nil {
			t.Errorf("%s: %v", about, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("package p\n\ntype T[P any] struct {\n\ta, b int `x`\n\t*q.E[int]\n}\n\nvar a, b = func() {}, func() int { return 1 }()\n"))
	f.Add([]byte("package p\nfunc (r *R[T]) m() (x int) { f, g := func() {}, 1; switch y := x.(type) { case int: var z = func() { z() } }; _ = (h)(x) }"))
	f.Add([]byte("package p\ntype I interface { ~int | string; M() interface{ N() }; E }\nconst (\n\tA = iota // a\n\t// b\n\tB\n)\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := gosource.Parse(context.Background(), src, source.Go, everything)
		if got == nil {
			t.Fatal(err)
		}
		if err := parsertest.Invariants(src, got); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var all [][]byte
	size := 0
	paths, _ := filepath.Glob(filepath.Join(corpus.GoSources(b), "net", "http", "*.go"))
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		all, size = append(all, src), size+len(src)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range all {
			if _, err := gosource.Parse(context.Background(), src, source.Go, source.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

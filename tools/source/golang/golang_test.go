package golang_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

func read(t testing.TB, src string, o source.Options) *source.File {
	t.Helper()
	f, err := golang.Parser{}.Parse(context.Background(), []byte(src), source.Go, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := parsertest.Invariants([]byte(src), f); err != nil {
		t.Fatal(err)
	}
	return f
}

const text = `// Package stack stacks.
package stack

import (
	"fmt"
	str "strings"
)

// Stack is one.
//
// It grows.
type Stack[T any] struct {
	// items are they.
	items, spare []T
	*Node
}

type (
	Node     struct{ next *Node }
	Pusher   interface {
		Push(x int) error
		fmt.Stringer
	}
	Count = int
)

const (
	// Small is small.
	Small = iota
	Large
)

var a, b = 1, 2

// Push pushes.
func (s *Stack[T]) Push(x T) (err error) {
	type local struct{ v T }
	check := func(y T) bool { return fmt.Sprint(y) != "" }
	go func() { helper := func() {}; helper() }()
	return str.NewReader("").UnreadByte()
}

func external()

var Handler = func() { external() }
`

func TestChunks(t *testing.T) {
	f := read(t, text, source.Options{Calls: true})
	var got []string
	for i := range f.Chunks {
		c := &f.Chunks[i]
		got = append(got, fmt.Sprintf("%s %s %d-%d-%d %s", c.Kind, c.Path(), c.StartLine, c.Line, c.EndLine, c.Signature))
	}
	want := []string{
		"module stack 1-2-2 package stack",
		"struct Stack 9-12-16 type Stack[T any] struct",
		"property Stack.items 13-14-14 items, spare []T",
		"property Stack.spare 13-14-14 items, spare []T",
		"property Stack.Node 15-15-15 *Node",
		"struct Node 19-19-19 Node struct",
		"property Node.next 19-19-19 next *Node",
		"interface Pusher 20-20-23 Pusher interface",
		"method Pusher.Push 21-21-21 Push(x int) error",
		"typeAlias Count 24-24-24 Count = int",
		"constant Small 28-29-29 Small = iota",
		"constant Large 30-30-30 Large",
		"variable a 33-33-33 var a, b = 1, 2",
		"variable b 33-33-33 var a, b = 1, 2",
		"method Stack.Push 35-36-41 func (s *Stack[T]) Push(x T) (err error)",
		"struct Stack.Push.local 37-37-37 type local struct",
		"property Stack.Push.local.v 37-37-37 v T",
		"lambda Stack.Push.check 38-38-38 check := func(y T) bool",
		"lambda Stack.Push.helper 39-39-39 helper := func()",
		"function external 43-43-43 func external()",
		"lambda Handler 45-45-45 var Handler = func()",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var calls []string
	for _, c := range f.Calls {
		calls = append(calls, fmt.Sprintf("%d %s in %s", c.Line, c.Name, f.Chunks[c.Chunk].Path()))
	}
	if diff := cmp.Diff([]string{
		"38 Sprint in Stack.Push.check", "39 helper in Stack.Push",
		"40 NewReader in Stack.Push", "40 UnreadByte in Stack.Push", "45 external in Handler",
	}, calls); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]source.Import{{Path: "fmt", Line: 5}, {Path: "strings", Line: 6}}, f.Imports); diff != "" {
		t.Error(diff)
	}
}

func TestBroken(t *testing.T) {
	f := read(t, "package p\n\nfunc good() {}\n\nfunc bad( {\n\nfunc after() {}\n", source.Options{Calls: true})
	if len(f.Problems) == 0 || f.Problems[0].Line < 5 {
		t.Errorf("the problems are %+v", f.Problems)
	}
	if len(f.Chunks) < 2 || f.Chunks[1].Name != "good" {
		t.Errorf("the chunks are %+v", f.Chunks)
	}
	for _, hostile := range []string{"", "\x00", "package", "func", strings.Repeat("(", 100_000), "package p; var x = " + strings.Repeat("[", 100_000),
		"package p; func f() " + strings.Repeat("{", 100_000), "package p; type T " + strings.Repeat("struct{a ", 100_000), "package p//" + strings.Repeat("x", 1<<20)} {
		read(t, hostile, source.Options{Calls: true})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(text))
	f.Add([]byte("package p; func (f) ("))
	f.Add([]byte("package p; type T struct { a, b int; c }; var _ = func() { x := func(){} }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := golang.Parser{}.Parse(context.Background(), src, source.Go, source.Options{Calls: true})
		if err != nil {
			return
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
			if _, err := (golang.Parser{}).Parse(b.Context(), src, source.Go, source.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

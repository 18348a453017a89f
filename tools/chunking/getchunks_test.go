package chunking_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/chunking"
)

func TestChunksByID(t *testing.T) {
	p := textProject(t)
	got, err := p.ChunksByID(t.Context(), chunking.GetChunksArgs{ChunkIDs: []string{"b.go#Stack.Pop", "a.go#Push", "a.go#none", "Stack.Pop"}})
	if err != nil || len(got.Chunks) != 2 || len(got.Failed) != 1 || got.Failed[0].ID != "a.go#none" || len(got.Remaining) > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	text := got.TextContent()
	if !strings.HasPrefix(text, "[Pop, b.go:5]\nfunc (s *Stack) Pop() int { return limit - s.n }\n[Push, a.go:7-13]\n// Push checks") || !strings.Contains(text, "[a.go#none: ") {
		t.Error(text)
	}
	for _, ids := range [][]string{nil, {"a.go#none"}, make([]string, 51)} {
		if _, err := p.ChunksByID(t.Context(), chunking.GetChunksArgs{ChunkIDs: ids}); err == nil {
			t.Errorf("%q: no error", ids)
		}
	}
}

func TestChunksByID_AnswerLimit(t *testing.T) {
	long := func(name string) string {
		return "func " + name + "() {\n" + strings.Repeat("\tprintln(1) // a line of a long function\n", 1500) + "}\n"
	}
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": "package a\n\n" + long("one") + long("two") + "func three() {}\n"})
	got, err := p.ChunksByID(t.Context(), chunking.GetChunksArgs{ChunkIDs: []string{"a.go#three", "a.go#one", "a.go#two"}})
	if err != nil || len(got.Chunks)+len(got.Remaining) != 3 || len(got.Remaining) == 0 || len(got.TextContent()) > 150_000 {
		t.Fatalf("%d chunks, remaining %q, %v", len(got.Chunks), got.Remaining, err)
	}
	if !strings.Contains(got.TextContent(), "[left for another call: a.go#") {
		t.Error("the text does not name the remaining chunks")
	}
}

func TestFunctionChunk_NearSignature(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.swift": "public struct Greeter {\n  public func greet(name: String) -> String { return name }\n  func add(a: Int) {}\n  func add(b: Int) {}\n  func add(c: Int, d: Int) {}\n}\nfunc sum(x: Int) {}\n",
		"a.go":    "package a\n\ntype Stack struct{}\n\nfunc (s *Stack) Push(n int, name string) error { return nil }\n\ntype Queue struct{}\n\nfunc (q *Queue) Push(n int) {}\n",
	})
	for _, c := range []struct{ file, signature, want string }{
		{"a.swift", "func greet(name:)", "a.swift#Greeter.greet(name:)"},
		{"a.swift", "public   func greet( name : String )", "a.swift#Greeter.greet(name:)"},
		{"a.swift", "func add(c: Int)", "a.swift#Greeter.add(c:d:)"},
		{"a.swift", "func add(b)", "a.swift#Greeter.add(b:)"},
		{"a.go", "func (s *Stack) Push(n, name)", "a.go#Stack.Push"},
		{"a.go", "Queue.Push(n)", "a.go#Queue.Push"},
	} {
		got, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: c.file, FunctionSignature: c.signature})
		if err != nil || got.ID != c.want || !strings.Contains(got.TextNote(), c.want) {
			t.Errorf("%s: %s, %v; want %s; note %q", c.signature, got.ID, err, c.want, got.TextNote())
		}
	}
	for signature, want := range map[string]string{
		"func add(z: Int)":      "a.swift#Greeter.add(a:) (line 3), a.swift#Greeter.add(b:) (line 4)",
		"func other(z: Int)":    "CHUNK_NOT_FOUND",
		"func Wrong.greet(x:y)": "CHUNK_NOT_FOUND",
	} {
		_, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "a.swift", FunctionSignature: signature})
		bad, ok := errors.AsType[*mcp.ToolError](err)
		if !ok || !strings.Contains(bad.Code+" "+bad.Next, want) {
			t.Errorf("%s: %v; want %s", signature, err, want)
		}
	}
}

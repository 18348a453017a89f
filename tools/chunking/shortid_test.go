package chunking_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// shapes are files with names that are unique in the project, in a file or not at all.
var shapes = map[string]string{
	"a/queue.go": "package a\n\ntype Queue struct{}\n\nfunc (q *Queue) Push(x int) {}\n\nfunc (q *Queue) Drain() {}\n\nfunc helper() {}\n",
	"a/stack.go": "package a\n\ntype Stack struct{}\n\nfunc (s *Stack) Push(x int) {}\n\nfunc Peek() {}\n",
	"b/stack.go": "package b\n\ntype Stack struct{}\n\nfunc (s *Stack) Push(x int) {}\n\nfunc helper() {}\n",
	"c.swift":    "class Pump {\n  func run(at x: Int) {}\n  func run(to x: Int) {}\n}\n",
}

// readText reads a chunk and returns the note.
func readText(t *testing.T, p *project, ctx context.Context, id string) string {
	t.Helper()
	r, err := p.Chunk(ctx, chunking.GetChunkArgs{ChunkID: id})
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return r.TextNote()
}

// Each short ID in an answer is the shortest that means its chunk alone, and it is accepted.
func TestSearchSymbols_ShortIDs(t *testing.T) {
	p := newProject(t, chunking.Options{AnalyzeOnDemand: true}, shapes)
	for query, want := range map[string]string{
		"Drain":  "[1 found]\na/queue.go\n Drain 7 func (q *Queue) Drain()\n",
		"Push":   "[3 found]\na/queue.go\n Queue.Push 5 func (q *Queue) Push(x int)\na/stack.go\n a/stack.go#Push 5 func (s *Stack) Push(x int)\nb/stack.go\n b/stack.go#Push 5 func (s *Stack) Push(x int)\n",
		"helper": "[2 found]\na/queue.go\n queue.go#helper 9 func helper()\nb/stack.go\n b/stack.go#helper 7 func helper()\n",
		"run":    "[2 found]\nc.swift\n run(at:) 2 func run(at x: Int)\n run(to:) 3 func run(to x: Int)\n",
	} {
		r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.TextContent(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		for _, s := range r.Symbols {
			for line := range strings.Lines(r.TextContent()) {
				short, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
				if !ok || !strings.HasSuffix(rest, s.Signature) || strings.HasPrefix(line, "[") {
					continue
				}
				if got, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: short}); err != nil || got.Signature != s.Signature {
					t.Errorf("%s means %+v, %v", short, got.Entry, err)
				}
			}
		}
	}
}

func TestChunk_Place(t *testing.T) {
	p := newProject(t, chunking.Options{AnalyzeOnDemand: true}, shapes)
	for id, want := range map[string]string{
		"Drain":                 "[Drain, a/queue.go:7]",
		"Queue.Drain":           "[Drain, a/queue.go:7]",
		"queue.go#Push":         "[Queue.Push, a/queue.go:5]",
		"a/queue.go#Queue.Push": "",
		"b/stack.go#Push":       "",
		"run(to:)":              "[run(to:), c.swift:3]",
		"drai":                  "[Drain, a/queue.go:7]", // a part
		"pee":                   "[Peek, a/stack.go:7]",
	} {
		if got := readText(t, p, t.Context(), id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	for id, code := range map[string]string{
		"stack.go#Push":     "AMBIGUOUS_CHUNK", // two files
		"stack.go#Other":    "AMBIGUOUS_CHUNK",
		"Push":              "AMBIGUOUS_CHUNK",
		"hel":               "AMBIGUOUS_CHUNK", // two functions have the part
		"a/queue.go#Drai":   "CHUNK_NOT_FOUND", // an ID is no part
		"zzz":               "CHUNK_NOT_FOUND",
		"queue.go#Queue.zz": "CHUNK_NOT_FOUND",
		"other.go#zz":       "FILE_NOT_FOUND",
		"#zz":               "CHUNK_NOT_FOUND",
	} {
		_, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: id})
		toolsettest.WantError(t, err, code)
	}
}

// A part of a name selects a chunk for reading, and not for a change.
func TestEditChunk_PartOfName(t *testing.T) {
	p := newProject(t, chunking.Options{AnalyzeOnDemand: true}, shapes)
	args := chunking.EditChunkArgs{ChunkID: "Drai", OldText: "{}", NewText: "{ return }"}
	_, err := p.EditChunk(t.Context(), args)
	toolsettest.WantError(t, err, "CHUNK_NOT_FOUND")
	args.ChunkID = "queue.go#Drain"
	if r, err := p.EditChunk(t.Context(), args); err != nil || r.TextContent() != "[edited, now lines 7-7]" {
		t.Errorf("%q, %v", r.TextContent(), err)
	}
}

// A short ID that means another chunk than in the answer to the caller is refused by changes, and not after it was read again.
func TestEditChunk_ShortIDOfAnotherChunk(t *testing.T) {
	p := newProject(t, chunking.Options{AnalyzeOnDemand: true}, shapes)
	ctx := tools.WithPeer(t.Context(), "agent")
	readText(t, p, ctx, "Drain")
	p.put(t, "a/queue.go", "package a\n")
	p.put(t, "b/stack.go", shapes["b/stack.go"]+"\nfunc Drain() {}\n")
	p.analyze(t)
	args := chunking.EditChunkArgs{ChunkID: "Drain", OldText: "{}", NewText: "{ return }"}
	_, err := p.EditChunk(ctx, args)
	toolsettest.WantError(t, err, "STALE_CHUNK")
	if note := readText(t, p, ctx, "Drain"); note != "[Drain, b/stack.go:9]" {
		t.Errorf("the note is %q", note)
	}
	if _, err := p.EditChunk(ctx, args); err != nil {
		t.Error(err)
	}
}

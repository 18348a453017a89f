package chunking_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/source"
)

func TestAnalyze(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{
		"a.go": stack, "b/c.py": "def f():\n    pass\n", "d.swift": "func g() {}\n", "bad.go": "package p\nfunc (", "notes.txt": "x", "skip.go": "x\x00", ".gitignore": "out\n", "out/o.go": stack,
	})
	r := p.analyze(t)
	if r.Status != "partial" || r.Files != 5 || r.Parsed != 4 || r.Skipped != 1 || r.ParseErrors != 1 || r.Functions != 5 || r.Languages["go"] != 2 || r.Languages["swift"] != 1 {
		t.Errorf("%+v", r)
	}
	if text := r.TextContent(); !strings.HasPrefix(text, "partial: 5 functions among ") || !strings.Contains(text, "bad.go:2: ") {
		t.Errorf("the text is %q", text)
	}
	// The index is JSON below data/chunks, with a line for each file.
	kept, err := os.ReadFile(filepath.Join(p.dir, "data", "chunks", "chunks.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for line := range bytes.Lines(kept) {
		var file struct {
			Path    string
			Symbols []struct{ Names []string }
		}
		if err := json.Unmarshal(line, &file); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		paths = append(paths, file.Path)
	}
	if want := []string{"a.go", "b/c.py", "bad.go", "d.swift"}; !slices.Equal(slices.Sorted(slices.Values(paths)), want) {
		t.Errorf("kept are %v", paths)
	}
	if r := p.analyze(t); r.Parsed != 0 || r.Unchanged != 4 || r.Chunks == 0 {
		// A recently written file may be read again; it is not parsed.
		t.Errorf("again: %+v", r)
	}
	if r, err := p.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: "b", Force: true}); err != nil || r.Parsed != 1 || r.Files != 1 {
		t.Errorf("a part, by force: %+v, %v", r, err)
	}
	_, err = p.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: "a.go"})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
	_, err = p.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: "/"})
	if err == nil {
		t.Error("a directory outside of the project was analysed")
	}
	_, err = p.Analyze(t.Context(), chunking.AnalyzeArgs{Languages: []string{"cobol"}})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
}

func TestNew_StoredIndex(t *testing.T) {
	for _, kind := range []string{"json", "sqlite"} {
		t.Run(kind, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "chunks.db")
			options := func() chunking.Options {
				if kind == "json" {
					return chunking.Options{}
				}
				db, err := sqlite.Open(t.Context(), file)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				return chunking.Options{Store: db.Store()}
			}
			p := newProject(t, options(), map[string]string{"a.go": stack})
			p.analyze(t)
			if err := p.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.open(t, options())
			r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "Pop"})
			if err != nil || len(r.Symbols) != 1 || r.Symbols[0].ID != "a.go#Stack.Pop" {
				t.Errorf("after opening it again: %+v, %v", r, err)
			}
		})
	}
}

// slow is a parser that waits.
type slow struct {
	begun, goOn chan struct{}
	once        *sync.Once
}

func (slow) Name() string                 { return "slow" }
func (slow) Languages() []source.Language { return []source.Language{source.Ruby} }
func (s slow) Parse(ctx context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	s.once.Do(func() { close(s.begun) })
	select {
	case <-s.goOn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return source.NewBuilder(src, lang).File("slow"), nil
}

func TestAnalyze_ContinuesAfterWait(t *testing.T) {
	s := slow{make(chan struct{}), make(chan struct{}), new(sync.Once)}
	p := newProject(t, chunking.Options{Parsers: source.NewParsers(s)}, map[string]string{"a.rb": "x"})
	r, err := p.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: ".", WaitMs: 1})
	if err != nil || r.Status != "running" || !strings.Contains(r.Message, "call analyze_project again") {
		t.Fatalf("%+v, %v", r, err)
	}
	<-s.begun
	r, err = p.Analyze(t.Context(), chunking.AnalyzeArgs{WaitMs: 1})
	if err != nil || r.Status != "running" || !r.Joined || r.Files != 1 {
		t.Errorf("who joins: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Analyze(ctx, chunking.AnalyzeArgs{}); !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves: %v", err)
	}
	close(s.goOn)
	r, err = p.Analyze(t.Context(), chunking.AnalyzeArgs{})
	if err != nil || r.Status != "success" || r.Files != 1 {
		t.Errorf("at the end: %+v, %v", r, err)
	}
}

func TestClose_RunningAnalysis(t *testing.T) {
	s := slow{make(chan struct{}), make(chan struct{}), new(sync.Once)}
	p := newProject(t, chunking.Options{Parsers: source.NewParsers(s), InMemory: true}, map[string]string{"a.rb": "x"})
	if _, err := p.Analyze(t.Context(), chunking.AnalyzeArgs{WaitMs: 1}); err != nil {
		t.Fatal(err)
	}
	<-s.begun
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// zig is a parser of a language without a built-in parser.
type zig struct{}

func (zig) Name() string                 { return "zig" }
func (zig) Languages() []source.Language { return []source.Language{"zig"} }
func (zig) Definitions() []source.Definition {
	return []source.Definition{{Language: "zig", Extensions: []string{".zig"}}}
}
func (zig) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	for _, found := range zigFunction.FindAllSubmatchIndex(src, -1) {
		b.Add(source.Chunk{
			Kind: source.Function, Name: string(src[found[2]:found[3]]), Parent: -1,
			Start: int32(found[0]), Decl: int32(found[0]), Sig: int32(found[0]), Ident: int32(found[2]), End: int32(found[1]),
		})
	}
	return b.File("zig"), nil
}

var zigFunction = regexp.MustCompile(`fn (\w+)\(\) \{[^}]*\}`)

// A parser defines the file extensions of its language.
func TestParsers_OwnLanguage(t *testing.T) {
	p := newProject(t, chunking.Options{Parsers: source.NewParsers(zig{}), InMemory: true}, map[string]string{
		"src/main.zig": "fn main() {}\n\nfn helper() {}\n", "a.go": stack, "more.txt": "fn other() {}\n",
	})
	if r := p.analyze(t); r.Files != 1 || r.Functions != 2 || r.Languages["zig"] != 1 {
		t.Errorf("%+v", r)
	}
	r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "src/main.zig"})
	if err != nil || r.Language != "zig" || len(r.Functions) != 2 || r.Functions[1].ID != "src/main.zig#helper" {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "more.txt", Language: "Zig"})
	if err != nil || len(r.Functions) != 1 {
		t.Errorf("by argument: %+v, %v", r, err)
	}
	_, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "more.txt", Language: "go"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "Use one of zig")
}

func TestWatch(t *testing.T) {
	p := newProject(t, chunking.Options{Watch: true}, map[string]string{"a.go": stack})
	p.analyze(t)
	p.put(t, "new.go", "package p\n\nfunc BrandNew() {}\n")
	deadline := time.Now().Add(time.Minute)
	for {
		r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "BrandNew"})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Symbols) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a new file was not noticed within a minute")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestSearchSymbols(t *testing.T) {
	files := map[string]string{"a.go": stack, "b.py": "class Stack:\n    def push(self):\n        pass\n"}
	p := newProject(t, chunking.Options{}, files)
	r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "push"})
	if err != nil || len(r.Symbols) != 0 || !strings.Contains(r.TextContent(), "analyze_project") {
		t.Errorf("before the analysis: %+v, %v", r, err)
	}
	p.analyze(t)
	for _, tc := range []struct {
		args chunking.SearchSymbolsArgs
		want string
	}{
		{chunking.SearchSymbolsArgs{Query: "push"}, "b.py#Stack.push a.go#Stack.Push a.go#Push"},
		{chunking.SearchSymbolsArgs{Query: "push", Language: "golang"}, "a.go#Stack.Push a.go#Push"},
		{chunking.SearchSymbolsArgs{Query: "push", Path: "*.py"}, "b.py#Stack.push"},
		{chunking.SearchSymbolsArgs{Query: "push", Kind: "function"}, "a.go#Push"},
		{chunking.SearchSymbolsArgs{Query: "stack", Kind: "type"}, "a.go#Stack b.py#Stack"},
		{chunking.SearchSymbolsArgs{Query: "Stack", Kind: "callable"}, ""},
	} {
		r, err := p.SearchSymbols(t.Context(), tc.args)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, s := range r.Symbols {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != tc.want || r.TotalCount != len(ids) {
			t.Errorf("%+v finds %q of %d, want %q", tc.args, got, r.TotalCount, tc.want)
		}
	}
	// The pages together equal the complete list.
	var paged []string
	args := chunking.SearchSymbolsArgs{Query: "push", MaxResults: 1}
	for {
		r, err := p.SearchSymbols(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		paged = append(paged, r.Symbols[0].ID)
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			break
		}
	}
	if got := strings.Join(paged, " "); got != "b.py#Stack.push a.go#Stack.Push a.go#Push" {
		t.Errorf("in pages: %s", got)
	}
	_, err = p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "x", Cursor: "AAAA"})
	toolsettest.WantError(t, err, "INVALID_CURSOR")
	_, err = p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "x", Kind: "thing"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "enumCase")
	_, err = p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "x", Path: "["})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
}

func TestRepoMap(t *testing.T) {
	files := map[string]string{"core.go": stack}
	for i := range 20 {
		n := strconv.Itoa(i)
		files["user"+n+".go"] = "package stack\n\nfunc user" + n + "(s *Stack) {\n\ts.Push(" + n + ")\n}\n"
	}
	p := newProject(t, chunking.Options{}, files)
	_, err := p.RepoMap(t.Context(), chunking.RepoMapArgs{})
	toolsettest.WantError(t, err, "NOT_ANALYZED")
	p.analyze(t)
	r, err := p.RepoMap(t.Context(), chunking.RepoMapArgs{BudgetTokens: 50})
	if err != nil || r.Tokens > 50 || !strings.HasPrefix(r.Map, "core.go:\n") || !strings.Contains(r.Map, "type Stack struct") {
		t.Errorf("%+v, %v", r, err)
	}
	again, err := p.RepoMap(t.Context(), chunking.RepoMapArgs{BudgetTokens: 50})
	if err != nil || again.Map != r.Map {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	r, err = p.RepoMap(t.Context(), chunking.RepoMapArgs{BudgetTokens: 100, FocusIdentifiers: []string{"user7"}})
	if err != nil || !strings.Contains(r.Map, "func user7") {
		t.Errorf("around a name: %+v, %v", r, err)
	}
	_, err = p.RepoMap(t.Context(), chunking.RepoMapArgs{FocusFiles: []string{"gone.go"}})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	_, err = p.RepoMap(t.Context(), chunking.RepoMapArgs{BudgetTokens: 10})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
}

func TestGraph(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p := newProject(t, chunking.Options{Graph: db.Graph(), Store: db.Store()}, map[string]string{
		"stack/stack.go": stack,
		"main.go":        "package main\n\nimport \"x/stack\"\n\nfunc run(s *stack.Stack) {\n\ts.Pop()\n\ts.Pop()\n\tfmt.Println(s)\n}\n",
		"other.py":       "def pops():\n    Pop()\n",
	})
	p.analyze(t)
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "stack/stack.go#Stack.Pop"})
	if err != nil || len(r.Callers) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if c := r.Callers[0]; c.ID != "main.go#run" || len(c.Lines) != 2 || c.Lines[0] != 6 || c.Source != "resolved" || r.Resolved != 1 {
		t.Errorf("%+v", c)
	}
	d, err := p.FindDependencies(t.Context(), chunking.RelationsArgs{ChunkID: "main.go#run"})
	if err != nil || len(d.Calls) != 2 || d.Calls[0].Name != "Pop" || len(d.Calls[0].Targets) != 1 || d.Calls[0].Targets[0].ID != "stack/stack.go#Stack.Pop" || len(d.Calls[1].Targets) != 0 || d.Imports[0] != "x/stack" {
		t.Errorf("%+v, %v", d, err)
	}
	if text := d.TextContent(); !strings.Contains(text, "Println lines 8: no declaration of this name is indexed") {
		t.Errorf("the text is %q", text)
	}
	// The graph follows changes of the files.
	p.put(t, "main.go", "package main\n\nfunc run() {}\n")
	p.analyze(t)
	if r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "stack/stack.go#Stack.Pop"}); err != nil || len(r.Callers) != 0 {
		t.Errorf("after a change: %+v, %v", r, err)
	}
}

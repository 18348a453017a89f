package chunking_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

const stack = `package stack

import "errors"

// Stack is a last-in, first-out queue.
type Stack struct {
	items []int
}

// Push puts x on top.
func (s *Stack) Push(x int) {
	s.items = append(s.items, x)
}

// Pop takes the top.
func (s *Stack) Pop() (int, error) {
	if len(s.items) == 0 {
		return 0, errors.New("empty")
	}
	x := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, nil
}

func Push() {}
`

func TestListFunctions_Short(t *testing.T) {
	p := newProject(t, chunking.Options{ShortLists: true}, map[string]string{"stack.go": stack, "empty.go": "package a\n"})
	r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "stack.go"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "[lines, signature; ids: stack.go#name, indented …#heading.name]\nStack:\n 10-13 func (s *Stack) Push(x int)\n" +
		" 15-23 func (s *Stack) Pop() (int, error)\n25 func Push()"
	if diff := cmp.Diff(want, r.TextContent()); diff != "" {
		t.Error(diff)
	}
	p.put(t, "pump.swift", "class Pump {\n  func run(at x: Int) {}\n  func run(to x: Int) {}\n  func stop(after x: Int) {}\n}\n")
	r, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "pump.swift"})
	if err != nil {
		t.Fatal(err)
	}
	const overloads = "[lines, signature; ids: pump.swift#name, indented …#heading.name]\nPump:\n 2 run(at:) func run(at x: Int)\n 3 run(to:) func run(to x: Int)\n 4 func stop(after x: Int)"
	if diff := cmp.Diff(overloads, r.TextContent()); diff != "" {
		t.Error(diff)
	}
	if r, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "empty.go"}); err != nil || r.TextContent() != "[no functions]" {
		t.Errorf("an empty file: %q, %v", r.TextContent(), err)
	}
}

// TestChunk_OnlyFunction finds the only function of a name beside a constant, for get_chunk and not for a change.
func TestChunk_OnlyFunction(t *testing.T) {
	p := newProject(t, chunking.Options{AnalyzeOnDemand: true}, map[string]string{
		"lib.js": "function check (a) {\n  return a\n}\n", "use.js": "const { check } = require('./lib')\n",
	})
	r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "check"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[lib.js#check, lines 1-3; also use.js#check]"; !strings.HasPrefix(r.Code, "function check") || r.TextNote() != want {
		t.Errorf("the note of %q is %q, want %q", r.Code, r.TextNote(), want)
	}
	if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "check", NewCode: "function check (a) {\n  return !a\n}"}); err == nil || !strings.Contains(err.Error(), "can be several chunks") {
		t.Errorf("a change by an ambiguous name: %v", err)
	}
}

// TestAnalyzeOnDemand checks that the first call that needs the analysis makes it.
func TestAnalyzeOnDemand(t *testing.T) {
	files := map[string]string{"a.go": "package a\n\nfunc Pump() {}\n"}
	p := newProject(t, chunking.Options{}, files)
	if r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "Pump"}); err != nil || len(r.Symbols) != 0 {
		t.Errorf("without the option: %+v, %v", r, err)
	}
	p = newProject(t, chunking.Options{AnalyzeOnDemand: true}, files)
	if r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "Pump"}); err != nil || len(r.Symbols) != 1 {
		t.Errorf("search_symbols: %+v, %v", r, err)
	}
	p = newProject(t, chunking.Options{AnalyzeOnDemand: true}, files)
	if r, err := p.RepoMap(t.Context(), chunking.RepoMapArgs{}); err != nil || r.Files != 1 {
		t.Errorf("get_repo_map: %+v, %v", r, err)
	}
	p = newProject(t, chunking.Options{AnalyzeOnDemand: true}, files)
	if r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "Pump"}); err != nil || !strings.Contains(r.Code, "func Pump") {
		t.Errorf("get_chunk: %+v, %v", r, err)
	}
}

func TestFindFile(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"a/Main.swift": "", "a/b/MainView.swift": "", "c.go": "", ".hidden/Main.swift": "", "out/Main.swift": "", ".gitignore": "out\n"})
	for _, tc := range []struct {
		pattern string
		want    []string
	}{
		{"*.swift", []string{"a/Main.swift", "a/b/MainView.swift"}},
		{"a/*.swift", []string{"a/Main.swift"}},
		{"a/**/*.swift", []string{"a/Main.swift", "a/b/MainView.swift"}},
		{"Main.swift", []string{"a/Main.swift"}},
		{"main", []string{"a/Main.swift", "a/b/MainView.swift"}},
		{"b/main", []string{"a/b/MainView.swift"}},
		{"nothing", []string{}},
	} {
		r, err := p.FindFile(t.Context(), chunking.FindFileArgs{Pattern: tc.pattern})
		if err != nil {
			t.Fatalf("%s: %v", tc.pattern, err)
		}
		var got []string
		if err := json.Unmarshal([]byte(r.TextContent()), &got); err != nil {
			t.Fatalf("%s: the text is no JSON list: %v", tc.pattern, err)
		}
		real, _ := filepath.EvalSymlinks(p.dir)
		for i := range got {
			if !filepath.IsAbs(got[i]) {
				t.Errorf("%s: %s is not absolute", tc.pattern, got[i])
			}
			got[i], _ = filepath.Rel(real, got[i])
			got[i] = filepath.ToSlash(got[i])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.pattern, diff)
		}
	}
	r, err := p.FindFile(t.Context(), chunking.FindFileArgs{Pattern: "*", MaxResults: 2})
	if err != nil || len(r.Files) != 2 || !r.Truncated || r.TotalCount != 3 || !strings.Contains(r.TextNote(), "2 of 3") {
		t.Errorf("two of three: %+v, %q, %v", r, r.TextNote(), err)
	}
	_, err = p.FindFile(t.Context(), chunking.FindFileArgs{Pattern: "["})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
}

func TestListFunctions(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: filepath.Join(p.dir, "stack.go")})
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"id":"stack.go#Stack.Push","signature":"func (s *Stack) Push(x int)","kind":"method","container":"Stack","line":10,"endLine":13},` +
		`{"id":"stack.go#Stack.Pop","signature":"func (s *Stack) Pop() (int, error)","kind":"method","container":"Stack","line":15,"endLine":23},` +
		`{"id":"stack.go#Push","signature":"func Push()","kind":"function","line":25,"endLine":25}]`
	if diff := cmp.Diff(want, r.TextContent()); diff != "" {
		t.Error(diff)
	}
	if r.TextNote() != "" || r.Parser != "outline" || r.Language != "go" || len(r.SHA256) != 64 {
		t.Errorf("%+v, note %q", r, r.TextNote())
	}
	r, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "stack.go", IncludeTypes: true})
	if err != nil || len(r.Functions) != 6 {
		t.Errorf("with types there are %d: %v", len(r.Functions), err)
	}
	p.put(t, "broken.go", "package p\n\nfunc good() {}\n\nfunc bad( {\n")
	r, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "broken.go"})
	if err != nil || len(r.Functions) == 0 || len(r.ParseErrors) == 0 || !strings.Contains(r.TextNote(), "line 5") {
		t.Errorf("a file that does not parse: %+v, %q, %v", r, r.TextNote(), err)
	}
}

func TestFindFunction(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	for _, tc := range []struct {
		query string
		want  string
	}{
		{"Pop", "stack.go#Stack.Pop"},
		{"pop", "stack.go#Stack.Pop"},
		{"Stack.Push", "stack.go#Stack.Push stack.go#Push"},
		{"po", "stack.go#Stack.Pop"},
		{"(int, error)", "stack.go#Stack.Pop"},
		{"func Push()", "stack.go#Push"},
		{"nothing", ""},
	} {
		r, err := p.FindFunction(t.Context(), chunking.FindFunctionArgs{FilePath: "stack.go", FunctionQuery: tc.query})
		if err != nil {
			t.Fatalf("%s: %v", tc.query, err)
		}
		var ids []string
		for _, f := range r.Functions {
			ids = append(ids, f.ID)
		}
		if got := strings.Join(ids, " "); got != tc.want {
			t.Errorf("%q finds %q, want %q", tc.query, got, tc.want)
		}
	}
}

func TestFunctionChunk(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	push := stack[strings.Index(stack, "// Push"):strings.Index(stack, "\n\n// Pop")]
	for _, named := range []string{"func (s *Stack) Push(x int)", "func (s *Stack) Push(x int) {", "func ( s *Stack )  Push(x int)", "Stack.Push", "stack.go#Stack.Push"} {
		r, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "stack.go", FunctionSignature: named})
		if err != nil {
			t.Errorf("%s: %v", named, err)
			continue
		}
		if r.TextContent() != push || r.TextNote() != "" || r.ID != "stack.go#Stack.Push" || r.Line != 10 || r.EndLine != 13 {
			t.Errorf("%s: %+v", named, r)
		}
	}
	r, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "stack.go", FunctionSignature: "Stack.Push", IncludeContext: true})
	if want := "import \"errors\"\n\n" + push; err != nil || r.TextContent() != want {
		t.Errorf("with context: %q, %v; want %q", r.TextContent(), err, want)
	}
	_, err = p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "stack.go", FunctionSignature: "Stack.Pus"})
	toolsettest.WantError(t, err, "CHUNK_NOT_FOUND", "Did you mean", "stack.go#Stack.Push")
	_, err = p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "gone.go", FunctionSignature: "x"})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	p.put(t, "notes.txt", "package p\n\nfunc f() {}")
	_, err = p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "notes.txt", FunctionSignature: "f"})
	toolsettest.WantError(t, err, "NOT_SOURCE", "swift")
	if r, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "notes.txt", FunctionSignature: "f", Language: "Go"}); err != nil || r.Code != "func f() {}" {
		t.Errorf("with its language: %+v, %v", r, err)
	}
	_, err = p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "notes.txt", FunctionSignature: "f", Language: "cobol"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "kotlin")
	p.put(t, "two.go", "package p\nfunc (A) f(x int) {}\nfunc (B) f(y int) {}\n")
	_, err = p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "two.go", FunctionSignature: "f"})
	toolsettest.WantError(t, err, "AMBIGUOUS_CHUNK", "two.go#A.f (line 2)", "two.go#B.f (line 3)")
}

func TestChunk(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack, "a#b.go": "package p\n\nfunc f() {}\n"})
	get := func(id string) (chunking.ChunkResult, error) {
		return p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: id})
	}
	if r, err := get("stack.go#Stack.Pop"); err != nil || !strings.HasPrefix(r.Code, "// Pop takes") {
		t.Errorf("by id, before the project was analysed: %+v, %v", r, err)
	}
	if r, err := get("a#b.go#f"); err != nil || r.Code != "func f() {}" {
		t.Errorf("a path with a sign: %+v, %v", r, err)
	}
	_, err := get("Stack.Pop")
	toolsettest.WantError(t, err, "NOT_ANALYZED")
	if r := p.analyze(t); r.Status != "success" || r.Files != 2 || r.Functions != 4 {
		t.Fatalf("%+v", r)
	}
	for _, named := range []string{"Stack.Pop", "func (s *Stack) Pop() (int, error)", "Pop"} {
		if r, err := get(named); err != nil || r.ID != "stack.go#Stack.Pop" {
			t.Errorf("%s: %+v, %v", named, r, err)
		}
	}
	_, err = get("stack.go#Nothing")
	toolsettest.WantError(t, err, "CHUNK_NOT_FOUND")
	_, err = get("Nothing")
	toolsettest.WantError(t, err, "CHUNK_NOT_FOUND")
	p.put(t, "other.go", "package p\n\nfunc f() {}\n")
	p.analyze(t)
	_, err = get("f")
	toolsettest.WantError(t, err, "AMBIGUOUS_CHUNK", "a#b.go#f", "other.go#f")
}

func TestChunk_Moved(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	p.analyze(t)
	p.put(t, "stack.go", strings.Replace(stack, "import", "// A line more.\nimport", 1))
	r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "stack.go#Stack.Pop"})
	if err != nil || !r.Moved || r.Line != 16 || !strings.HasPrefix(r.Code, "// Pop takes") || !strings.Contains(r.TextNote(), "moved") {
		t.Errorf("in its file: %+v, %v", r, err)
	}
	// The chunk is found by another path, too, and again after an update of the index.
	p.put(t, "stack.go", strings.Replace(stack, "import", "\n\nimport", 1))
	absolute := chunking.FunctionChunkArgs{FilePath: filepath.Join(p.dir, "stack.go"), FunctionSignature: "Stack.Pop"}
	if r, err := p.FunctionChunk(t.Context(), absolute); err != nil || !r.Moved || r.Line != 17 {
		t.Errorf("by its absolute path: %+v, %v", r, err)
	}
	if r, err := p.FunctionChunk(t.Context(), absolute); err != nil || r.Moved || r.Line != 17 {
		t.Errorf("where it is known to be: %+v, %v", r, err)
	}
	p.put(t, "pop.go", "package stack\n\n"+stack[strings.Index(stack, "// Pop"):strings.Index(stack, "func Push()")])
	p.put(t, "stack.go", "package stack\n")
	p.analyze(t)
	r, err = p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "stack.go#Stack.Pop"})
	if err != nil || !r.Moved || r.ID != "pop.go#Stack.Pop" {
		t.Errorf("to another file: %+v, %v", r, err)
	}
}

func TestFunctionChunk_PackageName(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
	r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "main.go", IncludeTypes: true})
	if err != nil || len(r.Functions) != 2 || r.Functions[0].ID != "main.go#main~2" || r.Functions[1].ID != "main.go#main" {
		t.Errorf("%+v, %v", r.Functions, err)
	}
	for id, code := range map[string]string{"main.go#main": "func main() {}", "main.go#main~2": "package main"} {
		if r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: id}); err != nil || r.Code != code {
			t.Errorf("%s is %q, %v", id, r.Code, err)
		}
	}
}

func TestListFunctions_LongList(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"a.go": "package p\n" + strings.Repeat("func f() {}\n", 20_000)})
	r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "a.go"})
	if err != nil || !r.Truncated || r.TotalCount != 20_000 || len(r.TextContent()) > 33<<10 || len(r.Functions) < 300 || !strings.Contains(r.TextNote(), "of 20000") {
		t.Errorf("%d of %d functions in %d bytes, %q, %v", len(r.Functions), r.TotalCount, len(r.TextContent()), r.TextNote(), err)
	}
}

// A computed property of several lines is listed like a function, and replaced as one.
func TestListFunctions_ComputedProperty(t *testing.T) {
	const content = "struct V: View {\n  var n = 0\n  var body: some View {\n    Text(\"x\")\n  }\n  var title: String { \"x\" }\n}\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.swift": content})
	r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "a.swift"})
	if err != nil || len(r.Functions) != 1 || r.Functions[0].ID != "a.swift#V.body" {
		t.Fatalf("%+v, %v", r.Functions, err)
	}
	if testing.Short() {
		t.Skip("the grammar of Swift is slow to compile")
	}
	if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.swift#V.body", NewCode: "var body: some View {\n    Text(\"y\")\n  }"}); err != nil {
		t.Error(err)
	}
	if got := p.read(t, "a.swift"); got != strings.Replace(content, "Text(\"x\")", "Text(\"y\")", 1) {
		t.Errorf("the file is\n%s", got)
	}
}

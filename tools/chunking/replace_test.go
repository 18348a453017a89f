package chunking_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/settest"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
)

func hexDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestReplace(t *testing.T) {
	const nested = "package p\n\ntype T struct{}\n\n// F is old.\nfunc F() {\n\tx()\n}\n\nfunc x() {}\n"
	const python = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
	const swift = "struct S {\n    /// Says.\n    @inlinable\n    func f() -> Int {\n        1\n    }\n}\n"
	for _, tc := range []struct {
		about, file, before, chunk, code, after string
	}{
		{"as it was read", "a.go", nested, "F", "// F is new.\nfunc F() {\n\ty()\n}", "package p\n\ntype T struct{}\n\n// F is new.\nfunc F() {\n\ty()\n}\n\nfunc x() {}\n"},
		{"the documentation stays", "a.go", nested, "F", "func F() {\n\ty()\n}\n", "package p\n\ntype T struct{}\n\n// F is old.\nfunc F() {\n\ty()\n}\n\nfunc x() {}\n"},
		{"another name", "a.go", nested, "F", "func G() { x() }", "package p\n\ntype T struct{}\n\n// F is old.\nfunc G() { x() }\n\nfunc x() {}\n"},
		{"line ends of the file", "a.go", strings.ReplaceAll(nested, "\n", "\r\n"), "F", "// F is new.\nfunc F() {\n\ty()\n}", strings.ReplaceAll("package p\n\ntype T struct{}\n\n// F is new.\nfunc F() {\n\ty()\n}\n\nfunc x() {}\n", "\n", "\r\n")},
		{"first line at the left edge", "a.py", python, "A.f", "def f(self):\n        return 3", strings.Replace(python, "1", "3", 1)},
		{"all at the left edge", "a.py", python, "A.f", "def f(self):\n    return 3\n", strings.Replace(python, "1", "3", 1)},
		{"all indented", "a.py", python, "A.f", "    def f(self):\n        return 3\n", strings.Replace(python, "1", "3", 1)},
		{"in braces, at the left edge", "a.swift", swift, "S.f", "@inlinable\nfunc f() -> Int {\n    2\n}", strings.Replace(swift, "1", "2", 1)},
		{"a directive at the left edge", "a.swift", strings.Replace(swift, "        1\n", "#if DEBUG\n        1\n#else\n        2\n#endif\n", 1), "S.f", "/// Says.\n    @inlinable\n    func f() -> Int {\n#if DEBUG\n        3\n#else\n        2\n#endif\n    }", strings.Replace(swift, "        1\n", "#if DEBUG\n        3\n#else\n        2\n#endif\n", 1)},
		{"a string at the left edge", "a.py", strings.Replace(python, "return 1", "return \"\"\"\nx\n\"\"\"", 1), "A.f", "def f(self):\n        return \"\"\"\ny\n\"\"\"", strings.Replace(python, "return 1", "return \"\"\"\ny\n\"\"\"", 1)},
		{"in braces, as it was read", "a.swift", swift, "S.f", "/// Says.\n    @inlinable\n    func f() -> Int {\n        2\n    }", strings.Replace(swift, "1", "2", 1)},
	} {
		t.Run(tc.about, func(t *testing.T) {
			p := newProject(t, chunking.Options{}, map[string]string{tc.file: tc.before})
			args := chunking.ReplaceArgs{FilePath: tc.file, FunctionSignature: tc.chunk, NewCode: tc.code, DryRun: true}
			dry, err := p.Replace(t.Context(), args)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.read(t, tc.file); got != tc.before {
				t.Fatalf("a dry run wrote %q", got)
			}
			args.DryRun = false
			args.ExpectedSHA256 = hexDigest(tc.before)
			r, err := p.Replace(t.Context(), args)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.read(t, tc.file); got != tc.after {
				t.Errorf("the file is\n%s\nwant\n%s", got, tc.after)
			}
			if r.SHA256 != hexDigest(tc.after) || dry.Diff != r.Diff || dry.SHA256 != r.SHA256 || r.Diff == "" || !strings.HasPrefix(r.ID, tc.file+"#") {
				t.Errorf("%+v\nin the dry run %+v", r, dry)
			}
		})
	}
}

func TestReplaceShiftJIS(t *testing.T) {
	const head, comment, tail = "package p\n\n// ", "\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7", "\nfunc F() {}\n\nfunc G() {}\n"
	p := newProject(t, chunking.Options{}, map[string]string{"a.go": head + comment + tail})
	r, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "a.go", FunctionSignature: "F"})
	if err != nil || r.Code != "// 日本語です\nfunc F() {}" {
		t.Fatalf("%q, %v", r.Code, err)
	}
	if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#G", NewCode: "// 語\nfunc G() { F() }"}); err != nil {
		t.Fatal(err)
	}
	if got, want := p.read(t, "a.go"), head+comment+"\nfunc F() {}\n\n// \x8c\xea\nfunc G() { F() }\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

func TestWhatIsNotReplaced(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	refused := func(about string, args chunking.ReplaceArgs, code string) {
		t.Helper()
		_, err := p.Replace(t.Context(), args)
		settest.WantError(t, err, code)
		if got := p.read(t, "stack.go"); got != stack {
			t.Errorf("%s: the file was changed", about)
		}
	}
	const id, code = "stack.go#Stack.Push", "func (s *Stack) Push(x int) {}"
	refused("what does not parse", chunking.ReplaceArgs{ChunkID: id, NewCode: "func (s *Stack) Push(x int) {"}, "DOES_NOT_PARSE")
	refused("no declaration", chunking.ReplaceArgs{ChunkID: "stack.go#Push", NewCode: "// nothing"}, "DOES_NOT_PARSE")
	refused("an old content", chunking.ReplaceArgs{ChunkID: id, NewCode: code, ExpectedSHA256: hexDigest("old")}, "STALE_CHUNK")
	refused("nothing", chunking.ReplaceArgs{ChunkID: id, NewCode: " \n"}, "INVALID_PARAMS")
	refused("no chunk", chunking.ReplaceArgs{NewCode: code}, "INVALID_PARAMS")
	refused("two names", chunking.ReplaceArgs{ChunkID: id, FunctionSignature: "f", NewCode: code}, "INVALID_PARAMS")
	refused("an unknown one", chunking.ReplaceArgs{ChunkID: "stack.go#Gone", NewCode: code}, "CHUNK_NOT_FOUND")
}

func TestReplaceWhatWasRead(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	ctx := tools.WithPeer(t.Context(), "ada")
	const id, code = "stack.go#Stack.Push", "func (s *Stack) Push(x int) {}"
	if _, err := p.Chunk(ctx, chunking.GetChunkArgs{ChunkID: id}); err != nil {
		t.Fatal(err)
	}
	// What changes elsewhere in the file does not matter.
	p.put(t, "stack.go", strings.Replace(stack, "return x, nil", "return x, error(nil)", 1))
	if _, err := p.Replace(ctx, chunking.ReplaceArgs{ChunkID: id, NewCode: code}); err != nil {
		t.Fatal(err)
	}
	// Who has written it knows it.
	if _, err := p.Replace(ctx, chunking.ReplaceArgs{ChunkID: id, NewCode: code + " // again"}); err != nil {
		t.Fatal(err)
	}
	p.put(t, "stack.go", stack)
	_, err := p.Replace(ctx, chunking.ReplaceArgs{ChunkID: id, NewCode: code})
	settest.WantError(t, err, "STALE_CHUNK", "get_chunk")
	if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: id, NewCode: code}); err != nil {
		t.Errorf("who has read nothing: %v", err)
	}
}

func TestReplaceInAFileThatDoesNotParse(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"a.go": "package p\n\nfunc f() {}\n\nfunc g( {\n"})
	r, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() { g() }"})
	if err != nil || len(r.ParseErrors) == 0 || !strings.Contains(r.TextNote(), "could not be read") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReplaceByItself replaces functions of real files by what get_chunk shows of
// them: nothing changes.
func TestReplaceByItself(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.swift": "struct S {\n  func f() {\n#if os(iOS)\n    g()\n#endif\n    let s = \"\"\"\n    a\n  b\n    \"\"\"\n  }\n\n  var x: Int {\n    1 }\n}\n",
		"a.rb":    "class A\n  def f\n    <<X\nat the edge\nX\n  end\n  def g; end\nend\n",
		"a.kt":    "class A {\n    fun f() =\n        1 +\n        2\n    fun g(\n        a: Int,\n    ): Int { return a }\n}\n",
		"a.py":    "class A:\n\tdef f(self,\n\t\t\ta):\n\t\treturn (1,\n2)\n\tdef g(self): pass\n",
		"a.c":     "#define A 1\nint f(int x)\n{\n#ifdef X\n\treturn x;\n#endif\n}\n",
	})
	for _, file := range []string{"a.swift", "a.rb", "a.kt", "a.py", "a.c"} {
		before := p.read(t, file)
		r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file, IncludeTypes: true})
		if err != nil || len(r.Functions) == 0 {
			t.Fatalf("%s: %+v, %v", file, r, err)
		}
		for _, f := range r.Functions {
			got, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: f.ID})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: f.ID, NewCode: got.Code}); err != nil {
				t.Errorf("%s: %v", f.ID, err)
			}
			if after := p.read(t, file); after != before {
				t.Fatalf("%s: %q became %q", f.ID, before, after)
			}
		}
	}
}

package chunking_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func hexDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestReplace(t *testing.T) {
	const nested = "package p\n\ntype T struct{}\n\n// F is old.\nfunc F() {\n\tx()\n}\n\nfunc x() {}\n"
	const python = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
	const decorated = "class A:\n    @cached\n    # Says.\n    def f(self):\n        return 1\n\n    @x\n    def g(self): pass\n"
	const text = "class A:\n    def f(self):\n        a = 1\n        return \"\"\"\nx\n\"\"\"\n"
	const ruby = "class A\n  def f\n    a = <<X\nat the edge\nX\n    1\n  end\nend\n"
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
		{"a new string, at the left edge", "a.py", python, "A.f", "def f(self):\n    return \"\"\"\n y\n\"\"\"", strings.Replace(python, "return 1", "return \"\"\"\n y\n\"\"\"", 1)},
		{"a string that was moved", "a.py", strings.Replace(python, "return 1", "return \"\"\"\n        y\n    \"\"\"", 1), "A.f", "def f(self):\n    return \"\"\"\n    y\n\"\"\" + ''", strings.Replace(python, "return 1", "return \"\"\"\n        y\n\"\"\" + ''", 1)},
		{"decorated, as it was read", "a.py", decorated, "A.f", "@cached\n    # Says.\n    def f(self):\n        return 3", strings.Replace(decorated, "1", "3", 1)},
		{"decorated, at the left edge", "a.py", decorated, "A.f", "@cached\n# Says.\ndef f(self):\n    return 3", strings.Replace(decorated, "1", "3", 1)},
		{"decorated, all indented", "a.py", decorated, "A.f", "    @cached\n    # Says.\n    def f(self):\n        return 3", strings.Replace(decorated, "1", "3", 1)},
		{"decorated, another body", "a.py", decorated, "A.g", "@x\n    @y\n    def g(self):\n        return 4", strings.Replace(decorated, "def g(self): pass", "@y\n    def g(self):\n        return 4", 1)},
		{"a string that stays, at the left edge", "a.py", text, "A.f", "def f(self):\n    a = 2\n    return \"\"\"\nx\n\"\"\"", strings.Replace(text, "a = 1", "a = 2", 1)},
		{"a here-document, all indented", "a.rb", ruby, "A.f", "  def f\n    a = <<X\nat the edge\nX\n    2\n  end", strings.Replace(ruby, "    1", "    2", 1)},
		{"a here-document, at the left edge", "a.rb", ruby, "A.f", "def f\n  a = <<X\nat the edge\nX\n  2\nend", strings.Replace(ruby, "    1", "    2", 1)},
		{"in braces, as it was read", "a.swift", swift, "S.f", "/// Says.\n    @inlinable\n    func f() -> Int {\n        2\n    }", strings.Replace(swift, "1", "2", 1)},
		{"with the comma after it", "a.js", "x = {\n  f() {\n    a()\n  },\n  g() {},\n}\n", "f", "f() {\n    b()\n  },", "x = {\n  f() {\n    b()\n  },\n  g() {},\n}\n"},
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
			if text := r.TextContent(); strings.Contains(text, "\n") || !strings.Contains(text, r.SHA256[:12]) || !strings.HasSuffix(dry.TextContent(), dry.Diff) {
				t.Errorf("the text is %q, and in the dry run %q", text, dry.TextContent())
			}
		})
	}
}

func TestReplace_ShiftJIS(t *testing.T) {
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

func TestReplace_Refused(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	refused := func(about string, args chunking.ReplaceArgs, code string) {
		t.Helper()
		_, err := p.Replace(t.Context(), args)
		toolsettest.WantError(t, err, code)
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

func TestReplace_ExpectedText(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"stack.go": stack})
	ctx := tools.WithPeer(t.Context(), "ada")
	const id, code = "stack.go#Stack.Push", "func (s *Stack) Push(x int) {}"
	if _, err := p.Chunk(ctx, chunking.GetChunkArgs{ChunkID: id}); err != nil {
		t.Fatal(err)
	}
	// A change outside the chunk does not matter.
	p.put(t, "stack.go", strings.Replace(stack, "return x, nil", "return x, error(nil)", 1))
	if _, err := p.Replace(ctx, chunking.ReplaceArgs{ChunkID: id, NewCode: code}); err != nil {
		t.Fatal(err)
	}
	// The caller that wrote the chunk need not read it again.
	if _, err := p.Replace(ctx, chunking.ReplaceArgs{ChunkID: id, NewCode: code + " // again"}); err != nil {
		t.Fatal(err)
	}
	p.put(t, "stack.go", stack)
	_, err := p.Replace(ctx, chunking.ReplaceArgs{ChunkID: id, NewCode: code})
	toolsettest.WantError(t, err, "STALE_CHUNK", "get_chunk")
	if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: id, NewCode: code}); err != nil {
		t.Errorf("who has read nothing: %v", err)
	}
}

func TestReplace_ParseErrors(t *testing.T) {
	p := newProject(t, chunking.Options{}, map[string]string{"a.go": "package p\n\nfunc f() {}\n\nfunc g( {\n"})
	r, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() { g() }"})
	if err != nil || len(r.ParseErrors) == 0 || !strings.Contains(r.TextNote(), "could not be read") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReplace_SameText replaces functions by their own text as the tools show it, in each form: nothing changes.
func TestReplace_SameText(t *testing.T) {
	files := map[string]string{
		"a.swift": "struct S {\n  func f() {\n#if os(iOS)\n    g()\n#endif\n    let s = \"\"\"\n    a\n  b\n    \"\"\"\n  }\n\n  var x: Int {\n    1 }\n}\n",
		"a.rb":    "class A\n  def f\n    <<X\nat the edge\nX\n  end\n  def g; end\nend\n",
		"a.kt":    "class A {\n    fun f() =\n        1 +\n        2\n    fun g(\n        a: Int,\n    ): Int { return a }\n}\n",
		"a.py":    "import os\n\nclass A:\n\tdef f(self,\n\t\t\ta):\n\t\treturn (1,\n2)\n\t@x\n\t@y(1,\n2)\n\tdef g(self): pass\n\t@property\n\tdef h(self):\n\t\t'''a\nb'''\n\t\tdef i():\n\t\t\tpass\n",
		"a.c":     "#define A 1\nint f(int x)\n{\n#ifdef X\n\treturn x;\n#endif\n}\n",
		"a.go":    "package p\n\nimport \"os\"\n\n// f is.\nfunc f() { g := func() {\n} ; g() }\n\nfunc h() string {\n\treturn `\nx\n\t`\n}\n",
		"a.ts":    "class A {\n    @d()\n    // Says.\n    f() { return `\n${1}\n`; }\n    get g() { return 1 }\n}\nconst h = () =>\n  1\n",
		"a.java":  "class A {\n    /** Says. */\n    @Override\n    int f() {\n        return 1;\n    }\n  int g() { return 2; }\n}\n",
	}
	for variant, change := range map[string]func(string) string{
		"as it is":           func(s string) string { return s },
		"CRLF":               func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"byte-order mark":    func(s string) string { return "\ufeff" + s },
		"no newline at last": func(s string) string { return strings.TrimSuffix(s, "\n") },
	} {
		changed := make(map[string]string)
		for name, content := range files {
			changed[name] = change(content)
		}
		p := newProject(t, chunking.Options{InMemory: true}, changed)
		for file, before := range changed {
			r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file, IncludeTypes: true})
			if err != nil || len(r.Functions) == 0 {
				t.Fatalf("%s: %+v, %v", file, r, err)
			}
			for _, f := range r.Functions {
				got, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: file, FunctionSignature: f.ID, IncludeContext: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, code := range []string{got.Code, got.Code + "\n", got.TextContent(), strings.ReplaceAll(got.Code, "\r\n", "\n")} {
					done, err := p.Replace(t.Context(), chunking.ReplaceArgs{FilePath: file, FunctionSignature: f.ID, NewCode: code, DryRun: true})
					if err != nil || done.SHA256 != hexDigest(before) {
						t.Errorf("%s, %s: %v\n%s", variant, f.ID, err, done.Diff)
					}
				}
				if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{FilePath: file, FunctionSignature: f.ID, NewCode: got.Code}); err != nil {
					t.Errorf("%s, %s: %v", variant, f.ID, err)
				}
			}
			if after := p.read(t, file); after != before {
				t.Fatalf("%s, %s: %q became %q", variant, file, before, after)
			}
		}
	}
}

// Code that get_chunk has cut is refused, because the replacement would lose the rest.
func TestReplace_Truncated(t *testing.T) {
	const content = "package p\n\nvar x = 1 +\n\t2 +\n\t3 +\n\t4\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": content})
	set, err := chunking.New(t.Context(), tools.Env{Root: p.root, Limits: tools.Limits{MaxAnswer: len("var x = 1 +\n\t2")}}, chunking.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(context.Background())
	read, err := set.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: "a.go", FunctionSignature: "x"})
	if err != nil || !read.Truncated {
		t.Fatalf("%+v, %v", read, err)
	}
	_, err = set.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#x", NewCode: read.Code})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
	if got := p.read(t, "a.go"); got != content {
		t.Errorf("the file is %q", got)
	}
}

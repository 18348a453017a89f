package chunking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// damagedFunctions is the number of functions in a file of damagedFiles.
const damagedFunctions = 8

// damagedFiles returns files in which the third function lacks the closing parenthesis of a
// call.
func damagedFiles() map[string]string {
	var golang, python, typescript, csharp strings.Builder
	golang.WriteString("package p\n")
	csharp.WriteString("namespace N\n{\n    class C\n    {\n")
	for i := range damagedFunctions {
		closing := ")"
		if i == 2 {
			closing = ""
		}
		fmt.Fprintf(&golang, "\n// f%d doubles.\nfunc f%d(x int) int {\n\tif x > 0 {\n\t\tx = g(x%s\n\t}\n\treturn x * 2\n}\n", i, i, closing)
		fmt.Fprintf(&python, "\n\n@cached\ndef f%d(x):\n    if x > 0:\n        x = g(x%s\n    return x * 2\n", i, closing)
		fmt.Fprintf(&typescript, "\n// f%d doubles.\nexport function f%d(x: number): number {\n  if (x > 0) {\n    x = g(x%s;\n  }\n  return x * 2;\n}\n", i, i, closing)
		fmt.Fprintf(&csharp, "        /// <summary>Doubles.</summary>\n        [Pure]\n        public int F%d(int x)\n        {\n            if (x > 0)\n            {\n                x = G(x%s;\n            }\n            return x * 2;\n        }\n\n", i, closing)
	}
	csharp.WriteString("    }\n}\n")
	return map[string]string{"a.go": golang.String(), "a.py": python.String(), "a.ts": typescript.String(), "a.cs": csharp.String()}
}

func TestListFunctions_Damaged(t *testing.T) {
	files := damagedFiles()
	p := newProject(t, chunking.Options{InMemory: true}, files)
	for file := range files {
		r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file})
		if err != nil || len(r.Functions) != damagedFunctions || len(r.ParseErrors) == 0 {
			t.Errorf("%s has %d functions: %+v, %v", file, len(r.Functions), r, err)
		}
	}
}

// A replacement changes the text of its function alone.
func TestReplace_Damaged(t *testing.T) {
	files := damagedFiles()
	p := newProject(t, chunking.Options{InMemory: true}, files)
	for file, content := range files {
		list, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list.Functions {
			read, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: f.ID})
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(read.Code, "x * 2", "x * 3", 1)
			if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: f.ID, NewCode: changed}); err != nil {
				t.Errorf("%s: %v", f.ID, err)
			}
			if got, want := p.read(t, file), strings.Replace(content, read.Code, changed, 1); got != want {
				t.Errorf("%s: the file is\n%s", f.ID, got)
			}
			p.put(t, file, content)
		}
	}
}

// A function without a closing bracket can be replaced by a correct one.
func TestReplace_Repair(t *testing.T) {
	files := damagedFiles()
	p := newProject(t, chunking.Options{InMemory: true}, files)
	for file, content := range files {
		id, correct := file+"#f2", strings.NewReplacer("g(x\n", "g(x)\n", "g(x;", "g(x);").Replace(content)
		if file == "a.cs" {
			id, correct = file+"#F2", strings.Replace(content, "G(x;", "G(x);", 1)
		}
		read, err := p.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: file, FunctionSignature: id})
		if err != nil {
			t.Fatal(err)
		}
		code := strings.NewReplacer("g(x\n", "g(x)\n", "g(x;", "g(x);", "G(x;", "G(x);").Replace(read.Code)
		r, err := p.Replace(t.Context(), chunking.ReplaceArgs{FilePath: file, FunctionSignature: id, NewCode: code})
		if err != nil || len(r.ParseErrors) > 0 {
			t.Errorf("%s: %v, %+v", id, err, r.ParseErrors)
		}
		if got := p.read(t, file); got != correct {
			t.Errorf("%s: the file is\n%s", id, got)
		}
	}
}

func TestReplace_UncertainEnd(t *testing.T) {
	for about, content := range map[string]string{
		"the bracket of the function": "package p\n\nfunc f() {\n\tg()\n\nfunc g() {\n}\n",
		"no layout":                   "package p\nfunc f() {\nif true {\ng()\n}\nfunc g() {\n}\n",
	} {
		p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": content})
		_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() {}"})
		toolsettest.WantError(t, err, "DOES_NOT_PARSE", "line")
		if got := p.read(t, "a.go"); got != content {
			t.Errorf("%s: the file is %q", about, got)
		}
	}
}

// New code that damages a damaged file further is refused, as it hides other functions.
func TestReplace_LosesDeclarations(t *testing.T) {
	content := damagedFiles()["a.go"]
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": content})
	_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f4", NewCode: "func f4() {\n\tx := 1 /*\n}"})
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "f5")
	if got := p.read(t, "a.go"); got != content {
		t.Errorf("the file is %q", got)
	}
}

// Text that is written back as it was read changes nothing, also where the chunk of a damaged function holds a line end.
func TestReplace_DamagedByItself(t *testing.T) {
	const content = "namespace n {\nvoid f3(void) { g(3); }\n\nvoid f4(void) { g({'); }\n}\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"b.cpp": content})
	list, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "b.cpp"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list.Functions {
		read, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: f.ID})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: f.ID, NewCode: read.Code}); err != nil {
			t.Logf("%s: %v", f.ID, err)
		}
		if got := p.read(t, "b.cpp"); got != content {
			t.Errorf("%s: the file is %q", f.ID, got)
		}
	}
}

// A quote that is not closed hides the function behind it, so its own function is not replaced.
func TestReplace_OpenQuote(t *testing.T) {
	for file, content := range map[string]string{
		"k3.c":   "int g = 1;\nint f1(void) { return h('); }\n\nint f2(void)\n{\n  return 2;\n}\n\nint f3(void) { return 3; }\n",
		"k2.cpp": "void f1(void) { g(\"'{'); }\n\nclass K2 {\n public:\n  int f2() const { return 2; }\n};\n\nvoid f4(void) { g(4); }\n",
	} {
		p := newProject(t, chunking.Options{InMemory: true}, map[string]string{file: content})
		r, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: file + "#f1", NewCode: "void f1(void) { }"})
		if got := p.read(t, file); err == nil && !strings.Contains(got, "f2") {
			t.Errorf("%s: %+v\nthe file is\n%s", file, r, got)
		}
	}
}

// New code that moves or hides a declaration beside the function is refused.
func TestReplace_NewCodeReachesOut(t *testing.T) {
	const golang = "package p\n\nfunc a() {}\n\nfunc b() {}\n\n/* c */\nfunc c() {}\n"
	const javascript = "function a() {\n  return 1;\n}\n\nfunction b() {\n  return 2;\n}\n\n/** c */\nfunction c() {}\n"
	const c = "int a(int x) {\n  return x;\n}\n\nint b(int x) {\n  return x;\n}\n\n/** Doc of c. */\nint c(int x) {\n  return x;\n}\n"
	const conditional = "int a(int x) {\n  return x;\n}\n\nint b(int x) {\n  return x;\n}\n\n#if 1\nint c(void);\n#endif\n"
	const java = "class C {\n    int a() {\n        return 1;\n    }\n\n    int b() {\n        return 2;\n    }\n}\n"
	const branches = "#if A\nint a(int x) {\n  return x;\n}\nint b(void) { return 1; }\n#endif\n"
	const python = "def a():\n    return 1\n\ndef b():\n    \"\"\"Doc.\"\"\"\n\ndef c():\n    \"\"\"Doc.\"\"\"\n"
	for _, tc := range []struct{ about, file, content, chunk, code string }{
		{"a comment", "s.go", golang, "a", "func a() {}\n/*"},
		{"the documentation of the next one", "t.go", golang, "b", "func b() {}\n/*"},
		{"a comment", "s.js", javascript, "a", "function a() {}\n/*"},
		{"a comment", "s.c", c, "a", "int a(int x) { return x; }\n/*"},
		{"a conditional", "i.c", conditional, "a", "int a(int x) { return x; }\n#if 0"},
		{"another branch", "j.c", branches, "a", "int a(int x) { return x; }\n#else"},
		{"two conditionals", "k.c", branches, "a", "int a(int x) { return x; }\n#endif\n#if 0"},
		{"another class", "C.java", java, "C.a", "int a() {\n        return 1;\n    }\n}\nclass D {"},
		{"a string", "s.py", python, "a", "def a():\n    return 1\n\"\"\""},
	} {
		t.Run(tc.about+"/"+tc.file, func(t *testing.T) {
			p := newProject(t, chunking.Options{InMemory: true}, map[string]string{tc.file: tc.content})
			_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: tc.file + "#" + tc.chunk, NewCode: tc.code})
			toolsettest.WantError(t, err, "DOES_NOT_PARSE")
			if got := p.read(t, tc.file); got != tc.content {
				t.Errorf("the file is\n%s", got)
			}
		})
	}
}

// New code may change the number of its own declarations and the language constructs in it.
func TestReplace_NewDeclarations(t *testing.T) {
	const cpp = "struct A {\n  void f();\n};\n\nvoid A::f() {\n}\n\nint g(int x) {\n  return 1;\n}\n\nint h() {\n  return 2;\n}\n"
	for _, tc := range []struct{ about, chunk, code string }{
		{"two functions", "g(int)", "int g(int x) {\n  return h();\n}\n\nint g2() { return 1; }"},
		{"another name and type", "g(int)", "static long k(int x) {\n  struct B { int y; };\n  return 1;\n}"},
		{"a conditional", "g(int)", "int g(int x) {\n#if A\n  return 2;\n#else\n  return 1;\n#endif\n}"},
		{"another class", "A", "struct B {\n  void f();\n}"},
		{"a comment", "h()", "// Says.\nint h() {\n  return '\\'';\n}"},
	} {
		p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.cpp": cpp})
		if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.cpp#" + tc.chunk, NewCode: tc.code}); err != nil {
			t.Errorf("%s: %v", tc.about, err)
		}
	}
}

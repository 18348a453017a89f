package chunking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/settest"
	"github.com/dougu-go/dougu/tools/chunking"
)

// damagedFunctions is how many functions a file of damagedFiles has.
const damagedFunctions = 8

// damagedFiles are files of which the third function lacks the closing parenthesis of a call.
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

// The function that lacks a bracket can be replaced by a correct one.
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
		settest.WantError(t, err, "DOES_NOT_PARSE", "line")
		if got := p.read(t, "a.go"); got != content {
			t.Errorf("%s: the file is %q", about, got)
		}
	}
}

// New code that damages a damaged file further is refused, as it hides other functions.
func TestReplace_LosesDeclarations(t *testing.T) {
	content := damagedFiles()["a.go"]
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": content})
	_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f4", NewCode: "func f4() {\n\tx := `\n}"})
	settest.WantError(t, err, "DOES_NOT_PARSE", "f5")
	if got := p.read(t, "a.go"); got != content {
		t.Errorf("the file is %q", got)
	}
}

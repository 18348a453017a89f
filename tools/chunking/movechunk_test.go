package chunking_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

func TestMoveChunk(t *testing.T) {
	const a, b = "// A adds.\nfunc A(x int) int {\n\ty := x + 1\n\treturn y\n}\n", "func B(x int) int {\n\ty := x + 1\n\treturn y\n}\n"
	const other = "package p\n\nfunc C() {\n}\n\nfunc D() {\n}\n"
	const java = "class A {\n    int x;\n\n    class B {\n        // F.\n        void f() {\n            g();\n        }\n    }\n\n    void g() {\n    }\n}\n"
	for _, tc := range []struct {
		about string
		files map[string]string
		args  chunking.MoveChunkArgs
		want  map[string]string
		id    string
	}{
		{"to the end of a file", map[string]string{"a.go": twins, "b.go": other}, chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go"}, map[string]string{"a.go": "package p\n\n" + b, "b.go": other + "\n" + a}, "b.go#A"},
		{"after a chunk", map[string]string{"a.go": twins, "b.go": other}, chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go#C"}, map[string]string{"a.go": "package p\n\n" + b, "b.go": strings.Replace(other, "func D", a+"\nfunc D", 1)}, "b.go#A"},
		{"before a chunk", map[string]string{"a.go": twins, "b.go": other}, chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go#C", Position: "before"}, map[string]string{"a.go": "package p\n\n" + b, "b.go": strings.Replace(other, "func C", a+"\nfunc C", 1)}, "b.go#A"},
		{"line ends", map[string]string{"a.go": twins, "b.go": strings.ReplaceAll(other, "\n", "\r\n")}, chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go"}, map[string]string{"a.go": "package p\n\n" + b, "b.go": strings.ReplaceAll(other+"\n"+a, "\n", "\r\n")}, "b.go#A"},
		{"in its file", map[string]string{"a.go": twins}, chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "a.go#B"}, map[string]string{"a.go": "package p\n\n" + b + "\n" + a}, "a.go#A"},
		{"to the end of its file", map[string]string{"a.go": twins}, chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "a.go"}, map[string]string{"a.go": "package p\n\n" + b + "\n" + a}, "a.go#A"},
		{"to a new file", map[string]string{"x/a.go": twins}, chunking.MoveChunkArgs{ChunkID: "x/a.go#B", To: "x/b.go"}, map[string]string{"x/a.go": "package p\n\n" + a, "x/b.go": "package p\n\n" + b}, "x/b.go#B"},
		{"to a new file in a new directory", map[string]string{"a.js": "function f() {\n}\n\nfunction g() {\n}\n"}, chunking.MoveChunkArgs{ChunkID: "a.js#f", To: "lib/f.js"}, map[string]string{"a.js": "function g() {\n}\n", "lib/f.js": "function f() {\n}\n"}, "lib/f.js#f"},
		{"out of a class", map[string]string{"A.java": java}, chunking.MoveChunkArgs{ChunkID: "A.java#A.B.f()", To: "A.java#A.g()"}, map[string]string{"A.java": "class A {\n    int x;\n\n    class B {\n    }\n\n    void g() {\n    }\n\n    // F.\n    void f() {\n        g();\n    }\n}\n"}, "A.java#A.f()"},
		{"into a class", map[string]string{"A.java": java}, chunking.MoveChunkArgs{ChunkID: "A.java#A.g()", To: "A.java#A.B", Position: "last"}, map[string]string{"A.java": "class A {\n    int x;\n\n    class B {\n        // F.\n        void f() {\n            g();\n        }\n\n        void g() {\n        }\n    }\n}\n"}, "A.java#A.B.g()"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			p := newProject(t, chunking.Options{InMemory: true}, tc.files)
			p.analyze(t)
			tc.args.DryRun = true
			if _, err := p.MoveChunk(t.Context(), tc.args); err != nil {
				t.Fatal(err)
			}
			for name, content := range tc.files {
				if got := p.read(t, name); got != content {
					t.Fatalf("a dry run wrote %q", got)
				}
			}
			tc.args.DryRun = false
			r, err := p.MoveChunk(t.Context(), tc.args)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range tc.want {
				if got := p.read(t, name); got != want {
					t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
				}
			}
			if len(r.Chunks) != 1 || r.Chunks[0].ID != tc.id || len(r.Files) != len(tc.want) {
				t.Errorf("%+v", r)
			}
			if _, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: tc.id}); err != nil {
				t.Errorf("the new id is not valid: %v", err)
			}
		})
	}
}

func TestMoveChunk_NewFileEncoding(t *testing.T) {
	const f = "// f is 表.\nfunc f() {\n\tg()\n}\n"
	for _, tc := range []struct {
		about    string
		encoding textfile.Encoding
		bom      bool
		eol      string
	}{
		{"UTF-8 with a mark and CRLF", textfile.UTF8, true, "\r\n"},
		{"UTF-16 with a mark", textfile.UTF16LE, true, "\n"},
		{"UTF-16 big-endian with CRLF", textfile.UTF16BE, true, "\r\n"},
		{"Shift-JIS with CRLF", textfile.ShiftJIS, false, "\r\n"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			encoded := func(text string) string {
				raw, err := textfile.Encode(strings.ReplaceAll(text, "\n", tc.eol), tc.encoding, tc.bom)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": encoded("package p\n\n" + f + "\nfunc g() {}\n")})
			r, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "a.go#f", To: "b.go"})
			if err != nil || len(r.Chunks) != 1 || r.Chunks[0].ID != "b.go#f" {
				t.Fatalf("%+v, %v", r, err)
			}
			if got := p.read(t, "b.go"); got != encoded("package p\n\n"+f) {
				t.Errorf("the new file is %q", got)
			}
		})
	}
}

func TestMoveChunk_Refused(t *testing.T) {
	files := map[string]string{"a.go": twins, "b.go": "package p\n\nfunc C() {\n}\n", "a.py": "x = 1\n", "T.java": "class T {\n    class U {\n    }\n}\n"}
	p := newProject(t, chunking.Options{InMemory: true}, files)
	refused := func(args chunking.MoveChunkArgs, code string) {
		t.Helper()
		_, err := p.MoveChunk(t.Context(), args)
		toolsettest.WantError(t, err, code)
		for name, content := range files {
			if p.read(t, name) != content {
				t.Fatalf("%s was changed", name)
			}
		}
	}
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "a.py"}, "INVALID_PARAMS")
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "new.py"}, "INVALID_PARAMS")
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "q/new.go"}, "INVALID_PARAMS")
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go", Position: "before"}, "INVALID_PARAMS")
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "a.go#A"}, "INVALID_PARAMS")
	refused(chunking.MoveChunkArgs{ChunkID: "T.java#T", To: "T.java#T.U", Position: "last"}, "INVALID_PARAMS")
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go#Z"}, "CHUNK_NOT_FOUND")
	refused(chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "../b.go"}, "PERMISSION_DENIED")
}

// A file that cannot be changed leaves the other one as it was.
func TestMoveChunk_AllOrNothing(t *testing.T) {
	const other = "package p\n\nfunc C() {\n}\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": "package p\n", "b.go": other})
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.go", twins)
	editor.Refuse(errors.New("the document is locked"))
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go"}); err == nil {
		t.Error("the move was made")
	}
	if editor.Text("a.go") != twins || p.read(t, "b.go") != other {
		t.Errorf("the editor has %q, and the other file is %q", editor.Text("a.go"), p.read(t, "b.go"))
	}
}

func TestMoveChunk_UnsavedText(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": "package p\n", "b.go": "package p\n\nfunc C() {\n}\n"})
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.go", twins)
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "a.go#A", To: "b.go"}); err != nil {
		t.Fatal(err)
	}
	if got := editor.Text("a.go"); strings.Contains(got, "func A") || !strings.Contains(got, "func B") || p.read(t, "a.go") != "package p\n" {
		t.Errorf("the editor has %q, and the disk %q", got, p.read(t, "a.go"))
	}
	if got := p.read(t, "b.go"); !strings.Contains(got, "func A") {
		t.Errorf("the other file is %q", got)
	}
}

// The lines of a string literal keep their bytes, and a declaration with a decorator loses its indentation.
func TestMoveChunk_StringLines(t *testing.T) {
	const class = "class A:\n    @staticmethod\n    def sql():\n        return f(\"\"\"\n        SELECT 1\n            FROM t\n        \"\"\")\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.py": class, "b.py": "class B:\n    class Inner:\n        x = 1\n"})
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "a.py#A.sql", To: "b.py#B.Inner", Position: "last"}); err != nil {
		t.Fatal(err)
	}
	const want = "        @staticmethod\n        def sql():\n            return f(\"\"\"\n        SELECT 1\n            FROM t\n        \"\"\")\n"
	if got := p.read(t, "b.py"); !strings.HasSuffix(got, want) {
		t.Errorf("the file is\n%s", got)
	}
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "b.py#B.Inner.sql", To: "c.py"}); err != nil {
		t.Fatal(err)
	}
	if got := p.read(t, "c.py"); !strings.HasPrefix(got, "@staticmethod\ndef sql():\n    return f(\"\"\"\n        SELECT 1\n") {
		t.Errorf("the new file is\n%s", got)
	}
}

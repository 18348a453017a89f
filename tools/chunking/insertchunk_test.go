package chunking_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestInsertChunk(t *testing.T) {
	const java = "class A {\r\n    void f() {\r\n    }\r\n}\r\n"
	for _, tc := range []struct {
		about, file, before, id, position, code, after, inserted string
	}{
		{"before", "a.go", twins, "a.go#A", "before", "func Z() {\n}", strings.Replace(twins, "// A adds", "func Z() {\n}\n\n// A adds", 1), "a.go#Z"},
		{"after", "a.go", twins, "a.go#A", "", "func Z() {\n}\n", strings.Replace(twins, "func B", "func Z() {\n}\n\nfunc B", 1), "a.go#Z"},
		{"last with the line ends of the file", "A.java", java, "A.java#A", "last", "void g() {\n}", strings.Replace(java, "    }\r\n", "    }\r\n\r\n    void g() {\r\n    }\r\n", 1), "A.java#A.g()"},
		{"first", "A.java", java, "A.java#A", "first", "void g() {\n}", strings.Replace(java, "{\r\n", "{\r\n    void g() {\r\n    }\r\n\r\n", 1), "A.java#A.g()"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			p := newProject(t, chunking.Options{InMemory: true}, map[string]string{tc.file: tc.before})
			r, err := p.InsertChunk(t.Context(), chunking.InsertChunkArgs{ChunkID: tc.id, Position: tc.position, Code: tc.code})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.read(t, tc.file); got != tc.after {
				t.Errorf("the file is\n%q\nwant\n%q", got, tc.after)
			}
			if len(r.Chunks) != 1 || r.Chunks[0].ID != tc.inserted || r.Files[0].SHA256 != hexDigest(tc.after) {
				t.Errorf("%+v", r)
			}
			if _, err := p.DeleteChunk(t.Context(), chunking.DeleteChunkArgs{ChunkID: tc.inserted}); err != nil {
				t.Fatal(err)
			}
			if got := p.read(t, tc.file); got != tc.before {
				t.Errorf("after the deletion the file is\n%q\nwant\n%q", got, tc.before)
			}
		})
	}
}

func TestInsertChunk_Refused(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": twins, "a.py": "class A: pass\n"})
	refused := func(args chunking.InsertChunkArgs, code string) {
		t.Helper()
		_, err := p.InsertChunk(t.Context(), args)
		toolsettest.WantError(t, err, code)
		if p.read(t, "a.go") != twins {
			t.Error("the file was changed")
		}
	}
	refused(chunking.InsertChunkArgs{ChunkID: "a.go#A", Code: " \n"}, "INVALID_PARAMS")
	refused(chunking.InsertChunkArgs{ChunkID: "a.go#A", Position: "beside", Code: "func C() {}"}, "INVALID_PARAMS")
	refused(chunking.InsertChunkArgs{ChunkID: "a.go#A", Position: "last", Code: "func C() {}"}, "INVALID_PARAMS")
	refused(chunking.InsertChunkArgs{ChunkID: "a.go#A", Code: "func C() {"}, "DOES_NOT_PARSE")
	refused(chunking.InsertChunkArgs{ChunkID: "a.go#A", Code: "func C() { x := = 1 }"}, "DOES_NOT_PARSE")
	refused(chunking.InsertChunkArgs{ChunkID: "a.go#Z", Code: "func C() {}"}, "CHUNK_NOT_FOUND")
	refused(chunking.InsertChunkArgs{ChunkID: "a.py#A", Position: "last", Code: "x = 1"}, "INVALID_PARAMS")
}

func TestDeleteChunk(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": twins})
	dry, err := p.DeleteChunk(t.Context(), chunking.DeleteChunkArgs{ChunkID: "a.go#A", DryRun: true})
	if err != nil || p.read(t, "a.go") != twins || !strings.Contains(dry.TextContent(), "-// A adds.") {
		t.Fatalf("%v: %s", err, dry.TextContent())
	}
	r, err := p.DeleteChunk(t.Context(), chunking.DeleteChunkArgs{ChunkID: "a.go#A"})
	if err != nil {
		t.Fatal(err)
	}
	want := "package p\n\n" + twins[strings.Index(twins, "func B"):]
	if got := p.read(t, "a.go"); got != want {
		t.Errorf("the file is\n%s", got)
	}
	if text := r.TextContent(); text != "[deleted a.go#A, lines 3-7]" {
		t.Errorf("the text is %q", text)
	}
	_, err = p.DeleteChunk(t.Context(), chunking.DeleteChunkArgs{ChunkID: "a.go#A"})
	toolsettest.WantError(t, err, "CHUNK_NOT_FOUND")
}

// A deletion that leaves a placeholder says so.
func TestDeleteChunk_Note(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.py": "class A:\n    def only(self):\n        return 1\n"})
	r, err := p.DeleteChunk(t.Context(), chunking.DeleteChunkArgs{ChunkID: "a.py#A.only"})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.read(t, "a.py"); got != "class A:\n    pass\n" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "pass") {
		t.Errorf("the file is %q, the notes are %q", got, r.Notes)
	}
}

package chunking_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

// twins is a file with two functions of the same body.
const twins = "package p\n\n// A adds.\nfunc A(x int) int {\n\ty := x + 1\n\treturn y\n}\n\nfunc B(x int) int {\n\ty := x + 1\n\treturn y\n}\n"

func TestEditChunk(t *testing.T) {
	const python = "class A:\n    def f(self):\n        a = 1\n        return a\n\n    def g(self):\n        return 2\n"
	for _, tc := range []struct {
		about, file, before string
		args                chunking.EditChunkArgs
		after, id           string
	}{
		{"text of two functions", "a.go", twins, chunking.EditChunkArgs{ChunkID: "a.go#B", OldText: "x + 1", NewText: "x + 2"}, strings.Replace(twins, "B(x int) int {\n\ty := x + 1", "B(x int) int {\n\ty := x + 2", 1), "a.go#B"},
		{"several edits", "a.go", twins, chunking.EditChunkArgs{ChunkID: "a.go#A", Edits: []chunking.TextEdit{{OldText: "y := x + 1\n", NewText: "y := x + 3\n"}, {OldText: "return y", NewText: "return y * y"}}},
			strings.Replace(twins, "y := x + 1\n\treturn y", "y := x + 3\n\treturn y * y", 1), "a.go#A"},
		{"every place", "a.go", twins, chunking.EditChunkArgs{ChunkID: "a.go#A", Edits: []chunking.TextEdit{{OldText: "y", NewText: "sum", ReplaceAll: true}}}, strings.Replace(twins, "y := x + 1\n\treturn y", "sum := x + 1\n\treturn sum", 1), "a.go#A"},
		{"the name", "a.go", twins, chunking.EditChunkArgs{ChunkID: "a.go#B", OldText: "func B(", NewText: "func C("}, strings.Replace(twins, "func B", "func C", 1), "a.go#C"},
		{"the documentation", "a.go", twins, chunking.EditChunkArgs{ChunkID: "A", OldText: "adds.", NewText: "adds one."}, strings.Replace(twins, "adds.", "adds one.", 1), "a.go#A"},
		{"line ends", "a.go", strings.ReplaceAll(twins, "\n", "\r\n"), chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "\ty := x + 1\n\treturn y", NewText: "\ty := x\n\ty++\n\treturn y"}, strings.ReplaceAll(strings.Replace(twins, "y := x + 1\n", "y := x\n\ty++\n", 1), "\n", "\r\n"), "a.go#A"},
		{"line ends of a function in a line", "a.go", "package p\r\n\r\nfunc f() { g() }\r\n", chunking.EditChunkArgs{ChunkID: "a.go#f", OldText: "{ g() }", NewText: "{\n\tg()\n}"}, "package p\r\n\r\nfunc f() {\r\n\tg()\r\n}\r\n", "a.go#f"},
		{"other indentation", "a.py", python, chunking.EditChunkArgs{ChunkID: "a.py#A.f", OldText: "a = 1\nreturn a", NewText: "a = 3\nreturn a"}, strings.Replace(python, "a = 1", "a = 3", 1), "a.py#A.f"},
		{"the first line with its indentation", "a.py", python, chunking.EditChunkArgs{ChunkID: "a.py#A.f", OldText: "    def f(self):\n        a = 1", NewText: "    def f(self, b):\n        a = b"}, strings.Replace(python, "(self):\n        a = 1", "(self, b):\n        a = b", 1), "a.py#A.f"},
		{"a class", "a.py", python, chunking.EditChunkArgs{ChunkID: "a.py#A", OldText: "return 2", NewText: "return 3"}, strings.Replace(python, "return 2", "return 3", 1), "a.py#A"},
		{"split in two", "a.go", twins, chunking.EditChunkArgs{ChunkID: "a.go#B", OldText: "\treturn y\n}", NewText: "\treturn y\n}\n\nfunc C() {}"}, strings.TrimSuffix(twins, "\n") + "\n\nfunc C() {}\n", "a.go#B"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			p := newProject(t, chunking.Options{InMemory: true, AnalyzeOnDemand: true}, map[string]string{tc.file: tc.before})
			tc.args.DryRun = true
			dry, err := p.EditChunk(t.Context(), tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.read(t, tc.file); got != tc.before {
				t.Fatalf("a dry run wrote %q", got)
			}
			tc.args.DryRun, tc.args.ExpectedSHA256 = false, hexDigest(tc.before)[:12]
			r, err := p.EditChunk(t.Context(), tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.read(t, tc.file); got != tc.after {
				t.Errorf("the file is\n%s\nwant\n%s", got, tc.after)
			}
			if len(r.Chunks) != 1 || r.Chunks[0].ID != tc.id || len(r.Files) != 1 || r.Files[0].SHA256 != hexDigest(tc.after) || dry.Diff != r.Diff || r.Diff == "" {
				t.Errorf("%+v\nin the dry run %+v", r, dry)
			}
			named := "" // the text repeats no id
			if tc.id != tc.args.ChunkID && tc.args.ChunkID != "A" {
				named = " " + tc.id
			}
			if text := dry.TextContent(); !strings.HasPrefix(text, "[dry run, nothing was written: edited"+named+", ") || !strings.Contains(text, "\n+") {
				t.Errorf("the text of the dry run is %q", text)
			}
			if got, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: r.Chunks[0].ID}); err != nil || got.Line != r.Chunks[0].Line {
				t.Errorf("the new id is not valid: %+v, %v", got, err)
			}
		})
	}
}

func TestEditChunk_Refused(t *testing.T) {
	const python = "def f():\n    a = 1\n    return a\n\n\ndef g():\n    return 2\n"
	for _, tc := range []struct {
		about string
		args  chunking.EditChunkArgs
		code  string
	}{
		{"text of another chunk", chunking.EditChunkArgs{ChunkID: "a.go#B", OldText: "adds.", NewText: "x"}, "EDIT_NO_MATCH"},
		{"text at two places", chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "y", NewText: "z"}, "EDIT_AMBIGUOUS"},
		{"no edit", chunking.EditChunkArgs{ChunkID: "a.go#A"}, "INVALID_PARAMS"},
		{"an edit and edits", chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "x", Edits: []chunking.TextEdit{{OldText: "x"}}}, "INVALID_PARAMS"},
		{"an empty text", chunking.EditChunkArgs{ChunkID: "a.go#A", Edits: []chunking.TextEdit{{NewText: "x"}}}, "INVALID_PARAMS"},
		{"nothing changes", chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "adds.", NewText: "adds."}, "INVALID_PARAMS"},
		{"an unclosed bracket", chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "return y", NewText: "if y {"}, "DOES_NOT_PARSE"},
		{"a syntax error in a body", chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "y := x + 1", NewText: "y := = 1"}, "DOES_NOT_PARSE"},
		{"the second edit fails", chunking.EditChunkArgs{ChunkID: "a.go#A", Edits: []chunking.TextEdit{{OldText: "adds.", NewText: "x"}, {OldText: "none", NewText: "x"}}}, "EDIT_NO_MATCH"},
		{"the declaration is lost", chunking.EditChunkArgs{ChunkID: "a.go#B", OldText: "func B(x int) int {\n\ty := x + 1\n\treturn y\n}", NewText: ""}, "DOES_NOT_PARSE"},
		{"another digest", chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "adds.", NewText: "x", ExpectedSHA256: hexDigest("old")}, "STALE_CHUNK"},
		{"an unknown chunk", chunking.EditChunkArgs{ChunkID: "a.go#Z", OldText: "adds.", NewText: "x"}, "CHUNK_NOT_FOUND"},
		{"a body leaves its function", chunking.EditChunkArgs{ChunkID: "a.py#f", OldText: "    a = 1\n    return a", NewText: "    a = 1\nprint(a)"}, "DOES_NOT_PARSE"},
		{"the indentation before the chunk", chunking.EditChunkArgs{ChunkID: "b.py#A.f", OldText: "    def f(self):\n        pass", NewText: "def f(self):\n    pass"}, "INVALID_PARAMS"},
	} {
		files := map[string]string{"a.go": twins, "a.py": python, "b.py": "class A:\n    def f(self):\n        pass\n\n    x = 1\n"}
		p := newProject(t, chunking.Options{InMemory: true}, files)
		_, err := p.EditChunk(t.Context(), tc.args)
		toolsettest.WantError(t, err, tc.code)
		for name, content := range files {
			if got := p.read(t, name); got != content {
				t.Errorf("%s: %s was changed: %q", tc.about, name, got)
			}
		}
		if t.Failed() {
			t.Fatal(tc.about, err)
		}
	}
}

func TestEditChunk_UnsavedText(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": "package a\n\nfunc first() int { return 1 }\n"})
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.go", "package a\n\nfunc second() int { return 2 }\n")
	if _, err := p.EditChunk(t.Context(), chunking.EditChunkArgs{ChunkID: "a.go#second", OldText: "2", NewText: "3"}); err != nil {
		t.Fatal(err)
	}
	if got := editor.Text("a.go"); got != "package a\n\nfunc second() int { return 3 }\n" {
		t.Errorf("the editor has %q", got)
	}
	if got := p.read(t, "a.go"); got != "package a\n\nfunc first() int { return 1 }\n" {
		t.Errorf("the disk has %q", got)
	}
}

// A later replacement of a chunk that was edited is not refused: the caller knows the chunk.
func TestEditChunk_Ledger(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": twins})
	ctx := tools.WithPeer(t.Context(), "ada")
	if _, err := p.Chunk(ctx, chunking.GetChunkArgs{ChunkID: "a.go#A"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.EditChunk(ctx, chunking.EditChunkArgs{ChunkID: "a.go#A", OldText: "x + 1", NewText: "x + 2"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.DeleteChunk(ctx, chunking.DeleteChunkArgs{ChunkID: "a.go#A"}); err != nil {
		t.Error(err)
	}
	p.put(t, "a.go", twins)
	_, err := p.DeleteChunk(ctx, chunking.DeleteChunkArgs{ChunkID: "a.go#A"})
	toolsettest.WantError(t, err, "STALE_CHUNK")
}

func TestEditChunk_ShiftJIS(t *testing.T) {
	const head, comment, tail = "package p\n\n// ", "\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7", "\nfunc F() {}\n\nfunc G() {}\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": head + comment + tail})
	if _, err := p.EditChunk(t.Context(), chunking.EditChunkArgs{ChunkID: "a.go#F", OldText: "日本語です\nfunc F() {}", NewText: "日本語です\nfunc F() { G() }"}); err != nil {
		t.Fatal(err)
	}
	if got, want := p.read(t, "a.go"), head+comment+strings.Replace(tail, "F() {}", "F() { G() }", 1); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

// AllowErrors writes a syntax error and reports it with each tool that changes chunks. A declaration beside the change is still not lost.
func TestChangeChunk_AllowErrors(t *testing.T) {
	const content = "package p\n\nfunc f() {\n\ta()\n}\n\nfunc g() {}\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.go": content, "b.go": "package p\n\nfunc k() {\n\tlet = = 5\n}\n\nfunc l() {}\n",
	})
	for _, tc := range []struct {
		about string
		call  func(allow bool) (chunking.ChangeResult, error)
		line  int32
		file  string // with the error
		want  string // its content
	}{
		{"an edit", func(allow bool) (chunking.ChangeResult, error) {
			return p.EditChunk(t.Context(), chunking.EditChunkArgs{ChunkID: "a.go#f", OldText: "a()", NewText: "let = = 5", AllowErrors: allow})
		}, 4, "a.go", strings.Replace(content, "a()", "let = = 5", 1)},
		{"an insertion", func(allow bool) (chunking.ChangeResult, error) {
			return p.InsertChunk(t.Context(), chunking.InsertChunkArgs{ChunkID: "a.go#g", Code: "func h() {\n\tx +\n}", AllowErrors: allow})
		}, 11, "a.go", content + "\nfunc h() {\n\tx +\n}\n"},
		{"an edit that hides a declaration", func(allow bool) (chunking.ChangeResult, error) {
			return p.EditChunk(t.Context(), chunking.EditChunkArgs{ChunkID: "a.go#f", OldText: "a()", NewText: "a() /*", AllowErrors: allow})
		}, 0, "a.go", ""},
	} {
		t.Run(tc.about, func(t *testing.T) {
			before := p.read(t, tc.file)
			_, err := tc.call(false)
			toolsettest.WantError(t, err, "DOES_NOT_PARSE")
			if p.read(t, tc.file) != before {
				t.Fatal("a refused change was written")
			}
			r, err := tc.call(true)
			if tc.line == 0 { // the declaration behind it is lost
				toolsettest.WantError(t, err, "DOES_NOT_PARSE")
				return
			}
			if err != nil || len(r.Files) != 1 || len(r.Files[0].NewErrors) == 0 || r.Files[0].NewErrors[0].Line != tc.line || !strings.HasPrefix(r.TextNote(), "[new syntax error, line ") {
				t.Fatalf("%+v, %q, %v", r, r.TextNote(), err)
			}
			if got := p.read(t, tc.file); got != tc.want {
				t.Errorf("the file is %q", got)
			}
			p.put(t, tc.file, before)
		})
	}
	// The error that the file had does not block a move, and the new file has the error.
	_, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "b.go#k", To: "c.go"})
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "allowErrors")
	r, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "b.go#k", To: "c.go", AllowErrors: true})
	if err != nil || !strings.HasPrefix(r.TextNote(), "[new syntax error, c.go line 4: ") {
		t.Errorf("%+v, %q, %v", r, r.TextNote(), err)
	}
	if got := p.read(t, "c.go"); got != "package p\n\nfunc k() {\n\tlet = = 5\n}\n" {
		t.Errorf("the new file is %q", got)
	}
	if _, err := p.DeleteChunk(t.Context(), chunking.DeleteChunkArgs{ChunkID: "c.go#k", AllowErrors: true}); err != nil {
		t.Error(err)
	}
}

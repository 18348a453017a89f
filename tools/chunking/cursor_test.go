package chunking_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// largeClass is a class of about 95 KB with 507 methods.
func largeClass() string {
	var b strings.Builder
	b.WriteString("/** Says. */\nclass Large {\n")
	for i := range 507 {
		fmt.Fprintf(&b, "    /** Method number %d of a class that is far too long for one answer, with its comment. */\n    int method%04d(int first, int second) {\n        return first + second * %d;\n    }\n\n", i, i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

func TestListFunctions_Cursor(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"Large.java": largeClass()})
	var names []string
	args := chunking.ListFunctionsArgs{FilePath: "Large.java"}
	for pages := 0; ; pages++ {
		r, err := p.ListFunctions(t.Context(), args)
		if err != nil || r.TotalCount != 507 || len(r.Functions) == 0 || len(r.TextContent()) > 33<<10 {
			t.Fatalf("%d of %d functions in %d bytes, %v", len(r.Functions), r.TotalCount, len(r.TextContent()), err)
		}
		if says := fmt.Sprintf("%d of 507; continue with cursor=%s]", len(names)+len(r.Functions), r.NextCursor); r.NextCursor != "" && !strings.Contains(r.TextNote(), says) {
			t.Errorf("page %d says %q, want %q", pages, r.TextNote(), says)
		}
		for _, f := range r.Functions {
			names = append(names, f.ID)
		}
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			if pages == 0 || !strings.Contains(r.TextNote(), "-507 of 507]") {
				t.Errorf("the last page is %d and says %q", pages, r.TextNote())
			}
			break
		}
	}
	for i, name := range names {
		if want := fmt.Sprintf("Large.java#Large.method%04d(int,int)", i); name != want {
			t.Fatalf("function %d is %s, want %s", i, name, want)
		}
	}
	if len(names) != 507 {
		t.Errorf("%d functions are listed", len(names))
	}
	first, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "Large.java"})
	if err != nil {
		t.Fatal(err)
	}
	p.put(t, "Large.java", largeClass()+"\n")
	_, err = p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: "Large.java", Cursor: first.NextCursor})
	toolsettest.WantError(t, err, "INVALID_CURSOR", "changed", "without cursor")
}

func TestFindFunction_Cursor(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"Large.java": largeClass()})
	args := chunking.FindFunctionArgs{FilePath: "Large.java", FunctionQuery: "method", MaxResults: 200}
	seen := make(map[string]bool)
	for {
		r, err := p.FindFunction(t.Context(), args)
		if err != nil || r.TotalCount != 507 {
			t.Fatalf("%d in all, %v", r.TotalCount, err)
		}
		for _, f := range r.Functions {
			seen[f.ID] = true
		}
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			break
		}
	}
	if len(seen) != 507 {
		t.Errorf("%d functions were found", len(seen))
	}
}

func TestChunk_Cursor(t *testing.T) {
	content := largeClass()
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"Large.java": content})
	ctx := tools.WithPeer(t.Context(), "ada")
	whole := strings.TrimSuffix(content, "\n")
	var code string
	args := chunking.GetChunkArgs{ChunkID: "Large.java#Large"}
	for {
		r, err := p.Chunk(ctx, args)
		if err != nil || !r.Truncated || len(r.Code) > 32<<10 || r.TotalBytes != len(whole) {
			t.Fatalf("%d of %d bytes, truncated %t, %v", len(r.Code), r.TotalBytes, r.Truncated, err)
		}
		if first := int32(strings.Count(code, "\n")) + 1; r.CodeLines[0] != first {
			t.Errorf("the part is lines %v, and begins with %d", r.CodeLines, first)
		}
		code += r.Code
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			break
		}
		if says := "; continue with cursor=" + r.NextCursor; !strings.Contains(r.TextNote(), says) {
			t.Errorf("the part says %q", r.TextNote())
		}
		// A part of the chunk does not replace all of it.
		_, err = p.Replace(ctx, chunking.ReplaceArgs{ChunkID: "Large.java#Large", NewCode: code})
		toolsettest.WantError(t, err, "INVALID_PARAMS", "cursor")
	}
	if code != whole {
		t.Errorf("the parts have %d bytes, the class has %d", len(code), len(whole))
	}
	r, err := p.FunctionChunk(ctx, chunking.FunctionChunkArgs{FilePath: "Large.java", FunctionSignature: "Large"})
	if err != nil || r.NextCursor == "" {
		t.Fatalf("%+v, %v", r.NextCursor, err)
	}
	_, err = p.Chunk(ctx, chunking.GetChunkArgs{ChunkID: "Large.java#Large.method0001", Cursor: r.NextCursor})
	toolsettest.WantError(t, err, "INVALID_CURSOR")
	if got := p.read(t, "Large.java"); got != content {
		t.Error("the file was written")
	}
}

// A line above the answer budget is cut between characters.
func TestChunk_LongLine(t *testing.T) {
	line := "const s = \"" + strings.Repeat("語", 100) + "\""
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.ts": line + "\n"})
	set, err := chunking.New(t.Context(), tools.Env{Root: p.root, Limits: tools.Limits{Answer: 100}}, chunking.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(context.Background())
	var code string
	for args := (chunking.GetChunkArgs{ChunkID: "a.ts#s"}); ; {
		r, err := set.Chunk(t.Context(), args)
		if err != nil || r.CodeLines[1] != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		code += r.Code
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			break
		}
	}
	if code != line {
		t.Errorf("the parts are %q", code)
	}
}

func TestFindFile_Cursor(t *testing.T) {
	files := make(map[string]string)
	for i := range 7 {
		files[fmt.Sprintf("d/f%d.go", i)] = "package d\n"
	}
	p := newProject(t, chunking.Options{InMemory: true}, files)
	var found []string
	args := chunking.FindFileArgs{Pattern: "*.go", MaxResults: 3}
	for {
		r, err := p.FindFile(t.Context(), args)
		if err != nil || r.TotalCount != 7 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, file := range r.Files {
			found = append(found, filepath.Base(file))
		}
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			if r.TextNote() != "[7-7 of 7]" {
				t.Errorf("the last part says %q", r.TextNote())
			}
			break
		}
	}
	if got := strings.Join(found, " "); got != "f0.go f1.go f2.go f3.go f4.go f5.go f6.go" {
		t.Errorf("found are %s", got)
	}
}

// Calls of a name are not attributed to one of several declarations in a language whose names are not resolved.
func TestFindCallers_SameName(t *testing.T) {
	p := shop(t, true, chunking.Options{})
	p.put(t, "cart.swift", "class Cart {\n  func add(_ n: Int) {}\n}\n\nclass Log {\n  func add(_ n: Int) {}\n}\n")
	p.put(t, "main.swift", "func buy(c: Cart) {\n  c.add(1)\n}\n\nfunc write(l: Log) {\n  l.add(1)\n  l.add(2)\n}\n")
	p.analyze(t)
	const want = `[2 callers of the same name, not resolved: another function of the name may be meant]
main.swift#buy(c:) lines 2
main.swift#write(l:) lines 6 7
`
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "cart.swift#Cart.add(_:)"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), want)
	if r.Resolved != 0 || r.Callers[0].Source != "same name" {
		t.Errorf("%+v", r)
	}
}

func TestRelations_Cursor(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var many strings.Builder
	for i := range 7 {
		fmt.Fprintf(&many, "func c%d() { f() }\n", i)
	}
	many.WriteString("func all() { c0(); c1(); c2(); c3(); c4(); c0() }\n")
	p := newProject(t, chunking.Options{Graph: db.Graph(), Store: db.Store()}, map[string]string{"a.go": "package p\n\nfunc f() {}\n" + many.String()})
	p.analyze(t)
	var callers, names []string
	first := chunking.CallersArgs{ChunkID: "a.go#f", MaxResults: 3}
	for {
		r, err := p.FindCallers(t.Context(), first)
		if err != nil || r.TotalCount != 7 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, c := range r.Callers {
			callers = append(callers, c.ID)
		}
		if first.Cursor = r.NextCursor; first.Cursor == "" {
			break
		}
		if !strings.Contains(r.TextContent(), " of 7; continue with cursor="+r.NextCursor) {
			t.Errorf("the part says %q", r.TextContent())
		}
	}
	if got := strings.Join(callers, " "); got != "a.go#c0 a.go#c1 a.go#c2 a.go#c3 a.go#c4 a.go#c5 a.go#c6" {
		t.Errorf("the callers are %s", got)
	}
	args := chunking.RelationsArgs{ChunkID: "a.go#all", MaxResults: 2}
	for {
		r, err := p.FindDependencies(t.Context(), args)
		if err != nil || r.TotalCount != 5 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, c := range r.Calls {
			names = append(names, fmt.Sprint(c.Name, len(c.Lines)))
		}
		if args.Cursor = r.NextCursor; args.Cursor == "" {
			break
		}
	}
	if got := strings.Join(names, " "); got != "c02 c11 c21 c31 c41" {
		t.Errorf("called are %s", got)
	}
}

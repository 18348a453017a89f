package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// told is what a graph says of a name and a chunk, in words.
func told(t *testing.T, g graph.Graph, name, id, file string) string {
	t.Helper()
	var b strings.Builder
	declared, err := g.Declared(t.Context(), name, 100)
	must(t, err)
	for _, s := range declared {
		fmt.Fprintf(&b, "%s in %q %s:%d %s\n", s.ID, s.Container, s.Kind, s.Line, s.Signature)
	}
	calls, err := g.Calls(t.Context(), name, 100)
	must(t, err)
	for _, c := range calls {
		fmt.Fprintf(&b, "called by %q %s:%d\n", c.Caller, c.File, c.Line)
	}
	called, err := g.Called(t.Context(), id, 100)
	must(t, err)
	for _, c := range called {
		fmt.Fprintf(&b, "calls %s:%d\n", c.Name, c.Line)
	}
	imports, err := g.Imports(t.Context(), file)
	must(t, err)
	for _, i := range imports {
		fmt.Fprintf(&b, "imports %s:%d\n", i.Path, i.Line)
	}
	return b.String()
}

func TestGraph(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "chunks.db"))
	g := db.Graph()
	p := newProject(t, db.Store(), map[string]string{
		"stack/stack.go": stack,
		"main.go":        "package main\n\nimport \"x/stack\"\n\nvar s = new(stack.Stack)\n\nvar top = s.Push(1)\n\nfunc run() { s.Push(2); s.Push(3); done() }\n",
		"Area.swift":     "struct Area {\n    var size: Int { measure() }\n    func measure() -> Int { 1 }\n}\n",
	})
	p.analyze()
	must(t, g.Update(t.Context(), p.Snapshot()))
	const before = `stack/stack.go#Stack.Push in "Stack" method:4 func (s *Stack) Push(x int)
called by "" main.go:7
called by "main.go#run" main.go:9
called by "main.go#run" main.go:9
calls Push:9
calls Push:9
calls done:9
imports x/stack:3
`
	if got := told(t, g, "Push", "main.go#run", "main.go"); got != before {
		t.Errorf("the graph says\n%s", got)
	}
	// A computed property calls, and is not called.
	if got := told(t, g, "measure", "Area.swift#Area.size", ""); !strings.Contains(got, `called by "Area.swift#Area.size"`) || !strings.Contains(got, "calls measure:2") {
		t.Errorf("of a computed property the graph says\n%s", got)
	}
	if got := told(t, g, "size", "", ""); got != "" {
		t.Errorf("the property is called: %s", got)
	}

	// What changes is followed, and what is gone is forgotten.
	p.put(map[string]string{"main.go": "package main\n\nfunc other() { grow() }\n"})
	must(t, os.Remove(filepath.Join(p.dir, "Area.swift")))
	p.analyze()
	must(t, g.Update(t.Context(), p.Snapshot()))
	if got := told(t, g, "Push", "main.go#other", "main.go"); got != "stack/stack.go#Stack.Push in \"Stack\" method:4 func (s *Stack) Push(x int)\ncalls grow:3\n" {
		t.Errorf("after a change the graph says\n%s", got)
	}
	if got := told(t, g, "measure", "Area.swift#Area.size", "Area.swift"); got != "" {
		t.Errorf("of what is gone the graph says\n%s", got)
	}
	limited, err := g.Calls(t.Context(), "grow", 1)
	if err != nil || len(limited) != 1 {
		t.Errorf("with a limit: %v, %v", limited, err)
	}
}

// What another parser has found in the same text is written as well.
func TestOtherRelationsOfTheSameText(t *testing.T) {
	g := openDB(t, filepath.Join(t.TempDir(), "chunks.db")).Graph()
	f := parsed(t, "a.go", stack)
	must(t, g.Update(t.Context(), index.Of(f)))
	found, err := f.Parsed()
	must(t, err)
	other := *found
	other.Calls = []parse.Call{{Name: "shrink", Line: 4, Chunk: 0}}
	must(t, g.Update(t.Context(), index.Of(index.Describe("a.go", []byte(stack), &other))))
	if calls, err := g.Calls(t.Context(), "shrink", 10); err != nil || len(calls) != 1 {
		t.Errorf("calls: %v, %v", calls, err)
	}
	if calls, err := g.Calls(t.Context(), "grow", 10); err != nil || len(calls) != 0 {
		t.Errorf("old calls: %v, %v", calls, err)
	}
}

// More files than are written at once.
func TestManyFiles(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "chunks.db"))
	files := map[string]string{}
	for i := range 1100 {
		files[fmt.Sprintf("f%04d.go", i)] = fmt.Sprintf("package p\n\nfunc f%d() { f%d() }\n", i, (i+1)%1100)
	}
	p := newProject(t, db.Store(), files)
	p.analyze()
	must(t, db.Graph().Update(t.Context(), p.Snapshot()))
	calls, err := db.Graph().Calls(t.Context(), "f0", 10)
	if err != nil || len(calls) != 1 || calls[0].Caller != "f1099.go#f1099" {
		t.Errorf("calls: %+v, %v", calls, err)
	}
	must(t, db.Graph().Update(t.Context(), new(index.Snapshot)))
	if calls, err := db.Graph().Calls(t.Context(), "f0", 10); err != nil || len(calls) != 0 {
		t.Errorf("of nothing: %+v, %v", calls, err)
	}
}

// Package graphtest tests implementations of graph.Graph. [Run] checks the contract of
// the interface: updates, queries, limits and cancellation.
package graphtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/index/storetest"
	"github.com/dougu-go/dougu/tools/source"
)

// Run tests an implementation. open returns an empty graph; the tests close it.
func Run(t *testing.T, open func(t *testing.T) graph.Graph) {
	for name, test := range map[string]func(*testing.T, graph.Graph){
		"tells": tells, "follows": follows, "properties": properties, "otherRelations": otherRelations, "manyFiles": manyFiles, "canceled": canceled,
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t)
			defer func() { must(t, g.Close()) }()
			test(t, g)
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// update updates a graph from the current files of a tree.
func update(t *testing.T, g graph.Graph, p *storetest.Tree) {
	t.Helper()
	p.Analyze()
	must(t, g.Update(t.Context(), p.Snapshot()))
}

// told formats the results of all queries for a name, a chunk and a file.
func told(t *testing.T, g graph.Graph, name, id, file string) string {
	t.Helper()
	var b strings.Builder
	declared, err := g.Declared(t.Context(), name, 100)
	must(t, err)
	for _, s := range declared {
		fmt.Fprintf(&b, "%s is %s of %s %s in %q %s:%d %s\n", s.ID, s.Name, s.File, s.Language, s.Container, s.Kind, s.Line, s.Signature)
	}
	calls, err := g.Calls(t.Context(), name, 100)
	must(t, err)
	for _, c := range calls {
		fmt.Fprintf(&b, "called by %q %s:%d %s\n", c.Caller, c.File, c.Line, c.Language)
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

const (
	caller = "package main\n\nimport \"x/stack\"\n\nvar s = new(stack.Stack)\n\nvar top = s.Push(1)\n\nfunc run() { s.Push(2); s.Push(3); done() }\n"
	push   = "stack/stack.go#Stack.Push is Push of stack/stack.go go in \"Stack\" method:4 func (s *Stack) Push(x int)\n"
)

func tells(t *testing.T, g graph.Graph) {
	update(t, g, storetest.NewTree(t, nil, map[string]string{"stack/stack.go": storetest.Stack, "main.go": caller}))
	const want = push + `called by "" main.go:7 go
called by "main.go#run" main.go:9 go
called by "main.go#run" main.go:9 go
calls Push:9
calls Push:9
calls done:9
imports x/stack:3
`
	if got := told(t, g, "Push", "main.go#run", "main.go"); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	if got := told(t, g, "push", "main.go#runs", "main"); got != "" {
		t.Errorf("of what there is not it says\n%s", got)
	}
	declared, err := g.Declared(t.Context(), "Push", 0)
	must(t, err)
	calls, err := g.Calls(t.Context(), "Push", 2)
	must(t, err)
	called, err := g.Called(t.Context(), "main.go#run", 1)
	must(t, err)
	if len(declared) != 0 || len(calls) != 2 || calls[0].Line != 7 || len(called) != 1 {
		t.Errorf("with limits of 0, 2 and 1: %v, %v, %v", declared, calls, called)
	}
}

// follows checks that changes are applied and removed files are deleted.
func follows(t *testing.T, g graph.Graph) {
	p := storetest.NewTree(t, nil, map[string]string{"stack/stack.go": storetest.Stack, "main.go": caller, "gone.go": "package main\n\nfunc gone() { lost() }\n"})
	update(t, g, p)
	p.Put(map[string]string{"main.go": "package main\n\nfunc other() { grow() }\n"})
	p.Remove("gone.go")
	update(t, g, p)
	if got := told(t, g, "Push", "main.go#other", "main.go"); got != push+"calls grow:3\n" {
		t.Errorf("after a change it says\n%s", got)
	}
	if got := told(t, g, "gone", "gone.go#gone", "gone.go") + told(t, g, "lost", "main.go#run", ""); got != "" {
		t.Errorf("of what is gone it says\n%s", got)
	}
}

// properties checks that a computed property contains calls but is not callable.
func properties(t *testing.T, g graph.Graph) {
	update(t, g, storetest.NewTree(t, nil, map[string]string{"Area.swift": "struct Area {\n    var size: Int { measure() }\n    func measure() -> Int { 1 }\n}\n"}))
	if got := told(t, g, "measure", "Area.swift#Area.size", ""); !strings.Contains(got, `called by "Area.swift#Area.size"`) || !strings.Contains(got, "calls measure:2") {
		t.Errorf("of a computed property it says\n%s", got)
	}
	if got := told(t, g, "size", "", ""); got != "" {
		t.Errorf("the property is called: %s", got)
	}
}

// otherRelations checks that a different parse result of the same text is written.
func otherRelations(t *testing.T, g graph.Graph) {
	f := storetest.Parsed(t, "a.go", storetest.Stack)
	must(t, g.Update(t.Context(), index.SnapshotOf(f)))
	found, err := f.Parsed()
	must(t, err)
	other := *found
	other.Calls = []source.Call{{Name: "shrink", Line: 4, Chunk: 0}}
	must(t, g.Update(t.Context(), index.SnapshotOf(index.Describe("a.go", []byte(storetest.Stack), &other))))
	for name, want := range map[string]int{"shrink": 1, "grow": 0} {
		if calls, err := g.Calls(t.Context(), name, 10); err != nil || len(calls) != want {
			t.Errorf("calls of %s: %v, %v", name, calls, err)
		}
	}
}

// manyFiles checks an update with more files than one transaction holds.
func manyFiles(t *testing.T, g graph.Graph) {
	const many = 1100
	files := make(map[string]string)
	for i := range many {
		files[fmt.Sprintf("f%04d.go", i)] = fmt.Sprintf("package p\n\nfunc f%d() { f%d() }\n", i, (i+1)%many)
	}
	update(t, g, storetest.NewTree(t, nil, files))
	for name, caller := range map[string]string{"f0": "f1099.go#f1099", "f512": "f0511.go#f511"} {
		if calls, err := g.Calls(t.Context(), name, 10); err != nil || len(calls) != 1 || calls[0].Caller != caller {
			t.Errorf("calls of %s: %+v, %v", name, calls, err)
		}
	}
	must(t, g.Update(t.Context(), new(index.Snapshot)))
	if calls, err := g.Calls(t.Context(), "f0", 10); err != nil || len(calls) != 0 {
		t.Errorf("of nothing: %+v, %v", calls, err)
	}
}

func canceled(t *testing.T, g graph.Graph) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	snapshot := index.SnapshotOf(storetest.Parsed(t, "a.go", storetest.Stack))
	_, asking := g.Calls(gone, "grow", 10)
	if err := g.Update(gone, snapshot); !errors.Is(err, context.Canceled) || !errors.Is(asking, context.Canceled) {
		t.Errorf("updating: %v; asking: %v", err, asking)
	}
	if got := told(t, g, "grow", "a.go#Stack.Push", "a.go"); got != "" {
		t.Errorf("half of it is there: %s", got)
	}
	must(t, g.Update(t.Context(), snapshot))
}

package chunks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"

	"github.com/dougu-go/dougu/postgres/chunks"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/golang"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

const stack = "package stack\n\n// Push puts x on top.\nfunc (s *Stack) Push(x int) { s.grow(x) }\n\nfunc (s *Stack) grow(n int) {}\n"

func load(t testing.TB, p *chunks.Project) map[string]*index.File {
	t.Helper()
	files, err := p.Store().Load(t.Context())
	must(t, err)
	by := make(map[string]*index.File, len(files))
	for _, f := range files {
		by[f.Path] = f
	}
	return by
}

// parsed is a file as an index has it.
func parsed(t testing.TB, path, src string) *index.File {
	t.Helper()
	f, err := golang.Parser{}.Parse(t.Context(), []byte(src), parse.Go, parse.Options{Calls: true})
	must(t, err)
	return index.Describe(path, []byte(src), f)
}

func TestStore(t *testing.T) {
	address := server.Database(t)
	db := open(t, address, "p")
	p := newTree(t, db.Store(), map[string]string{"stack.go": stack, "b.go": "package b\n\nfunc B() {}\n"})
	p.analyze()
	saved := load(t, open(t, address, "p"))
	was := p.Snapshot().Files()[1]
	if d := cmp.Diff(was, saved["stack.go"], cmpopts.IgnoreUnexported(index.File{})); d != "" || len(saved) != 2 {
		t.Errorf("another file comes back (-saved +loaded):\n%s", d)
	}
	found, err := was.Parsed()
	must(t, err)
	again, err := saved["stack.go"].Parsed()
	must(t, err)
	if d := cmp.Diff(found, again); d != "" {
		t.Errorf("something else comes back (-saved +loaded):\n%s", d)
	}
	if other := load(t, open(t, address, "other")); len(other) != 0 {
		t.Errorf("another project has %v", other)
	}
	// What changes is saved, and what is gone is not kept.
	must(t, os.Remove(filepath.Join(p.dir, "b.go")))
	p.put(map[string]string{"stack.go": stack + "\nfunc More() {}\n"})
	p.analyze()
	if saved := load(t, db); len(saved) != 1 || saved["stack.go"].Len() != 4 {
		t.Errorf("after changes there is %v", saved)
	}
	// The next server has it all without reading anything.
	next := p.open(open(t, address, "p").Store())
	if r := next.analyze(); r.Unchanged != 1 || r.Parsed != 0 {
		t.Errorf("again: %+v", r)
	}
}

// A record that is damaged is left out; the others stay. Paths are any bytes.
func TestDamagedRecord(t *testing.T) {
	address := server.Database(t)
	db := open(t, address, "p")
	odd := "o\xffdd\x00.go"
	must(t, db.Store().Save(t.Context(), []*index.File{parsed(t, "a.go", stack), parsed(t, odd, stack)}, nil))
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE dougu.chunk_files SET content = '\x00ff' WHERE path = 'a.go'`)
	must(t, errors.Join(err, conn.Close(t.Context())))
	if saved := load(t, db); len(saved) != 1 || saved[odd] == nil {
		t.Errorf("there is %v", saved)
	}
}

// Several servers save files of their own and the same ones at once.
func TestSeveralServers(t *testing.T) {
	address := server.Database(t)
	var running sync.WaitGroup
	for n := range 4 {
		db := open(t, address, "p")
		running.Go(func() {
			for i := range 8 {
				files := []*index.File{parsed(t, fmt.Sprintf("%d-%d.go", n, i), stack), parsed(t, "z.go", stack), parsed(t, "a.go", stack)}
				if err := db.Store().Save(context.Background(), files, []string{"gone.go"}); err != nil {
					t.Error(err)
				}
				if err := db.Graph().Update(context.Background(), index.Of(files[i%3])); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	if saved := load(t, open(t, address, "p")); len(saved) != 34 {
		t.Errorf("%d files were saved, want 34", len(saved))
	}
}

// asked is what a graph says of a tree, but for most of those files that are alike.
func asked(t testing.TB, g graph.Graph, s *index.Snapshot) (all []any) {
	t.Helper()
	for _, f := range s.Files() {
		if strings.HasPrefix(f.Path, "f0") && f.Path > "f0002" {
			continue
		}
		imports, err := g.Imports(t.Context(), f.Path)
		must(t, err)
		all = append(all, imports)
		p, err := f.Parsed()
		must(t, err)
		for i := range p.Chunks {
			declared, err := g.Declared(t.Context(), p.Chunks[i].Name, 100)
			must(t, err)
			calls, err := g.Calls(t.Context(), p.Chunks[i].Name, 3)
			must(t, err)
			called, err := g.Called(t.Context(), f.ID(i), 100)
			must(t, err)
			all = append(all, declared, calls, called)
		}
	}
	return all
}

// A graph in a database that is shared says what the one says that a server has alone.
func TestGraph(t *testing.T) {
	project := open(t, server.Database(t), "p")
	shared := project.Graph()
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
	must(t, err)
	defer file.Close()
	alone := file.Graph()
	p := newTree(t, project.Store(), map[string]string{
		"stack/stack.go": stack,
		"main.go":        "package main\n\nimport \"x/stack\"\n\nvar s = new(stack.Stack)\n\nvar top = s.Push(1)\n\nfunc run() { s.Push(2); s.Push(3); done() }\n",
		"Area.swift":     "struct Area {\n    var size: Int { measure() }\n    func measure() -> Int { 1 }\n}\n",
	})
	for i := range 510 { // more than are written at once
		p.put(map[string]string{fmt.Sprintf("f%04d.go", i): fmt.Sprintf("package p\n\nfunc f%d() { f%d() }\n", i, (i+1)%510)})
	}
	check := func(when string) {
		p.analyze()
		must(t, shared.Update(t.Context(), p.Snapshot()))
		must(t, alone.Update(t.Context(), p.Snapshot()))
		if d := cmp.Diff(asked(t, alone, p.Snapshot()), asked(t, shared, p.Snapshot())); d != "" {
			t.Errorf("%s (-alone +shared):\n%s", when, d)
		}
	}
	check("at first")
	if calls, err := shared.Calls(t.Context(), "f0", 10); err != nil || len(calls) != 1 || calls[0].Caller != "f0509.go#f509" {
		t.Errorf("calls: %+v, %v", calls, err)
	}
	p.put(map[string]string{"main.go": "package main\n\nfunc other() { grow() }\n"})
	must(t, os.Remove(filepath.Join(p.dir, "Area.swift")))
	check("after a change")
	if declared, err := shared.Declared(t.Context(), "measure", 10); err != nil || len(declared) != 0 {
		t.Errorf("of what is gone it says %v, %v", declared, err)
	}
	must(t, shared.Update(t.Context(), new(index.Snapshot)))
	if calls, err := shared.Calls(t.Context(), "f0", 10); err != nil || len(calls) != 0 {
		t.Errorf("of nothing: %+v, %v", calls, err)
	}
	must(t, shared.Close())
}

func TestCancelled(t *testing.T) {
	p := open(t, server.Database(t), "p")
	snapshot := index.Of(parsed(t, "a.go", stack))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, loading := p.Store().Load(gone)
	_, asking := p.Graph().Calls(gone, "grow", 10)
	for what, err := range map[string]error{
		"loading": loading, "asking": asking, "saving": p.Store().Save(gone, snapshot.Files(), nil), "updating": p.Graph().Update(gone, snapshot),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if saved := load(t, p); len(saved) != 0 {
		t.Errorf("half of it was saved: %v", saved)
	}
}

package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Open opens a Store at one location. Each call acts as a separate process.
type Open func() index.Store

// Run tests an implementation. place prepares an empty location and returns a function
// that opens a Store there; the tests close the stores.
func Run(t *testing.T, place func(t *testing.T) Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"empty": empty, "whole": whole, "changes": changes, "paths": paths, "canceled": canceled,
	} {
		t.Run(name, func(t *testing.T) { test(t, place(t)) })
	}
}

// Stack is a Go source file with a documented method that calls another one.
const Stack = "package stack\n\n// Push puts x on top.\nfunc (s *Stack) Push(x int) { s.grow(x) }\n\nfunc (s *Stack) grow(n int) {}\n"

// saved returns the files that another process loads, by path.
func (open Open) saved(t testing.TB) map[string]*index.File {
	t.Helper()
	return Load(t, open.store(t))
}

// store returns a Store that stays open until the test ends, because details may be
// read later.
func (open Open) store(t testing.TB) index.Store {
	t.Helper()
	s := open()
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func empty(t *testing.T, open Open) {
	if saved := open.saved(t); len(saved) != 0 {
		t.Errorf("at first there is %v", saved)
	}
}

// whole checks that loaded files equal the saved ones.
func whole(t *testing.T, open Open) {
	p := NewTree(t, open(), map[string]string{"src/stack.go": Stack, "b.go": "package b\n\nfunc B() {}\n"})
	p.Analyze()
	saved := open.saved(t)
	was := p.Snapshot().Files()[1]
	again := saved["src/stack.go"]
	if again == nil || len(saved) != 2 {
		t.Fatalf("there is %v", saved)
	}
	if d := cmp.Diff(was, again, cmpopts.IgnoreUnexported(index.File{})); d != "" {
		t.Errorf("another file comes back (-saved +loaded):\n%s", d)
	}
	found, err := was.Parsed()
	must(t, err)
	loaded, err := again.Parsed()
	must(t, err)
	if d := cmp.Diff(found, loaded); d != "" {
		t.Errorf("something else comes back (-saved +loaded):\n%s", d)
	}
}

// changes checks that changes and removals are saved, and that a later process parses
// nothing.
func changes(t *testing.T, open Open) {
	p := NewTree(t, open(), map[string]string{"stack.go": Stack, "b.go": "package b\n\nfunc B() {}\n"})
	p.Analyze()
	p.Remove("b.go")
	p.Put(map[string]string{"stack.go": Stack + "\nfunc More() {}\n"})
	p.Analyze()
	if saved := open.saved(t); len(saved) != 1 || saved["stack.go"] == nil || saved["stack.go"].Len() != 4 {
		t.Errorf("after changes there is %v", saved)
	}
	if r := p.Open(open()).Analyze(); r.Unchanged != 1 || r.Parsed != 0 {
		t.Errorf("again: %+v", r)
	}
}

// paths checks paths with arbitrary bytes.
func paths(t *testing.T, open Open) {
	s := open.store(t)
	Load(t, s)
	names := []string{"o\xffdd.go", "日本語.go", "a b/'%_\\\".go", "new\nline.go"}
	var files []*index.File
	for _, name := range names {
		files = append(files, Parsed(t, name, Stack))
	}
	must(t, s.Save(t.Context(), files, nil))
	saved := open.saved(t)
	for _, name := range names {
		if saved[name] == nil {
			t.Errorf("%q is not there", name)
		}
	}
	must(t, s.Save(t.Context(), nil, names[1:]))
	if saved := open.saved(t); len(saved) != 1 || saved[names[0]] == nil {
		t.Errorf("of others that are forgotten there is %v", saved)
	}
}

// canceled checks that a canceled save changes nothing.
func canceled(t *testing.T, open Open) {
	s := open.store(t)
	must(t, s.Save(t.Context(), []*index.File{Parsed(t, "a.go", Stack)}, nil))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	saving := s.Save(gone, []*index.File{Parsed(t, "b.go", Stack)}, []string{"a.go"})
	_, loading := open.store(t).Load(gone)
	if !errors.Is(saving, context.Canceled) || !errors.Is(loading, context.Canceled) {
		t.Errorf("saving: %v; loading: %v", saving, loading)
	}
	if saved := open.saved(t); len(saved) != 1 || saved["a.go"] == nil {
		t.Errorf("there is %v", saved)
	}
}

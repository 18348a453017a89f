package chunking_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// graphed creates a project with a graph, and analyses it.
func graphed(t *testing.T, files map[string]string) *project {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p := newProject(t, chunking.Options{Graph: db.Graph(), Store: db.Store()}, files)
	p.analyze(t)
	return p
}

func TestFindCallers_Impact(t *testing.T) {
	p := graphed(t, map[string]string{
		"go.mod":        "module example.com/shop\n",
		"price.go":      "package shop\n\ntype Pricer interface{ Price() int }\n\ntype Item struct{}\n\nfunc (Item) Price() int { return tax(1) }\n\nfunc tax(n int) int { return n }\n",
		"total.go":      "package shop\n\nfunc Total(all []Pricer) (sum int) {\n\tfor _, p := range all {\n\t\tsum += p.Price()\n\t}\n\treturn sum\n}\n\nfunc loop() { loop(); Total(nil) }\n",
		"total_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tTotal(nil)\n}\n",
		"other.go":      "package shop\n\ntype Other struct{}\n\nfunc (Other) Price(n int) {}\n\nfunc use(o Other, unknown any) { o.Price(1) }\n",
	})
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "price.go#tax", Impact: true})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), `[a change can break 4 chunks, 1 of them in tests]
total_test.go#TestTotal lines 6 in 3 steps
price.go#Item.Price lines 7
total.go#Total lines 5 (may call) in 2 steps
total.go#loop lines 10 in 3 steps
`)
	page, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "price.go#tax", Impact: true, MaxResults: 1})
	if err != nil || len(page.Callers) != 1 || !page.Truncated || page.TotalCount != 4 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestFindCallers_ImpactErrors(t *testing.T) {
	p := graphed(t, map[string]string{"a.swift": "func f() {}\n"})
	_, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.swift#f()", Impact: true})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "Leave impact out")
	_, err = p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.swift#f()", Impact: true, MaxResults: -1})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
	empty := graphed(t, map[string]string{})
	_, err = empty.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.swift#f()", Impact: true})
	toolsettest.WantError(t, err, "NOT_ANALYZED")
}

// The callers of a method of TypeScript are resolved by types, and a caller by name alone is marked.
func TestFindCallers_Resolved(t *testing.T) {
	p := graphed(t, map[string]string{
		"stack.ts": "export class Stack {\n  push(n: number) {}\n}\nexport class Log {\n  push(n: number) {}\n}\n",
		"main.ts":  "import { Stack, Log } from \"./stack\";\nexport function run(s: Stack, l: Log, a: any) {\n  s.push(1);\n  l.push(2);\n  a.push(3);\n}\n",
	})
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "stack.ts#Stack.push"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), `[1 caller; 1 of the same name with an unknown target]
[1 use of the name with another target left out]
main.ts#run lines 3
main.ts#run lines 5 (same name)
`)
}

// A method whose name is a string is found by its name alone.
func TestFindCallers_Unresolvable(t *testing.T) {
	p := graphed(t, map[string]string{"stack.ts": "export class Stack {\n  \"push\"(n: number) {}\n}\nexport function run(s: Stack) {\n  s.push(1);\n}\n"})
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "stack.ts#Stack.push"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), `[1 caller of the same name, not resolved: another function of the name may be meant]
[none is resolved: the declared name is not at its position; the file may have changed]
stack.ts#run lines 5
`)
}

// A language server does not change the chunks that a change can break.
func TestFindCallers_ImpactWithLanguageServer(t *testing.T) {
	files := map[string]string{
		"a.ts":      "export function load() {}\nexport { load as fetch };\n",
		"b.ts":      "import { fetch } from './a';\nexport function twice() { fetch(); fetch(); }\nexport function pass() { setTimeout(fetch); twice(); }\n",
		"b.test.ts": "import { twice, pass } from './b';\nfunction checks() { twice(); pass(); }\n",
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	silent := server(func(context.Context, chunking.Declaration) (chunking.Uses, error) { return chunking.Uses{}, nil })
	served := newProject(t, chunking.Options{Graph: db.Graph(), Store: db.Store(), References: silent}, files)
	served.analyze(t)
	for name, p := range map[string]*project{"alone": graphed(t, files), "with a language server": served} {
		t.Run(name, func(t *testing.T) {
			r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.ts#load", Impact: true})
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, r.TextContent(), `[a change can break 3 chunks, 1 of them in tests]
[not followed: calls of the value that 1 use store or pass on]
b.test.ts#checks lines 2 in 2 steps
b.ts#twice lines 2
b.ts#pass lines 3
`)
		})
	}
	// A server that lists nothing does not hide the callers that imports show.
	r, err := served.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.ts#load"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), `[2 callers]
[not followed: calls of the value that 1 use store or pass on]
[the language server lists no use; these are found by imports and types]
b.ts#twice lines 2
b.ts#pass lines 3
`)
}

// A function without a resolved caller is named with the ways of calling it that are not followed.
func TestFindCallers_NotFollowed(t *testing.T) {
	p := graphed(t, map[string]string{
		"a.py": "def load(): pass\n\nhandler = load\n\ndef run():\n    handler()\n",
		"b.py": "import a\n\ndef call(name):\n    getattr(a, \"load\")()\n\ndef keep(all):\n    all.append(a.load)\n",
	})
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.py#load"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), `[2 callers; 1 may call it through an interface, a base type or a variable]
[not followed: calls of the value that 1 use store or pass on]
[not followed: calls by name, as in getattr; 1 string in brackets equal the name]
a.py lines 3
b.py#keep lines 7
a.py#run lines 6 (may call)
`)
}

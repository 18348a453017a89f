package chunking_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/source"
)

// server is the function of a fake language server.
type server func(ctx context.Context, of chunking.Declaration) (chunking.Uses, error)

func (s server) References(ctx context.Context, of chunking.Declaration) (chunking.Uses, error) {
	return s(ctx, of)
}

const (
	shopSource = "package shop\n\ntype Cart struct{}\n\n// Add puts in. 😀\nfunc (c *Cart) Add(name string) {}\n\ntype Log struct{}\n\nfunc (l *Log) Add(name string) {}\n"
	mainSource = "package main\n\nimport \"x/shop\"\n\nfunc buy(c *shop.Cart) {\n\t/* 😀 */ c.Add(\"tea\")\n}\n\nfunc write(l *shop.Log) {\n\tl.Add(\"a\")\n\tl.Add(\"b\")\n}\n\nvar add = (*shop.Cart).Add\n"
)

// shop returns a project in which two methods have the same name.
func shop(t *testing.T, withGraph bool, o chunking.Options) *project {
	t.Helper()
	if withGraph {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		o.Graph, o.Store = db.Graph(), db.Store()
	} else {
		o.InMemory = true
	}
	return newProject(t, o, map[string]string{
		"shop/shop.go": shopSource, "main.go": mainSource, "other.py": "def pops(c):\n    c.Add(1)\n",
	})
}

// uses returns the uses of Cart.Add as a language server reports them.
func uses(dir string) chunking.Uses {
	at := func(file string, line, column int) chunking.Location {
		return chunking.Location{Path: filepath.Join(dir, file), Position: chunking.Position{Line: line, Column: column}}
	}
	return chunking.Uses{
		Languages: []source.Language{source.Go},
		Locations: []chunking.Location{
			at("main.go", 14, 25), at("shop/shop.go", 6, 16), at("main.go", 6, 13),
			{Path: filepath.Join(filepath.Dir(dir), "elsewhere.go"), Position: chunking.Position{Line: 1, Column: 1}},
			{Path: "main.go", Position: chunking.Position{Line: 10, Column: 4}}, at("main.go", 600, 1), at("main.go", 6, -1), at("README", 1, 1),
		},
	}
}

const cartAdd = "shop/shop.go#Cart.Add"

func callers(t *testing.T, p *project) string {
	t.Helper()
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: cartAdd})
	if err != nil {
		t.Fatal(err)
	}
	if r.TotalCount != len(r.Callers) || r.Truncated {
		t.Errorf("%d of %d, truncated %t", len(r.Callers), r.TotalCount, r.Truncated)
	}
	for _, c := range r.Callers {
		if encoded, err := json.Marshal(c); err != nil || strings.Contains(string(encoded), "confidence") {
			t.Errorf("a caller is %s, %v", encoded, err)
		}
	}
	return r.TextContent()
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("the answer is\n%s\nwant\n%s", got, want)
	}
}

func TestReferences_CorrectGraph(t *testing.T) {
	var p *project
	var asked chunking.Declaration
	p = shop(t, true, chunking.Options{References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		asked = of
		return uses(filepath.Dir(filepath.Dir(of.Path))), nil
	})})
	wantText(t, callers(t, p), `[2 callers by the language server]
[no calls by name: call analyze_project for those in other languages]
main.go#buy lines 6
main.go lines 14
`)
	p.analyze(t)
	wantText(t, callers(t, p), `[2 callers by the language server, and 2 of the same name, not resolved]
[2 calls of the name are of something else, says the language server, or in code that is not built here]
main.go#buy lines 6
main.go lines 14
other.py#pops lines 2 (same name)
main.go#write lines 10 11 (same name, not listed by the language server)
`)
	if want := (chunking.Position{Line: 6, Column: 16}); asked.Position != want || asked.Language != source.Go || asked.Text != shopSource || !filepath.IsAbs(asked.Path) {
		t.Errorf("it was asked about %+v", asked)
	}
}

func TestReferences_WithoutGraph(t *testing.T) {
	p := shop(t, false, chunking.Options{References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		return uses(filepath.Dir(filepath.Dir(of.Path))), nil
	})})
	wantText(t, callers(t, p), "[2 callers by the language server]\nmain.go#buy lines 6\nmain.go lines 14\n")
	var names []string
	for _, tool := range p.Features().Tools {
		names = append(names, tool.Tool().Name)
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "find_callers") || strings.Contains(all, "find_dependencies") {
		t.Errorf("offered are %s", all)
	}
}

// If References fails or times out, the result contains the callers that imports and types show.
func TestReferences_Failure(t *testing.T) {
	for name, tc := range map[string]struct {
		server server
		note   string
	}{
		"fails": {func(context.Context, chunking.Declaration) (chunking.Uses, error) {
			return chunking.Uses{}, errors.New("gopls has died\nof old age")
		}, "[not by the language server: gopls has died]\n"},
		"hangs": {func(ctx context.Context, _ chunking.Declaration) (chunking.Uses, error) {
			<-ctx.Done()
			return chunking.Uses{}, ctx.Err()
		}, "[not by the language server: the language server took too long]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := shop(t, true, chunking.Options{References: tc.server, ReferencesTimeout: 10 * time.Millisecond})
			p.analyze(t)
			wantText(t, callers(t, p), "[2 callers]\n[2 uses of the name with another target left out]\n"+tc.note+"main.go#buy lines 6\nmain.go lines 14\n")
		})
	}
	alone := shop(t, false, chunking.Options{ReferencesTimeout: 10 * time.Millisecond, References: server(func(ctx context.Context, _ chunking.Declaration) (chunking.Uses, error) {
		<-ctx.Done()
		return chunking.Uses{}, ctx.Err()
	})})
	_, err := alone.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: cartAdd})
	toolsettest.WantError(t, err, "TIMEOUT", "took too long", "Try again")
}

// A text with a byte-order mark, line ends of Windows and characters outside of the
// first plane has the same positions for both sides.
func TestReferences_OddTexts(t *testing.T) {
	const odd = "\uFEFFfunc 😀() {}\r\n\r\nfunc b() { /*😀*/ a(); c() }\r\nfunc a() {}\r\n"
	var at chunking.Position
	p := newProject(t, chunking.Options{InMemory: true, References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		at = of.Position
		return chunking.Uses{Locations: []chunking.Location{{Path: of.Path, Position: chunking.Position{Line: 3, Column: 19}}}}, nil
	})}, map[string]string{"odd.swift": odd})
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "odd.swift#a()"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (chunking.Position{Line: 4, Column: 6}); at != want {
		t.Errorf("it was asked about %+v, want %+v", at, want)
	}
	wantText(t, r.TextContent(), "[1 caller by the language server]\nodd.swift#b() lines 3\n")
}

// A use in a file that no parser reads is counted.
func TestFindCallers_UnreadableFile(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true, References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		return chunking.Uses{Locations: []chunking.Location{{Path: filepath.Join(filepath.Dir(of.Path), "b.elm"), Position: chunking.Position{Line: 1, Column: 1}}}}, nil
	})}, map[string]string{"a.ts": "export function f() {}\n", "b.elm": "main = f\n"})
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: "a.ts#f"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), "[0 callers by the language server]\n[1 file with uses cannot be read by a parser here]\n")
}

// Callers that the language server does not list are counted when they are too many for the list.
func TestFindCallers_Omitted(t *testing.T) {
	p := shop(t, true, chunking.Options{References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		return chunking.Uses{Languages: []source.Language{source.Go}}, nil
	})})
	p.put(t, "more.go", manyCallers(12))
	p.analyze(t)
	r, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: cartAdd})
	if err != nil || r.TotalCount != 11 || r.Omitted != 4 {
		t.Fatalf("%d callers, %d omitted, %v", r.TotalCount, r.Omitted, err)
	}
	const says = `[0 callers by the language server, and 15 of the same name, not resolved]
[15 calls of the name are of something else, says the language server, or in code that is not built here; 10 of their 14 callers are listed]
other.py#pops lines 2 (same name)
`
	if text := r.TextContent(); !strings.HasPrefix(text, says) {
		t.Errorf("the answer is\n%s", text)
	}
}

// manyCallers returns a Go file with functions that call Add.
func manyCallers(count int) string {
	var b strings.Builder
	b.WriteString("package main\n")
	for i := range count {
		fmt.Fprintf(&b, "\nfunc call%d(l *shop.Log) { l.Add(\"\") }\n", i)
	}
	return b.String()
}

// The last page of a list is not truncated.
func TestFindCallers_LastPage(t *testing.T) {
	p := shop(t, true, chunking.Options{})
	p.put(t, "more.go", manyCallers(6))
	p.analyze(t)
	first, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: cartAdd, MaxResults: 5})
	if err != nil || !first.Truncated || first.TotalCount != 8 {
		t.Fatalf("%+v, %v", first, err)
	}
	last, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: cartAdd, MaxResults: 5, Cursor: first.NextCursor})
	if err != nil || last.Truncated || last.NextCursor != "" || len(last.Callers) != 3 {
		t.Errorf("the last page is %+v, %v", last, err)
	}
}

// crowded is a graph.Graph that returns the maximum number of entries, up to a number.
type crowded struct {
	graph.Graph
	entries int
}

func (g crowded) Declared(_ context.Context, name string, limit int) ([]graph.Symbol, error) {
	if name != "Push" {
		return nil, nil
	}
	return slices.Repeat([]graph.Symbol{{ID: "x.go#" + name, Name: name, File: "x.go"}}, min(limit, g.entries)), nil
}

func (g crowded) Calls(_ context.Context, name string, limit int) ([]graph.Call, error) {
	return slices.Repeat([]graph.Call{{Name: name, File: "x.go", Line: 1}}, min(limit, g.entries)), nil
}

func (g crowded) Called(_ context.Context, id string, limit int) ([]graph.Call, error) {
	return slices.Repeat([]graph.Call{{Name: "f", File: "x.go", Line: 1}}, min(limit, g.entries)), nil
}

// A result has a note about a limit of the graph only if the limit was reached.
func TestRelations_Limit(t *testing.T) {
	for entries, says := range map[int]string{20_000: "", 20_001: "only the first 20000 declarations of the name were looked at, only the first 20000 calls of the name were looked at; " +
		"only the first 20000 calls of the chunk were looked at"} {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chunks.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		p := newProject(t, chunking.Options{Graph: crowded{db.Graph(), entries}, InMemory: true}, map[string]string{"a.swift": "class Stack {\n  func Push() {}\n}\n"})
		p.analyze(t)
		args := chunking.RelationsArgs{ChunkID: "a.swift#Stack.Push()"}
		found, err := p.FindCallers(t.Context(), chunking.CallersArgs{ChunkID: args.ChunkID})
		if err != nil {
			t.Fatal(err)
		}
		called, err := p.FindDependencies(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(found.Notes, ", ")
		if len(called.Notes) > 0 {
			got += "; " + strings.Join(called.Notes, ", ")
		}
		if got != says {
			t.Errorf("%d entries: %q, want %q", entries, got, says)
		}
	}
}

package chunking_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/settest"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

// server is a language server that answers what it is told.
type server func(ctx context.Context, of chunking.Declaration) (chunking.Uses, error)

func (s server) References(ctx context.Context, of chunking.Declaration) (chunking.Uses, error) {
	return s(ctx, of)
}

const (
	shopSource = "package shop\n\ntype Cart struct{}\n\n// Add puts in. 😀\nfunc (c *Cart) Add(name string) {}\n\ntype Log struct{}\n\nfunc (l *Log) Add(name string) {}\n"
	mainSource = "package main\n\nimport \"x/shop\"\n\nfunc buy(c *shop.Cart) {\n\t/* 😀 */ c.Add(\"tea\")\n}\n\nfunc write(l *shop.Log) {\n\tl.Add(\"a\")\n\tl.Add(\"b\")\n}\n\nvar add = (*shop.Cart).Add\n"
)

// shop is a project in which two methods have one name.
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

// uses are those of Cart.Add as a language server has them.
func uses(dir string) chunking.Uses {
	at := func(file string, line, column int) chunking.FilePlace {
		return chunking.FilePlace{Path: filepath.Join(dir, file), Place: chunking.Place{Line: line, Column: column}}
	}
	return chunking.Uses{
		Languages: []parse.Language{parse.Go},
		Places: []chunking.FilePlace{
			at("main.go", 14, 25), at("shop/shop.go", 6, 16), at("main.go", 6, 13),
			{Path: filepath.Join(filepath.Dir(dir), "elsewhere.go"), Place: chunking.Place{Line: 1, Column: 1}},
			{Path: "main.go", Place: chunking.Place{Line: 10, Column: 4}}, at("main.go", 600, 1), at("main.go", 6, -1), at("README", 1, 1),
		},
	}
}

const cartAdd = "shop/shop.go#Cart.Add"

func callers(t *testing.T, p *project) string {
	t.Helper()
	r, err := p.FindCallers(t.Context(), chunking.RelationsArgs{ChunkID: cartAdd})
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

func TestReferencesCorrectTheGraph(t *testing.T) {
	var p *project
	var asked chunking.Declaration
	p = shop(t, true, chunking.Options{References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		asked = of
		return uses(filepath.Dir(filepath.Dir(of.Path))), nil
	})})
	wantText(t, callers(t, p), `[2 callers by the language server]
main.go#buy lines 6
main.go lines 14
[no calls by name: call analyze_project for those in other languages]
`)
	p.analyze(t)
	wantText(t, callers(t, p), `[2 callers by the language server, and 2 of the same name, not resolved]
main.go#buy lines 6
main.go lines 14
other.py#pops lines 2 (same name)
main.go#write lines 10 11 (same name, not listed by the language server)
[2 calls of the name are of something else, says the language server, or in code that is not built here; at most 10 callers of that sort are listed]
`)
	if want := (chunking.Place{Line: 6, Column: 16}); asked.Place != want || asked.Language != parse.Go || asked.Text != shopSource || !filepath.IsAbs(asked.Path) {
		t.Errorf("it was asked about %+v", asked)
	}
}

func TestReferencesWithoutAGraph(t *testing.T) {
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

// What fails or hangs leaves what the graph knows.
func TestReferencesThatFail(t *testing.T) {
	const guessed = `other.py#pops lines 2
`
	for name, tc := range map[string]struct {
		server server
		note   string
	}{
		"fails": {func(context.Context, chunking.Declaration) (chunking.Uses, error) {
			return chunking.Uses{}, errors.New("gopls has died\nof old age")
		}, "[none is resolved: gopls has died]\n"},
		"hangs": {func(ctx context.Context, _ chunking.Declaration) (chunking.Uses, error) {
			<-ctx.Done()
			return chunking.Uses{}, ctx.Err()
		}, "[none is resolved: the language server took too long]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := shop(t, true, chunking.Options{References: tc.server, ReferencesPatience: 10 * time.Millisecond})
			p.analyze(t)
			got := callers(t, p)
			if !strings.HasPrefix(got, "[3 callers of the same name, not resolved: another function of the name may be meant]\n") || !strings.HasSuffix(got, guessed+tc.note) {
				t.Errorf("the answer is\n%s", got)
			}
		})
	}
	alone := shop(t, false, chunking.Options{ReferencesPatience: 10 * time.Millisecond, References: server(func(ctx context.Context, _ chunking.Declaration) (chunking.Uses, error) {
		<-ctx.Done()
		return chunking.Uses{}, ctx.Err()
	})})
	_, err := alone.FindCallers(t.Context(), chunking.RelationsArgs{ChunkID: cartAdd})
	settest.WantError(t, err, "TIMEOUT", "took too long", "Try again")
}

// A text with a byte-order mark, line ends of Windows and characters outside of the
// first plane has the same positions for both sides.
func TestPlacesInOddTexts(t *testing.T) {
	const odd = "\uFEFFfunc 😀() {}\r\n\r\nfunc b() { /*😀*/ a(); c() }\r\nfunc a() {}\r\n"
	var at chunking.Place
	p := newProject(t, chunking.Options{InMemory: true, References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		at = of.Place
		return chunking.Uses{Places: []chunking.FilePlace{{Path: of.Path, Place: chunking.Place{Line: 3, Column: 19}}}}, nil
	})}, map[string]string{"odd.swift": odd})
	r, err := p.FindCallers(t.Context(), chunking.RelationsArgs{ChunkID: "odd.swift#a()"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (chunking.Place{Line: 4, Column: 6}); at != want {
		t.Errorf("it was asked about %+v, want %+v", at, want)
	}
	wantText(t, r.TextContent(), "[1 caller by the language server]\nodd.swift#b() lines 3\n")
}

// A use in a file that no parser reads is counted.
func TestFindCallers_UnreadableFile(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true, References: server(func(_ context.Context, of chunking.Declaration) (chunking.Uses, error) {
		return chunking.Uses{Places: []chunking.FilePlace{{Path: filepath.Join(filepath.Dir(of.Path), "b.vue"), Place: chunking.Place{Line: 1, Column: 1}}}}, nil
	})}, map[string]string{"a.ts": "export function f() {}\n", "b.vue": "<script>f()</script>\n"})
	r, err := p.FindCallers(t.Context(), chunking.RelationsArgs{ChunkID: "a.ts#f"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, r.TextContent(), "[0 callers by the language server]\n[1 file that the language server names cannot be read by a parser here]\n")
}

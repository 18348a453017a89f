package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

// searched is an index of methods by "file: Container.name" or "file: name".
func searched(t *testing.T, chunks ...string) *index.Index {
	files := map[string]string{}
	for _, c := range chunks {
		file, name, _ := strings.Cut(c, ": ")
		if container, method, ok := strings.Cut(name, "."); ok {
			files[file] += fmt.Sprintf("class %s\nmethod %s\nend\n", container, method)
		} else {
			files[file] += "func " + name + "\n"
		}
	}
	p := newProject(t, files)
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	return x
}

func show(hits []index.Hit) []string {
	names := []string{}
	for _, h := range hits {
		c := h.File.Symbol(h.Chunk)
		names = append(names, h.File.Path+": "+c.Path())
	}
	return names
}

func TestSearchOrder(t *testing.T) {
	x := searched(t, "a.go: push", "b.go: push", "a.go: Push", "a.go: pushAll", "a.go: pushAllOfIt", "a.go: stackPush", "a.go: HTTPPush", "a.go: stack_push",
		"a.go: unpushed", "a.go: pXuXsXh", "a.go: other", "a.go: étéPush", "a.go: Été")
	for text, want := range map[string][]string{
		"push":               {"a.go: push", "b.go: push", "a.go: Push", "a.go: pushAll", "a.go: pushAllOfIt", "a.go: HTTPPush", "a.go: stackPush", "a.go: étéPush", "a.go: stack_push", "a.go: unpushed", "a.go: pXuXsXh"},
		"PUSH":               {"a.go: Push", "a.go: push", "b.go: push"},
		"sp":                 {"a.go: stackPush", "a.go: stack_push"},
		"été":                {"a.go: Été", "a.go: étéPush"},
		"étép":               {"a.go: étéPush"},
		"zzz":                {},
		"pushAllOfItAndMore": {},
	} {
		hits, total := x.Snapshot().Search(index.Query{Text: text})
		got := show(hits)
		if text == "PUSH" {
			slices.Sort(got[:3])
			slices.Sort(want)
			got = got[:3]
		} else if total != len(want) {
			t.Errorf("%s: %d in total, want %d", text, total, len(want))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestSearchContainers(t *testing.T) {
	x := searched(t, "json/encode.go: Marshal", "xml.go: Marshal", "a.go: Stack.push", "b.go: stack.push", "c.go: Stacked.push", "d.go: Queue.push", "d.go: pop")
	for text, want := range map[string][]string{
		"Stack.push":   {"a.go: Stack.push", "b.go: stack.push", "c.go: Stacked.push"},
		"json.Marshal": {"json/encode.go: Marshal"},
		"xml.marshal":  {"xml.go: Marshal"},
		"Stack.pop":    {},
		".push":        {"a.go: Stack.push", "b.go: stack.push", "c.go: Stacked.push", "d.go: Queue.push"},
		"a.b.c.push":   {},
	} {
		if hits, _ := x.Snapshot().Search(index.Query{Text: text}); !slices.Equal(show(hits), want) {
			t.Errorf("%s: %q, want %q", text, show(hits), want)
		}
	}
}

func TestSearchFilters(t *testing.T) {
	x := searched(t, "a.go: f", "src/b.go: f", "src/deep/c.py: f", "d.py: C.f", "src/e.go: fE")
	tests := []struct {
		q    index.Query
		want []string
	}{
		{index.Query{Text: "f", Language: source.Python}, []string{"d.py: C.f", "src/deep/c.py: f"}},
		{index.Query{Text: "f", PathGlob: "src/**"}, []string{"src/b.go: f", "src/deep/c.py: f", "src/e.go: fE"}},
		{index.Query{Text: "f", PathGlob: "*.py"}, []string{"d.py: C.f", "src/deep/c.py: f"}},
		{index.Query{Text: "f", PathGlob: "src/[*"}, []string{}},
		{index.Query{Text: "f", Kinds: []source.Kind{source.Method, source.Class}}, []string{"d.py: C.f"}},
		{index.Query{Text: "c", Kinds: []source.Kind{source.Class}}, []string{"d.py: C"}},
		{index.Query{Text: "c", Callable: true}, []string{}},
		{index.Query{Text: "", Limit: 2}, []string{"a.go: f", "d.py: C"}},
		{index.Query{Text: "f()", Limit: 1}, []string{"a.go: f"}},
		{index.Query{Text: "f(_:)"}, []string{}},
		{index.Query{Text: "f", Limit: -1, PathGlob: "a.go"}, []string{"a.go: f"}},
	}
	for _, test := range tests {
		hits, total := x.Snapshot().Search(test.q)
		if !slices.Equal(show(hits), test.want) || total < len(hits) {
			t.Errorf("%+v: %q of %d, want %q", test.q, show(hits), total, test.want)
		}
	}
}

// However many fit, the best come out, as a full sort would have them.
func TestSearch_FairLimit(t *testing.T) {
	var chunks []string
	for i := range 3000 {
		chunks = append(chunks, fmt.Sprintf("f%d.go: %s", i%37, strings.Repeat("x", i%11)+strings.Repeat("ab", i%5+1)+fmt.Sprint(i%7)))
	}
	x := searched(t, chunks...)
	for _, text := range []string{"ab", "a", "xa", "b0", ""} {
		all, total := x.Snapshot().Search(index.Query{Text: text, Limit: index.MaxLimit})
		if len(all) != total {
			t.Fatalf("%q: %d of %d", text, len(all), total)
		}
		some, again := x.Snapshot().Search(index.Query{Text: text, Limit: 20})
		if again != total {
			t.Errorf("%q: %d in total, or %d", text, total, again)
		}
		for i := range some {
			if some[i] != all[i] {
				t.Fatalf("%q: the hit %d is %+v, want %+v", text, i, show(some[i:i+1]), show(all[i:i+1]))
			}
		}
	}
}

func TestIDs(t *testing.T) {
	p := newProject(t, map[string]string{"a#b.go": "func f\nclass C\nmethod f\nmethod f\nend\nfunc f\nfunc f~2\n"})
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	f := x.Snapshot().Files()[0]
	want := []string{"a#b.go#f", "a#b.go#C", "a#b.go#C.f", "a#b.go#C.f~2", "a#b.go#f~2", "a#b.go#f~2"}
	for i := range f.Len() {
		if got := f.ID(i); got != want[i] {
			t.Errorf("chunk %d is %s, want %s", i, got, want[i])
		}
		found, at, ok := x.Snapshot().Find(f.ID(i))
		if !ok || found != f || at != min(i, 4) {
			t.Errorf("%s is found at %d", f.ID(i), at)
		}
	}
	for _, id := range []string{"", "#", "a#b.go", "a#b.go#", "a#b.go#g", "a#b.go#f~1", "a#b.go#f~3", "x.go#f", "a#b.go#C.f~02"} {
		if _, _, ok := x.Snapshot().Find(id); ok {
			t.Errorf("%q is found", id)
		}
	}
}

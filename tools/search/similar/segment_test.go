package similar_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// Find returns the same results with the index of package segment, with pieces as servers
// create them.
func TestFind_Segment(t *testing.T) {
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	idx := segment.NewMemory()
	defer idx.Close(t.Context())
	w, err := idx.Begin(t.Context(), index.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	m := newMemory() // provides the texts
	for path, text := range map[string]string{"q/queue.go": queue, "store/store.go": renamedQueue, "other.go": other, "web/total.ts": script} {
		m.texts[path] = []byte(text)
		file, err := document.Cut(t.Context(), path, m.texts[path], document.Options{Parsers: parsers})
		if err != nil {
			t.Fatal(err)
		}
		file.Size = int64(len(text))
		if err := w.Put(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ code, want string }{
		"a function":   {between(queue, "func (q *Queue) Push", "return nil\n}\n"), "q/queue.go:6-18 Push 1.00 same\nstore/store.go:3-16 Add 0.95\n"},
		"a short line": {"total += n * weight(i)", "q/queue.go:26-26 Sum 1.00 same\nweb/total.ts:5-5 total 0.94\n"},
	} {
		found, err := similar.Find(t.Context(), idx, m.read, similar.Query{Code: []byte(c.code), Similarity: .7})
		if err != nil {
			t.Fatal(err)
		}
		if got := summarize(found); got != c.want {
			t.Errorf("%s finds\n%swant\n%s", name, got, c.want)
		}
	}
}

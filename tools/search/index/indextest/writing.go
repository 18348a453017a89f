package indextest

import (
	"errors"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

func empty(t *testing.T, ix index.Index) {
	st, err := ix.Stats(t.Context())
	must(t, err)
	if st.Files != 0 || st.Pieces != 0 || st.Source != 0 || len(st.Languages) != 0 {
		t.Errorf("an empty index says %+v", st)
	}
	if _, ok, err := ix.Lookup(t.Context(), "a.go"); ok || err != nil {
		t.Errorf("a file is known (%v)", err)
	}
	same(t, "files", all(t, ix), []index.Known(nil))
	same(t, "found", names(search(t, ix, query("a|b* +c"))), []string(nil))
	pieces, err := ix.Pieces(t.Context(), "a.go")
	must(t, err)
	similar, err := ix.Similar(t.Context(), index.Likeness{Prints: []uint32{1, 2}})
	must(t, err)
	candidates, err := ix.Candidates(t.Context(), index.Literals{}, index.Filter{})
	must(t, err)
	if len(pieces)+len(similar.Candidates)+len(candidates) > 0 {
		t.Errorf("found %v %v %v", pieces, similar, candidates)
	}
}

// samples are two files of which everything is known.
func samples() (a, b index.File) {
	a = file("src/stack.go", "go",
		piece{kind: "file", body: "package stack"},
		piece{kind: "method", name: "Push", container: "Stack", signature: "func (s *Stack) Push(v int)", doc: "// Push puts a value.", body: "func (s *Stack) Push(v int) {\n\ts.list = append(s.list, v)\n}"},
		piece{name: "無名", container: "日本 > 語", body: "x", prints: []uint32{1, 5, 9}})
	// A class whose own parts are around its method, and a piece that says nothing.
	text := "class A { int a; void m() {} int b; }"
	b = index.File{
		Path: "src/A.java", Hash: [32]byte{1, 2, 3}, Size: 1 << 40, ModTime: epoch.Add(-time.Hour), Language: "java", Version: "v2", Text: []byte(text),
		Pieces: []index.Piece{
			{Kind: "class", Name: "A", Signature: "class A", Range: index.Span{End: 37}, Own: []index.Span{{Start: 0, End: 17}, {Start: 28, End: 37}}, StartLine: 1, EndLine: 1},
			{Kind: "method", Name: "m", Container: "A", Range: index.Span{Start: 17, End: 28}, Own: []index.Span{{Start: 17, End: 28}}, Doc: index.Span{Start: 17, End: 21}, StartLine: 1, EndLine: 1},
			{},
		},
	}
	return a, b
}

func put(t *testing.T, ix index.Index) {
	a, b := samples()
	w := begin(t, ix, index.WriteOptions{})
	must(t, w.Put(t.Context(), a))
	must(t, w.Put(t.Context(), b))
	same(t, "files before the commit", all(t, ix), []index.Known(nil))
	same(t, "found before the commit", names(search(t, ix, query("push"))), []string(nil))
	before, err := ix.Stats(t.Context())
	must(t, err)
	must(t, w.Commit(t.Context()))
	same(t, "files", all(t, ix), []index.Known{known(b), known(a)})
	for _, f := range []index.File{a, b} {
		k, ok, err := ix.Lookup(t.Context(), f.Path)
		must(t, err)
		same(t, f.Path, k, known(f))
		if !ok {
			t.Errorf("%s is not known", f.Path)
		}
		pieces, err := ix.Pieces(t.Context(), f.Path)
		must(t, err)
		for i := range f.Pieces {
			f.Pieces[i] = without(f.Pieces[i])
		}
		same(t, "pieces of "+f.Path, pieces, f.Pieces)
	}
	st, err := ix.Stats(t.Context())
	must(t, err)
	same(t, "languages", st.Languages, map[string]int{"go": 1, "java": 1})
	if st.Files != 2 || st.Pieces != 6 || st.Source != a.Size+b.Size || st.Generation == before.Generation || st.Changed.IsZero() {
		t.Errorf("the index says %+v", st)
	}
}

func replaced(t *testing.T, ix index.Index) {
	old := file("a.go", "go", piece{name: "Old", body: "old words"})
	middle := file("a.go", "go", piece{name: "Middle", body: "middle words"})
	last := file("a.go", "go", piece{name: "New", body: "new words"}, piece{name: "More", body: "more words"})
	commit(t, ix, old)
	commit(t, ix, middle, last) // of several in one commit, too
	same(t, "files", all(t, ix), []index.Known{known(last)})
	same(t, "found", names(search(t, ix, query("old middle new words"))), []string{"a.go:New", "a.go:More"})
	if st, err := ix.Stats(t.Context()); err != nil || st.Files != 1 || st.Pieces != 2 || st.Source != last.Size {
		t.Errorf("the index says %+v, %v", st, err)
	}
	candidates, err := ix.Candidates(t.Context(), index.Literals{Literal: "old"}, index.Filter{})
	must(t, err)
	same(t, "candidates", candidates, []string(nil))
}

func removed(t *testing.T, ix index.Index) {
	a, b, c := file("a.go", "go", piece{body: "words"}), file("b.go", "go", piece{body: "words"}), file("c.go", "go", piece{body: "words"})
	commit(t, ix, a, b, c)
	w := begin(t, ix, index.WriteOptions{})
	must(t, w.Remove(t.Context(), "a.go", "c.go", "unknown"))
	must(t, w.Put(t.Context(), c))
	d := file("d.go", "go", piece{body: "words"})
	must(t, w.Put(t.Context(), d))
	must(t, w.Remove(t.Context(), "d.go"))
	must(t, w.Touch(t.Context(), known(d))) // of a removed file
	must(t, w.Commit(t.Context()))
	same(t, "files", paths(all(t, ix)), []string{"b.go", "c.go"})
	same(t, "found", names(search(t, ix, query("words"))), []string{"b.go:", "c.go:"})
}

func touched(t *testing.T, ix index.Index) {
	a, b := file("a.go", "go", piece{body: "words"}), file("b.go", "go", piece{body: "words"})
	commit(t, ix, a)
	w := begin(t, ix, index.WriteOptions{})
	must(t, w.Put(t.Context(), b))
	for _, f := range []*index.File{&a, &b} {
		f.ModTime, f.Size = epoch.Add(time.Hour+1), f.Size+7
		must(t, w.Touch(t.Context(), known(*f)))
	}
	must(t, w.Touch(t.Context(), index.Known{Path: "unknown", ModTime: epoch}))
	must(t, w.Commit(t.Context()))
	same(t, "files", all(t, ix), []index.Known{known(a), known(b)})
	found := search(t, ix, index.Query{Terms: query("words").Terms, Filter: index.Filter{ModifiedAfter: epoch.Add(time.Hour)}})
	same(t, "modified after", names(found), []string{"a.go:", "b.go:"})
	same(t, "file of a candidate", found.Candidates[0].File, known(a))
	if st, err := ix.Stats(t.Context()); err != nil || st.Source != a.Size+b.Size {
		t.Errorf("the index says %+v, %v", st, err)
	}
}

func aborted(t *testing.T, ix index.Index) {
	a := file("a.go", "go", piece{body: "words"})
	commit(t, ix, a)
	before, err := ix.Stats(t.Context())
	must(t, err)
	w := begin(t, ix, index.WriteOptions{Replace: true})
	must(t, w.Put(t.Context(), file("b.go", "go", piece{body: "words"})))
	must(t, w.Remove(t.Context(), "a.go"))
	w.Abort()
	w.Abort()
	if err := w.Put(t.Context(), a); err == nil {
		t.Error("a writer that was aborted takes files")
	}
	if err := w.Commit(t.Context()); err == nil {
		t.Error("a writer that was aborted can be committed")
	}
	same(t, "files", all(t, ix), []index.Known{known(a)})
	after, err := ix.Stats(t.Context())
	must(t, err)
	if after.Generation != before.Generation {
		t.Error("the generation has changed, and nothing else")
	}
	commit(t, ix, file("c.go", "go"))
	same(t, "files", paths(all(t, ix)), []string{"a.go", "c.go"})
}

func replace(t *testing.T, ix index.Index) {
	var files []index.File
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		files = append(files, file(name, "go", piece{body: "words"}))
	}
	commit(t, ix, files...)
	w := begin(t, ix, index.WriteOptions{Replace: true})
	files[0].ModTime = epoch.Add(time.Minute)
	must(t, w.Touch(t.Context(), known(files[0])))
	c := file("c.go", "go", piece{name: "New", body: "words"})
	must(t, w.Put(t.Context(), c))
	same(t, "files before the commit", paths(all(t, ix)), []string{"a.go", "b.go", "c.go"})
	must(t, w.Commit(t.Context()))
	w.Abort() // does nothing now
	same(t, "files", all(t, ix), []index.Known{known(files[0]), known(c)})
	must(t, begin(t, ix, index.WriteOptions{Replace: true}).Commit(t.Context()))
	same(t, "files", all(t, ix), []index.Known(nil))
}

func oneWriter(t *testing.T, ix index.Index) {
	w := begin(t, ix, index.WriteOptions{})
	if _, err := ix.Begin(t.Context(), index.WriteOptions{}); !errors.Is(err, index.ErrWriting) {
		t.Errorf("a second writer: %v", err)
	}
	must(t, w.Commit(t.Context()))
	w = begin(t, ix, index.WriteOptions{})
	w.Abort()
	begin(t, ix, index.WriteOptions{}).Abort()
}

// refused checks that an invalid file is rejected, and that the writer remains usable.
func refused(t *testing.T, ix index.Index) {
	w := begin(t, ix, index.WriteOptions{})
	for name, f := range map[string]index.File{
		"no path":             {Text: []byte("x")},
		"a range outside":     {Path: "a", Text: []byte("x"), Pieces: []index.Piece{{Range: index.Span{End: 2}}}},
		"an own span outside": {Path: "a", Text: []byte("x"), Pieces: []index.Piece{{Own: []index.Span{{Start: 0, End: 9}}}}},
		"a negative span":     {Path: "a", Text: []byte("x"), Pieces: []index.Piece{{Doc: index.Span{Start: -1}}}},
		"a span backwards":    {Path: "a", Text: []byte("xyz"), Pieces: []index.Piece{{Range: index.Span{Start: 2, End: 1}}}},
	} {
		if err := w.Put(t.Context(), f); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	must(t, w.Put(t.Context(), file("b", "")))
	must(t, w.Commit(t.Context()))
	same(t, "files", paths(all(t, ix)), []string{"b"})
}

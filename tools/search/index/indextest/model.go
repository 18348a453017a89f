package indextest

import (
	"bytes"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

// vocabulary are the words of generated texts.
var vocabulary = []string{
	"alpha", "beta", "gamma", "alphaBeta", "HTTPServer", "x1", "utf8", "日本語", "検索", "語", "ﾊﾟｽ", "getユーザー名", "a_b_c", "the", "The", "THE", "\n", "\xff", "()",
}

// model compares an index with a simple one after random changes.
func model(t *testing.T, open func(t *testing.T) index.Index) {
	rapid.Check(t, func(r *rapid.T) {
		ix := open(t)
		defer ix.Close(t.Context())
		m := &plain{files: make(map[string]index.File)}
		for range rapid.IntRange(1, 4).Draw(r, "commits") {
			m.change(r, t, ix)
			m.compare(r, t, ix)
		}
	})
}

// plain is an index that checks every file for each search.
type plain struct{ files map[string]index.File }

// sentence returns a random text.
func sentence(r *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 6).Draw(r, "text"), " ")
}

// drawFile returns a random file.
func drawFile(r *rapid.T, path string) index.File {
	pieces := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) piece {
		return piece{
			kind: rapid.SampledFrom([]string{"function", "file", "section"}).Draw(r, "kind"), name: sentence(r), container: sentence(r),
			signature: sentence(r), doc: sentence(r), body: sentence(r),
			prints: slices.Sorted(maps.Keys(rapid.MapOfN(rapid.Uint32Range(0, 40), rapid.Just(true), 0, 12).Draw(r, "prints"))),
		}
	}), 0, 4).Draw(r, "pieces")
	f := file(path, rapid.SampledFrom([]string{"go", "markdown"}).Draw(r, "language"), pieces...)
	f.Verbatim = rapid.Bool().Draw(r, "verbatim")
	f.ModTime = epoch.Add(time.Duration(rapid.IntRange(-2, 2).Draw(r, "hours")) * time.Hour)
	return f
}

// change applies a random transaction to both indexes.
func (m *plain) change(r *rapid.T, t *testing.T, ix index.Index) {
	o := index.WriteOptions{Replace: rapid.IntRange(0, 3).Draw(r, "replace") == 0}
	w := begin(t, ix, o)
	next := maps.Clone(m.files)
	kept := make(map[string]bool)
	for range rapid.IntRange(0, 6).Draw(r, "calls") {
		path := rapid.SampledFrom([]string{"a.go", "b.md", "src/c.go", "src/d.md", "src/検索.md"}).Draw(r, "path")
		switch rapid.SampledFrom([]string{"put", "put", "remove", "touch"}).Draw(r, "call") {
		case "put":
			f := drawFile(r, path)
			must(t, w.Put(t.Context(), f))
			next[path], kept[path] = f, true
		case "remove":
			must(t, w.Remove(t.Context(), path))
			delete(next, path)
			delete(kept, path)
		default:
			k := index.Known{Path: path, Size: 99, ModTime: epoch.Add(5 * time.Hour)}
			must(t, w.Touch(t.Context(), k))
			if f, ok := next[path]; ok {
				f.Size, f.ModTime = k.Size, k.ModTime
				next[path], kept[path] = f, true
			}
		}
	}
	if rapid.IntRange(0, 4).Draw(r, "abort") == 0 {
		w.Abort()
		return
	}
	must(t, w.Commit(t.Context()))
	if o.Replace {
		maps.DeleteFunc(next, func(path string, _ index.File) bool { return !kept[path] })
	}
	m.files = next
}

func (m *plain) compare(r *rapid.T, t *testing.T, ix index.Index) {
	var want []index.Known
	for _, path := range slices.Sorted(maps.Keys(m.files)) {
		want = append(want, known(m.files[path]))
	}
	same(t, "files", all(t, ix), want)
	for range 3 {
		q := drawQuery(r)
		got := make(map[string]uint64)
		for _, c := range search(t, ix, q).Candidates {
			got[fmt.Sprint(c.File.Path, " ", c.Piece.Range, c.Piece.Name)] = c.Matched
		}
		same(t, fmt.Sprintf("found by %+v", q), got, m.found(q))
		m.compareSimilar(r, t, ix)
		m.compareCandidates(r, t, ix)
	}
	if t.Failed() {
		r.FailNow()
	}
}

// drawQuery returns a random query.
func drawQuery(r *rapid.T) index.Query {
	var q index.Query
	word := rapid.Custom(func(r *rapid.T) string {
		w := rapid.SampledFrom([]string{"alpha", "beta", "alphabeta", "http", "server", "x1", "utf", "日本", "本語", "語", "検", "パス", "ユー", "the", "go", "src", "nothing"}).Draw(r, "word")
		if rapid.IntRange(0, 3).Draw(r, "prefix") == 0 {
			return string([]rune(w)[:1]) + "*"
		}
		return w
	})
	for range rapid.IntRange(1, 4).Draw(r, "terms") {
		q.Terms = append(q.Terms, index.Term{Words: rapid.SliceOfN(word, 1, 6).Draw(r, "words"), Required: rapid.IntRange(0, 3).Draw(r, "required") == 0})
	}
	q.Filter = rapid.SampledFrom([]index.Filter{
		{}, {}, {Paths: []string{"src/"}}, {Extensions: []string{"md"}}, {Languages: []string{"go"}}, {Kinds: []string{"file"}}, {ModifiedAfter: epoch}, {Exclude: []string{"*.go"}},
	}).Draw(r, "filter")
	return q
}

// takes reports whether the filters of drawQuery accept a piece.
func takes(f index.Filter, file *index.File, kind string) bool {
	return (len(f.Paths) == 0 || strings.HasPrefix(file.Path, "src/")) && (len(f.Extensions) == 0 || strings.HasSuffix(file.Path, ".md")) &&
		(len(f.Languages) == 0 || file.Language == "go") && (len(f.Kinds) == 0 || kind == "file" || kind == "") &&
		(f.ModifiedAfter.IsZero() || file.ModTime.After(f.ModifiedAfter)) && (len(f.Exclude) == 0 || !strings.HasSuffix(file.Path, ".go"))
}

// wordsOf returns all words of a piece.
func wordsOf(f *index.File, p *index.Piece) map[string]bool {
	set := make(map[string]bool)
	var scanner token.Scanner
	for _, text := range []string{p.Signature, string(f.Text[p.Range.Start:p.Range.End]), f.Path} {
		for w := range scanner.Words([]byte(text)) {
			set[string(w.Text)] = true
		}
	}
	scanner.Singles = true
	for _, text := range []string{p.Name, p.Container} {
		for w := range scanner.Words([]byte(text)) {
			set[string(w.Text)] = true
		}
	}
	return set
}

func (m *plain) found(q index.Query) map[string]uint64 {
	found := make(map[string]uint64)
	for _, f := range m.files {
		for i := range f.Pieces {
			p := &f.Pieces[i]
			if !takes(q.Filter, &f, p.Kind) {
				continue
			}
			if matched := match(q.Terms, wordsOf(&f, p)); matched != 0 {
				found[fmt.Sprint(f.Path, " ", p.Range, p.Name)] = matched
			}
		}
	}
	return found
}

// match returns the bit set of the matched terms; 0 if a required one is missing.
func match(terms []index.Term, words map[string]bool) (matched uint64) {
	for i, term := range terms {
		has := slices.ContainsFunc(term.Words, func(w string) bool {
			prefix, ok := strings.CutSuffix(w, "*")
			if !ok {
				return words[w]
			}
			for word := range words {
				if strings.HasPrefix(word, prefix) {
					return true
				}
			}
			return false
		})
		if has {
			matched |= 1 << i
		} else if term.Required {
			return 0
		}
	}
	return matched
}

func (m *plain) compareSimilar(r *rapid.T, t *testing.T, ix index.Index) {
	l := index.Likeness{
		Prints: slices.Sorted(maps.Keys(rapid.MapOfN(rapid.Uint32Range(0, 40), rapid.Just(true), 1, 12).Draw(r, "like"))),
		Least:  rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(r, "least"), Limit: 1000,
	}
	want := make(map[string]int)
	for _, f := range m.files {
		for _, p := range f.Pieces {
			shared := 0
			for _, print := range p.Prints {
				if _, ok := slices.BinarySearch(l.Prints, print); ok {
					shared++
				}
			}
			if score := float64(shared) / float64(max(min(len(p.Prints), len(l.Prints)), 1)); shared > 0 && score >= l.Least {
				want[fmt.Sprint(f.Path, p.Range)] = int(score*1000 + 0.5)
			}
		}
	}
	found, err := ix.Similar(t.Context(), l)
	must(t, err)
	got := make(map[string]int)
	for _, c := range found.Candidates {
		got[fmt.Sprint(c.File.Path, c.Piece.Range)] = int(c.Score*1000 + 0.5)
	}
	same(t, fmt.Sprintf("similar to %+v", l), got, want)
}

// compareCandidates checks that no matching file is missing from the candidates.
func (m *plain) compareCandidates(r *rapid.T, t *testing.T, ix index.Index) {
	literal := rapid.Custom(func(r *rapid.T) index.Literals {
		text := rapid.SampledFrom(vocabulary).Draw(r, "literal") + rapid.SampledFrom([]string{"", " ", " the"}).Draw(r, "more")
		from := rapid.IntRange(0, len(text)).Draw(r, "from")
		return index.Literals{Literal: text[from:], Fold: rapid.Bool().Draw(r, "fold")}
	})
	l := literal.Draw(r, "condition")
	l.All = rapid.SliceOfN(literal, 0, 2).Draw(r, "all")
	l.Any = rapid.SliceOfN(literal, 0, 2).Draw(r, "any")
	got, err := ix.Candidates(t.Context(), l, index.Filter{})
	must(t, err)
	if !slices.IsSorted(got) {
		t.Errorf("the candidates %q are in no order", got)
	}
	for path, f := range m.files {
		if _, ok := slices.BinarySearch(got, path); ok != f.Verbatim && (ok || holds(l, f.Text)) {
			t.Errorf("for %+v the candidates are %q; %s is verbatim: %v, and %q", l, got, path, f.Verbatim, f.Text)
		}
	}
	if extra := bits.Len(uint(len(got))); extra > bits.Len(uint(len(m.files))) {
		t.Errorf("more candidates than files: %q", got)
	}
}

// holds evaluates a condition.
func holds(l index.Literals, text []byte) bool {
	find, in := []byte(l.Literal), text
	if l.Fold {
		find, in = lower(find), lower(in)
	}
	for _, other := range l.All {
		if !holds(other, text) {
			return false
		}
	}
	any := len(l.Any) == 0
	for _, other := range l.Any {
		any = any || holds(other, text)
	}
	return any && bytes.Contains(in, find)
}

func lower(text []byte) []byte {
	text = bytes.Clone(text)
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] += 'a' - 'A'
		}
	}
	return text
}

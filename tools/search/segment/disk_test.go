package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// sample returns a file with one piece for each text. Each piece has fingerprints.
func sample(path string, texts ...string) index.File {
	f := index.File{Path: path, ModTime: time.Unix(1_700_000_000, 7), Language: "go", Version: "v", Verbatim: true, Hash: [32]byte{9}}
	for i, text := range texts {
		s := index.Span{Start: int32(len(f.Text)), End: int32(len(f.Text) + len(text))}
		f.Text = append(f.Text, text...)
		f.Pieces = append(f.Pieces, index.Piece{
			Kind: "function", Name: fmt.Sprint("Piece", i), Container: "C", Signature: fmt.Sprintf("func Piece%d()", i), Range: s, Own: []index.Span{s}, StartLine: 1, EndLine: 2,
			Prints: []uint32{uint32(i), 1000, 1 << 30},
		})
	}
	f.Size = int64(len(f.Text))
	return f
}

func commit(t testing.TB, ix index.Index, o index.WriteOptions, files ...index.File) {
	t.Helper()
	w, err := ix.Begin(t.Context(), o)
	for _, f := range files {
		if err == nil {
			err = w.Put(t.Context(), f)
		}
	}
	if err == nil {
		err = w.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// answers holds the results of all queries of an index.
type answers struct {
	Files           []index.Known
	Pieces          map[string][]index.Piece
	Found, Similar  index.Found
	Candidates      []string
	Languages       map[string]int
	Source, Changed int64
}

func ask(ctx context.Context, ix index.Index) (a answers, err error) {
	a.Pieces = make(map[string][]index.Piece)
	keep := func(e error) { err = errors.Join(err, e) }
	for k, e := range ix.Files(ctx) {
		if keep(e); e != nil {
			break
		}
		a.Files = append(a.Files, k)
		a.Pieces[k.Path], e = ix.Pieces(ctx, k.Path)
		keep(e)
	}
	var e error
	a.Found, e = ix.Search(ctx, index.Query{Terms: []index.Term{{Words: []string{"common", "wor*"}}, {Words: []string{"piece1"}}}})
	keep(e)
	a.Similar, e = ix.Similar(ctx, index.Likeness{Prints: []uint32{1, 1000, 1 << 30}})
	keep(e)
	a.Candidates, e = ix.Candidates(ctx, index.Literals{Literal: "common"}, index.Filter{})
	keep(e)
	st, e := ix.Stats(ctx)
	keep(e)
	a.Languages, a.Source, a.Changed = st.Languages, st.Source, st.Changed.UnixNano()
	return a, err
}

func mustAsk(t *testing.T, ix index.Index) answers {
	t.Helper()
	a, err := ask(t.Context(), ix)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// createSample creates an index with several segments, deleted files and touched files.
func createSample(t *testing.T, dir string) answers {
	t.Helper()
	ix := open(t, dir, segment.Options{})
	commit(t, ix, index.WriteOptions{}, sample("a.go", "common words", "more common words"), sample("b.go", "common"), sample("gone.go", "common"))
	w, err := ix.Begin(t.Context(), index.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := sample("b.go", "common, but new", "words of b")
	for _, err := range []error{
		w.Put(t.Context(), b), w.Put(t.Context(), sample("日本.md", "common 日本語")), w.Remove(t.Context(), "gone.go"),
		w.Touch(t.Context(), index.Known{Path: "a.go", Size: 5, ModTime: time.Unix(1_800_000_000, 1)}), w.Commit(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a := mustAsk(t, ix)
	if len(a.Files) != 3 || len(a.Found.Candidates) != 5 || len(a.Similar.Candidates) != 5 || len(a.Candidates) != 3 {
		t.Fatalf("the index answers %+v", a)
	}
	if err := ix.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestReopen checks that committed changes exist after reopening, and uncommitted ones
// do not.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	want := createSample(t, dir)
	for name, content := range map[string]string{"00000999.seg": "left over", "manifest.tmp": "", "other.txt": "stays"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []segment.Options{{}, {Memory: 1}} {
		ix := open(t, dir, o)
		if diff := cmp.Diff(want, mustAsk(t, ix), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after it was opened again (-want +got):\n%s", diff)
		}
		if err := ix.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left := listing(t, dir); left != "00000001.seg 00000002.seg lock manifest other.txt" {
		t.Errorf("the directory has %s", left)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestSecondProcess checks that a second Index sees commits of the first, and can write
// after it is closed.
func TestSecondProcess(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, segment.Options{})
	second := open(t, dir, segment.Options{Memory: 1})
	if _, err := second.Begin(t.Context(), index.WriteOptions{}); !errors.Is(err, index.ErrWriting) || !strings.Contains(err.Error(), "another process") {
		t.Errorf("two processes may write: %v", err)
	}
	for i := range 12 { // merges may run meanwhile
		name := fmt.Sprintf("%02d.go", i)
		commit(t, first, index.WriteOptions{}, sample(name, "common words"))
		waittest.Until(t, "the second process sees "+name, func() bool {
			a, err := ask(t.Context(), second)
			return err == nil && len(a.Files) == i+1 && len(a.Candidates) == i+1 && len(a.Found.Candidates) == i+1
		})
	}
	want := mustAsk(t, first)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	commit(t, second, index.WriteOptions{}, sample("00.go", "common words"))
	got := mustAsk(t, second)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(answers{}, "Changed")); diff != "" {
		t.Errorf("in the second process (-want +got):\n%s", diff)
	}
}

// Segments are merged in the background, and unused files are deleted.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	ix := open(t, dir, segment.Options{})
	for i := range 40 {
		commit(t, ix, index.WriteOptions{}, sample(fmt.Sprintf("%02d.go", i%30), "common words", fmt.Sprint("own", i)))
	}
	waittest.Until(t, "parts are merged", func() bool { return strings.Count(listing(t, dir), ".seg") < 8 })
	a := mustAsk(t, ix)
	if len(a.Files) != 30 || len(a.Candidates) != 30 || len(a.Similar.Candidates) != 50 {
		t.Errorf("after merging there are %d files, %d candidates, %d similar", len(a.Files), len(a.Candidates), len(a.Similar.Candidates))
	}
	for i := range 40 {
		found, err := ix.Search(t.Context(), index.Query{Terms: []index.Term{{Words: []string{fmt.Sprint("own", i)}}}})
		if want := min(i/10, 1); err != nil || len(found.Candidates) != want {
			t.Errorf("own%d is found %d times (%v), want %d", i, len(found.Candidates), err, want)
		}
	}
	if err := ix.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, segment.Options{})
	if diff := cmp.Diff(a, mustAsk(t, again)); diff != "" {
		t.Errorf("after it was opened again (-want +got):\n%s", diff)
	}
}

func logTo(b *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

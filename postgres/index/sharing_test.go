package index_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/postgres/index"
	search "github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// sample is a file of one piece with these words.
func sample(path, version, words string) search.File {
	text := []byte(words)
	end := int32(len(text))
	return search.File{
		Path: path, Hash: sha256.Sum256(text), Size: int64(len(text)), ModTime: time.Unix(1e9, 0), Language: "text", Version: version, Text: text, Verbatim: true,
		Pieces: []search.Piece{{Kind: "file", Name: path, Range: search.Span{End: end}, Own: []search.Span{{End: end}}, StartLine: 1, EndLine: 1, Prints: []uint32{1, 2, 3}}},
	}
}

func begin(t testing.TB, ix search.Index, o search.WriteOptions) search.Writer {
	t.Helper()
	w, err := ix.Begin(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func put(t testing.TB, w search.Writer, files ...search.File) {
	t.Helper()
	for _, f := range files {
		if err := w.Put(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t testing.TB, ix search.Index, files ...search.File) {
	t.Helper()
	w := begin(t, ix, search.WriteOptions{})
	put(t, w, files...)
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// pathsWith are the files that are found by a word.
func pathsWith(ctx context.Context, ix search.Index, word string) ([]string, error) {
	found, err := ix.Search(ctx, search.Query{Terms: []search.Term{{Words: []string{word}}}, Limit: 1000})
	var paths []string
	for _, c := range found.Candidates {
		paths = append(paths, c.File.Path)
	}
	slices.Sort(paths)
	return paths, err
}

func finds(t testing.TB, ix search.Index, word string, want ...string) {
	t.Helper()
	var got []string
	waittest.Until(t, "other files are found by "+word, func() bool {
		var err error
		got, err = pathsWith(t.Context(), ix, word)
		return err == nil && slices.Equal(got, want)
	})
}

// Servers find the commits of others. One of them writes at a time, and the others wait or
// get an error with its name.
func TestServersShare(t *testing.T) {
	address := server.Database(t)
	a := open(t, connect(t, address+" application_name=alpha"), "p", index.Options{})
	b := open(t, connect(t, address), "p", index.Options{Wait: -1})
	c := open(t, connect(t, address), "p", index.Options{Wait: time.Minute})
	other := open(t, connect(t, address), "other", index.Options{})

	w := begin(t, a, search.WriteOptions{})
	if _, err := b.Begin(t.Context(), search.WriteOptions{}); !errors.Is(err, search.ErrWriting) || !strings.Contains(err.Error(), "alpha") {
		t.Errorf("while alpha writes: %v", err)
	}
	commit(t, other, sample("other", "1", "common")) // a project of its own
	waited := make(chan error, 1)
	t.Cleanup(func() { <-waited })
	go func() {
		w, err := c.Begin(context.WithoutCancel(t.Context()), search.WriteOptions{})
		if err == nil {
			err = errors.Join(w.Put(context.Background(), sample("c", "1", "common")), w.Commit(context.Background()))
		}
		waited <- err
		close(waited)
	}()
	put(t, w, sample("a", "1", "common"))
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Fatalf("who has waited: %v", err)
	}
	for _, ix := range []search.Index{a, b, c} {
		finds(t, ix, "common", "a", "c")
	}
	finds(t, other, "common", "other")
}

// A server without its connection has lost the lock, and does not overwrite later commits
// of another server.
func TestCommit_LockLost(t *testing.T) {
	address := server.Database(t)
	a, b := open(t, connect(t, address), "p", index.Options{}), open(t, connect(t, address), "p", index.Options{})
	w := begin(t, a, search.WriteOptions{Replace: true})
	put(t, w, sample("a", "1", "common"))
	sql(t, address, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`)
	commit(t, b, sample("b", "1", "common"))
	if err := w.Commit(t.Context()); err == nil {
		t.Error("a commit without the lock succeeds")
	}
	finds(t, a, "common", "b")
	commit(t, a, sample("a", "1", "common"))
	finds(t, b, "common", "a", "b")
}

func sql(t testing.TB, address, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// A server that reads page by page finds the new segments when its known segments are deleted.
func TestIndex_DeleteSegments(t *testing.T) {
	address := server.Database(t)
	db := connect(t, address)
	a, b := open(t, db, "p", index.Options{}), open(t, db, "p", index.Options{Segment: segment.Options{Memory: 1}})
	commit(t, a, sample("old", "1", "common"))
	finds(t, b, "common", "old")
	w := begin(t, a, search.WriteOptions{Replace: true})
	put(t, w, sample("new", "1", "common"))
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	sql(t, address, "DELETE FROM dougu.search_segments WHERE retired IS NOT NULL")
	finds(t, b, "common", "new")
}

// Merged and aborted segments, and the remains of a crash, are deleted.
func TestIndex_NoRowsLeft(t *testing.T) {
	address := server.Database(t)
	db := connect(t, address)
	ix := open(t, db, "p", index.Options{})
	var want []string
	for i := range 12 {
		name := string(rune('a' + i))
		commit(t, ix, sample(name, "1", "common"))
		want = append(want, name)
	}
	w := begin(t, ix, search.WriteOptions{})
	put(t, w, sample("never", "1", "common"))
	w.Abort()
	sql(t, address, "INSERT INTO dougu.search_segments (project, number) SELECT id, 999 FROM dougu.projects")
	waittest.Until(t, "the segments are merged", func() bool { return segments(t, address, "committed AND retired IS NULL") <= 4 })
	sql(t, address, "UPDATE dougu.search_segments SET retired = retired - interval '1 hour'")
	// A writer that begins during a merge takes over its lock, and does not sweep.
	waittest.Until(t, "who takes the lock sweeps", func() bool {
		begin(t, ix, search.WriteOptions{}).Abort()
		return segments(t, address, "true") <= 4
	})
	finds(t, ix, "common", want...)
	if err := db.Forget(t.Context(), "p"); err != nil {
		t.Error(err)
	}
}

// segments is how many there are in the database.
func segments(t testing.TB, address, which string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM dougu.search_segments WHERE "+which).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

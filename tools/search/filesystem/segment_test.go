package filesystem_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// finds returns the path of the best piece for a query.
func finds(t *testing.T, f *filesystem.Filesystem, query string) string {
	t.Helper()
	q := rank.Parse(query)
	found, err := f.Index().Search(t.Context(), q.Index(index.Filter{}, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rank.Order(q, found, rank.Options{}) {
		return r.File.Path
	}
	return ""
}

// TestRefresh_SegmentIndex checks that a new process reads no unchanged file again.
func TestRefresh_SegmentIndex(t *testing.T) {
	p := newProject(t, map[string]string{
		"queue.go": "package queue\n\nfunc Enqueue() {}\n",
		"設定.md":    "# 設定\n\n通知を止める。\n",
		"sjis.txt": "\x83\x70\x83\x58\x83\x8f\x81\x5b\x83\x68\x82\xf0\x95\xcf\x8d\x58\x82\xb5\x82\xdc\x82\xb7\n",
	})
	kept := filepath.Join(t.TempDir(), "index")
	open := func(interval time.Duration) *filesystem.Filesystem {
		x, err := segment.Open(t.Context(), kept, segment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p.files(filesystem.Options{Index: x, Parsers: builtin.Parsers(builtin.Options{}), Interval: interval, Quiet: time.Millisecond})
	}
	f := open(-1)
	if got, want := counts(p.refresh(f, plugin.RefreshOptions{})), [5]int{3, 3, 0, 0, 0}; got != want {
		t.Errorf("the first time: %v, want %v", got, want)
	}
	for query, want := range map[string]string{"Enqueue": "queue.go", "通知": "設定.md", "パスワード": "sjis.txt"} {
		if got := finds(t, f, query); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if text, _, err := f.Read(t.Context(), "sjis.txt"); err != nil || string(text) != "パスワードを変更します\n" {
		t.Errorf("Read: %q, %v", text, err)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	f = open(-1)
	if got, want := counts(p.refresh(f, plugin.RefreshOptions{})), [5]int{3, 0, 0, 0, 3}; got != want {
		t.Errorf("the second time: %v, want %v", got, want)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	f = open(time.Hour)
	waittest.Until(p, "the files are watched", func() bool { return f.Status().Watching })
	p.now("queue.go", "package queue\n\nfunc Dequeue() {}\n")
	waittest.Until(p, "a change is found", func() bool { return finds(t, f, "Dequeue") == "queue.go" })
	// A recently modified file is compared by content once more.
	p.write("queue.go", "package queue\n\nfunc Dequeue() {}\n")
	waittest.Until(p, "its time is noted", func() bool {
		p.refresh(f, plugin.RefreshOptions{})
		known, ok, err := f.Index().Lookup(t.Context(), "queue.go")
		return err == nil && ok && time.Since(known.ModTime) > time.Minute
	})
}

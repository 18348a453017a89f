package corpus_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/bench/search/queries"
)

// Every query belongs to a repository.
func TestAll(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range corpus.All() {
		names = append(names, r.Name)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the repositories are %q", names)
	}
	all, err := queries.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if !slices.Contains(names, q.Repo) {
			t.Errorf("%s: there is no repository %s", q.ID, q.Repo)
		}
	}
}

// The labels of the Go tree exist in the installed Go sources. Other repositories are downloaded; -parts labels checks them.
func TestGo(t *testing.T) {
	t.Parallel()
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("another Go has other sources")
	}
	var dir string
	for _, r := range corpus.All() {
		if r.Name == "go" {
			var err error
			if dir, err = r.Dir(t.Output()); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := queries.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		for _, l := range q.Relevant {
			if q.Repo != "go" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(l.Path)))
			if err != nil || !l.OccursIn(content) {
				t.Errorf("%s: %s does not have %q: %v", q.ID, l.Path, l.At, err)
			}
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b/a.go": "package a", "a.go": "package a", "empty.go": "", ".git/config": "x", ".hidden": "x",
		"large.txt": strings.Repeat("x", corpus.MaxFile+1),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := corpus.Files(dir)
	if want := []string{".hidden", "a.go", "b/a.go"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
	if !corpus.IsText([]byte("text")) || corpus.IsText([]byte("a\x00b")) {
		t.Error("what is text is not told")
	}
}

package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/git"
)

func TestOverview(t *testing.T) {
	w := newTree(t)
	open := func() *git.Repository {
		t.Helper()
		r, err := git.Open(t.Context(), w.dir)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	w.git("checkout", "--quiet", "-b", "main")
	if head, _, err := open().Overview(t.Context(), false); err != nil || head.Commit != "" || head.Branch != "main" {
		t.Errorf("without a commit: %+v, %v", head, err)
	}
	w.write("a.txt", "one\n")
	w.commit("first")
	w.git("checkout", "--quiet", "-b", "work", "--track", "main")
	w.write("a.txt", "two\n")
	w.commit("second")
	w.write("b.txt", "new\n")
	head, entries, err := open().Overview(t.Context(), true)
	if err != nil || head.Branch != "work" || head.Upstream != "main" || head.Ahead != 1 || head.Behind != 0 || len(head.Commit) != 40 {
		t.Errorf("on a branch: %+v, %v", head, err)
	}
	if len(entries) != 1 || !entries[0].Untracked() {
		t.Errorf("entries %+v", entries)
	}
	w.git("checkout", "--quiet", "--detach")
	if head, _, err := open().Overview(t.Context(), false); err != nil || head.Branch != "" || head.Commit == "" {
		t.Errorf("detached: %+v, %v", head, err)
	}
}

func TestLog(t *testing.T) {
	w := newTree(t)
	r, err := git.Open(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if commits, err := r.Log(t.Context(), 5); err != nil || len(commits) != 0 {
		t.Errorf("without a commit: %v, %v", commits, err)
	}
	for _, message := range []string{"first", "second: 二番目", "third"} {
		w.write("a.txt", message)
		w.commit(message)
	}
	commits, err := r.Log(t.Context(), 2)
	if err != nil || len(commits) != 2 {
		t.Fatalf("%v, %v", commits, err)
	}
	if c := commits[1]; c.Subject != "second: 二番目" || c.Author != "Test" || len(c.Hash) != 40 || c.Time.IsZero() {
		t.Errorf("%+v", c)
	}
}

func TestDiff(t *testing.T) {
	w := newTree(t, "sub/a.txt", "sub/b.txt", "other.txt")
	// Options of the repository for differences have no effect.
	w.write(".gitattributes", "*.txt diff=evil\n")
	w.git("config", "diff.evil.command", "touch "+w.dir+"/evil")
	w.git("config", "diff.evil.textconv", "touch "+w.dir+"/evil")
	w.write("sub/a.txt", "second\n")
	w.write("sub/b.txt", "second\n")
	w.write("other.txt", "second\n")
	w.git("rm", "--quiet", "--force", "sub/b.txt")
	r, err := git.Open(t.Context(), w.dir+"/sub")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := r.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := r.Changed(t.Context(), commit)
	if err != nil || len(changes) != 2 || changes[0] != (git.Change{Path: "a.txt", Kind: "edited"}) || changes[1] != (git.Change{Path: "b.txt", Kind: "deleted"}) {
		t.Errorf("%v, %v", changes, err)
	}
	diff, err := r.Diff(t.Context(), commit, "a.txt")
	if err != nil || !strings.Contains(diff, "-first\n+second\n") || strings.Contains(diff, "b.txt") {
		t.Errorf("%q, %v", diff, err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "evil")); err == nil {
		t.Error("a program of the repository was run")
	}
	for _, name := range []string{"", "--output=x", "nothing", "HEAD\nHEAD", ".."} {
		if got, err := r.Resolve(t.Context(), name); !errors.Is(err, git.ErrNoRevision) {
			t.Errorf("Resolve(%q): %q, %v", name, got, err)
		}
	}
}

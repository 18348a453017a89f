package git_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/internal/git"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a work tree in a test.
type tree struct {
	t   testing.TB
	dir string
}

// newTree creates a repository with some committed files.
func newTree(t testing.TB, files ...string) tree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := tree{t, dir}
	w.git("init", "--quiet")
	for _, name := range files {
		w.write(name, "first\n")
	}
	if len(files) > 0 {
		w.commit("first")
	}
	return w
}

func (w tree) git(args ...string) {
	w.t.Helper()
	w.gitIn(".", args...)
}

func (w tree) gitIn(dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Dir = filepath.Join(w.dir, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (w tree) commit(message string) {
	w.t.Helper()
	w.git("add", "--all")
	w.git("commit", "--quiet", "--message", message)
}

func (w tree) write(name, content string) {
	w.t.Helper()
	name = filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w tree) append(name, text string) {
	w.t.Helper()
	old, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, string(old)+text)
}

func (w tree) remove(name string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
		w.t.Fatal(err)
	}
}

func (w tree) open(in string) *git.Repository {
	w.t.Helper()
	r, err := git.Open(w.t.Context(), filepath.Join(w.dir, in))
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func TestOpen_Worktree(t *testing.T) {
	w := newTree(t, "a.txt", "sub dir/b.txt")
	if r := w.open("."); r.Top() != w.dir || r.Prefix() != "" {
		t.Errorf("the tree is %s, %s", r.Top(), r.Prefix())
	}
	if r := w.open("sub dir"); r.Top() != w.dir || r.Prefix() != "sub dir/" {
		t.Errorf("the tree is %s, %s", r.Top(), r.Prefix())
	}
	if _, err := git.Open(t.Context(), t.TempDir()); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("a directory outside of any: %v", err)
	}
	if _, err := git.Open(t.Context(), filepath.Join(w.dir, ".git")); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("git's own files: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := git.Open(t.Context(), w.dir); !errors.Is(err, git.ErrNoGit) {
		t.Errorf("without git: %v", err)
	}
}

func TestStatus(t *testing.T) {
	w := newTree(t, "edited.txt", "staged.txt", "gone.txt", "same.txt", "in/dex.txt", ".gitignore")
	w.write(".gitignore", "*.log\n")
	w.commit("ignore")
	w.write("edited.txt", "second\n")
	w.write("staged.txt", "second\n")
	w.git("add", "staged.txt")
	w.remove("gone.txt")
	w.git("rm", "--quiet", "in/dex.txt")
	w.write("new/日本 語.txt", "new\n")
	w.write("added.txt", "new\n")
	w.git("add", "added.txt")
	w.write("trace.log", "ignored\n")
	commit, entries, err := w.open("new").Status(t.Context(), false)
	if err != nil || len(commit) < 40 {
		t.Fatalf("commit %q, %v", commit, err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%c%c %v %v %s", e.Index, e.Tree, e.Committed, e.Deleted(), e.Path))
	}
	want := []string{
		"A. false false added.txt", ".M true false edited.txt", ".D true true gone.txt", "D. true true in/dex.txt", "M. true false staged.txt",
		"?? false false new/日本 語.txt",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, here, err := w.open("new").Status(t.Context(), true)
	if err != nil || len(here) != 1 || !here[0].Untracked() {
		t.Errorf("in a directory there is %+v, %v", here, err)
	}
}

// No program of a repository runs.
func TestRepository_NoPrograms(t *testing.T) {
	w := newTree(t, "a.txt")
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\ntouch " + ran + "\n"
	for _, hook := range []string{"post-checkout", "post-index-change", "fsmonitor"} {
		w.write(".git/hooks/"+hook, script)
		if err := os.Chmod(filepath.Join(w.dir, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.git("config", "core.fsmonitor", filepath.Join(w.dir, ".git/hooks/fsmonitor"))
	w.git("config", "core.pager", filepath.Join(w.dir, ".git/hooks/fsmonitor"))
	if err := os.Remove(ran); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	w.write("a.txt", "second\n")
	r := w.open(".")
	if _, _, err := r.Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := r.AddWorktree(t.Context(), filepath.Join(t.TempDir(), "tree"), "branch"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something was run")
	}
}

func TestSince(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before func(w tree)
		then   func(w tree)
		want   string
	}{
		{"nothing", nil, func(tree) {}, ""},
		{"edited, created, deleted", nil, func(w tree) {
			w.write("a.txt", "second\n")
			w.write("n/new.txt", "new\n")
			w.remove("b.txt")
		}, "edited a.txt, deleted b.txt, created n/new.txt"},
		{"the same content again", nil, func(w tree) { w.write("a.txt", "first\n") }, ""},
		{"a dirty file is left alone", func(w tree) { w.write("a.txt", "mine\n"); w.write("u.txt", "mine\n") }, func(tree) {}, ""},
		{"a dirty file is edited", func(w tree) { w.write("a.txt", "mine\n"); w.write("u.txt", "mine\n") }, func(w tree) {
			w.write("a.txt", "yours\n")
			w.write("u.txt", "yours\n")
		}, "edited a.txt, edited u.txt"},
		{"a dirty file is undone", func(w tree) { w.write("a.txt", "mine\n") }, func(w tree) { w.git("checkout", "--", "a.txt") }, "edited a.txt"},
		{"an unknown file is deleted", func(w tree) { w.write("u.txt", "mine\n") }, func(w tree) { w.remove("u.txt") }, "deleted u.txt"},
		{"a deleted file comes back", func(w tree) { w.remove("a.txt") }, func(w tree) { w.git("checkout", "--", "a.txt") }, "created a.txt"},
		{"work is committed", nil, func(w tree) {
			w.write("a.txt", "second\n")
			w.write("new.txt", "new\n")
			w.remove("b.txt")
			w.commit("second")
		}, "edited a.txt, deleted b.txt, created new.txt"},
		{"what was there is committed as it was", func(w tree) { w.write("u.txt", "mine\n"); w.write("a.txt", "mine\n") }, func(w tree) { w.commit("second") }, ""},
		{"committed, and edited again", nil, func(w tree) {
			w.write("a.txt", "second\n")
			w.commit("second")
			w.write("a.txt", "third\n")
			w.write("c.txt", "third\n")
		}, "edited a.txt, created c.txt"},
		{"staged only", nil, func(w tree) { w.write("new.txt", "new\n"); w.git("add", "new.txt") }, "created new.txt"},
		{"forgotten by git, but there", nil, func(w tree) { w.git("rm", "--quiet", "--cached", "a.txt") }, "edited a.txt"},
		{"renamed", nil, func(w tree) { w.git("mv", "a.txt", "z.txt") }, "deleted a.txt, created z.txt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newTree(t, "a.txt", "b.txt")
			if tc.before != nil {
				tc.before(w)
			}
			r := w.open(".")
			snapshot, err := r.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tc.then(w)
			checkSince(t, r, snapshot, tc.want)
		})
	}
}

func checkSince(t *testing.T, r *git.Repository, snapshot *git.Snapshot, want string) {
	t.Helper()
	changes, err := r.Since(t.Context(), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.Kind+" "+c.Path)
	}
	if said := strings.Join(got, ", "); said != want {
		t.Errorf("got %q, want %q", said, want)
	}
}

// The first commit can come after the snapshot.
func TestSince_FirstCommit(t *testing.T) {
	w := newTree(t)
	w.write("old.txt", "old\n")
	r := w.open(".")
	snapshot, err := r.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.write("new.txt", "new\n")
	checkSince(t, r, snapshot, "created new.txt")
	w.commit("first")
	checkSince(t, r, snapshot, "created new.txt")
	if err := newTree(t).open(".").AddWorktree(t.Context(), filepath.Join(t.TempDir(), "tree"), "branch"); !errors.Is(err, git.ErrNoCommit) {
		t.Errorf("a work tree without a commit: %v", err)
	}
}

func TestRemoveWorktree_UnmergedCommits(t *testing.T) {
	for _, tc := range []struct {
		name string
		then func(w, other tree)
		kept string
	}{
		{"untouched", func(w, other tree) {}, ""},
		{"dirty", func(w, other tree) { other.write("new.txt", "new\n") }, "1 file in it is not committed"},
		{"committed", func(w, other tree) { other.write("new.txt", "new\n"); other.commit("new") }, "not merged"},
		{"merged", func(w, other tree) {
			other.write("new.txt", "new\n")
			other.commit("new")
			w.git("merge", "--quiet", "crew/one")
		}, ""},
		{"on another branch", func(w, other tree) {
			other.git("checkout", "--quiet", "-b", "elsewhere")
			other.write("new.txt", "new\n")
			other.commit("new")
		}, "not merged"},
		{"gone", func(w, other tree) {
			if err := os.RemoveAll(other.dir); err != nil {
				w.t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newTree(t, "a.txt")
			r := w.open(".")
			other := tree{t, filepath.Join(filepath.Dir(w.dir), "other tree")}
			if err := r.AddWorktree(t.Context(), other.dir, "crew/one"); err != nil {
				t.Fatal(err)
			}
			tc.then(w, other)
			kept, err := r.RemoveWorktree(t.Context(), other.dir, "crew/one")
			if err != nil || (kept == "") != (tc.kept == "") || !strings.Contains(kept, tc.kept) {
				t.Fatalf("kept %q, %v; want %q", kept, err, tc.kept)
			}
			if _, err := os.Stat(other.dir); (err == nil) != (tc.kept != "") {
				t.Errorf("the work tree: %v", err)
			}
		})
	}
}

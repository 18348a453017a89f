package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/git"
)

func TestStatus(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"edited.txt": "a\n", "staged.txt": "a\n", "gone.txt": "gone\n", "old.txt": "some text that is long enough\n", "both.txt": "a\n", ".gitignore": "*.log\n"}})
	p.write("edited.txt", "b\n")
	p.write("staged.txt", "b\n")
	p.write("both.txt", "b\n")
	p.git("add", "staged.txt", "both.txt")
	p.write("both.txt", "c\n")
	p.git("mv", "old.txt", "new.txt")
	p.write("新しい/名前.txt", "x")
	p.write("trace.log", "x")
	if err := os.Remove(filepath.Join(p.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	r := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	want := []git.StatusFile{
		{Path: "both.txt", Staged: "modified", Changed: "modified"}, {Path: "edited.txt", Changed: "modified"}, {Path: "gone.txt", Changed: "deleted"},
		{Path: "new.txt", From: "old.txt", Staged: "renamed"}, {Path: "staged.txt", Staged: "modified"}, {Path: "新しい/", Changed: "untracked"},
	}
	if diff := cmp.Diff(want, r.Files); diff != "" {
		t.Error(diff)
	}
	if r.Branch != "main" || len(r.Commit) < 40 || r.Total != 6 || r.Counts != (git.StatusCounts{Staged: 3, Changed: 3, Untracked: 1}) {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "on branch main at ", "staged renamed: new.txt (was old.txt)", "3 staged, 3 changed, 1 untracked")
	below := must(p.Status(t.Context(), git.StatusArgs{Path: "新しい"}))(t)
	if len(below.Files) != 1 || below.Files[0].Path != "新しい/名前.txt" {
		t.Errorf("below: %+v", below.Files)
	}
}

func TestStatusOfStates(t *testing.T) {
	p := newProject(t, setup{})
	r := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	contains(t, r.TextContent(), "on branch main, which has no commit yet", "nothing is changed")

	p.write("a.txt", "a\n")
	first := p.commit("first")
	p.git("checkout", "--quiet", "--detach")
	r = must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if !r.Detached || r.Commit != first {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "detached")
	p.git("checkout", "--quiet", "main")

	bare := p.origin()
	other := p.other(bare)
	p.commitIn(other, "b.txt", "b\n")
	p.gitIn(other, "push", "--quiet")
	p.git("fetch", "--quiet")
	p.write("c.txt", "c\n")
	p.commit("third")
	r = must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if r.Upstream != "origin/main" || r.Ahead != 1 || r.Behind != 1 {
		t.Errorf("%+v", r)
	}
}

// The list has a budget.
func TestStatusOfManyFiles(t *testing.T) {
	p := newProject(t, setup{limits: tools.Limits{Answer: 4096}, files: map[string]string{"a": "a"}})
	for i := range 3000 {
		p.write(fmt.Sprintf("many-%04d.txt", i), "x")
	}
	r := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if !r.Truncated || r.Total != 3000 || len(r.Files) == 0 || len(r.TextContent()) > 2*4096 || r.Counts.Untracked != 3000 {
		t.Errorf("%d of %d, %v", len(r.Files), r.Total, r.Counts)
	}
}

func TestWhichRepository(t *testing.T) {
	p := newProject(t, setup{bare: true})
	_, err := p.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "NOT_A_REPOSITORY", "in no git repository of the project")

	// One in the project, and one above it, which is not used.
	p.git("init", "--quiet", "inner")
	p.write("inner/sub/a.txt", "a\n")
	r := must(p.Status(t.Context(), git.StatusArgs{Where: git.Where{Repository: "inner/sub"}}))(t)
	if len(r.Files) != 1 || r.Files[0].Path != "inner/sub/" {
		t.Errorf("%+v", r.Files)
	}
	above := newProject(t, setup{files: map[string]string{"sub/a.txt": "a\n", "secret.txt": "s\n"}})
	above.dir = filepath.Join(above.dir, "sub")
	above.reopen(setup{})
	_, err = above.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "NOT_A_REPOSITORY")
	for path, code := range map[string]string{"../x": "PERMISSION_DENIED", "none": "FILE_NOT_FOUND", "a.txt": "NOT_A_DIRECTORY"} {
		_, err = above.Status(t.Context(), git.StatusArgs{Where: git.Where{Repository: path}})
		wants(t, err, code)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = p.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "GIT_MISSING")
}

// Work trees and submodules whose own files are elsewhere are used if these know of them.
func TestWorktreesAndSubmodules(t *testing.T) {
	main := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	tree := filepath.Join(realDir(t), "tree")
	main.git("worktree", "add", "--quiet", "-b", "side", tree)
	main.dir = tree
	main.reopen(setup{})
	r := must(main.Status(t.Context(), git.StatusArgs{}))(t)
	if r.Branch != "side" {
		t.Errorf("%+v", r)
	}
	main.write("b.txt", "b\n")
	c := must(main.Commit(t.Context(), git.CommitArgs{Message: "in the tree", Paths: []string{"b.txt"}}))(t)
	if c.Branch != "side" || c.TotalFiles != 1 {
		t.Errorf("%+v", c)
	}

	lib := newProject(t, setup{files: map[string]string{"lib.txt": "l\n"}})
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "lib")
	p.commit("add lib")
	p.write("lib/lib.txt", "changed\n")
	in := git.Where{Repository: "lib"}
	must(p.Commit(t.Context(), git.CommitArgs{Where: in, Message: "in lib", All: true}))(t)
	r = must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if len(r.Files) != 1 || !r.Files[0].Submodule || r.Files[0].Path != "lib" {
		t.Errorf("%+v", r.Files)
	}
	d := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	contains(t, d.Patch, "Subproject commit")
	must(p.Commit(t.Context(), git.CommitArgs{Message: "lib", Paths: []string{"lib"}}))(t)

	// A file .git that leads to what does not know of it.
	evil := newProject(t, setup{bare: true})
	evil.write(".git", "gitdir: "+filepath.Join(p.dir, ".git")+"\n")
	_, err := evil.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "UNSAFE_REPOSITORY", "does not know of this work tree")
}

// What git calls files may be in any encoding.
func TestNamesInShiftJIS(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a": "a"}})
	name := "\x93\xfa\x96\x7b\x8c\xea.txt" // 日本語.txt
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte("x\n"), 0o644); err != nil {
		t.Skip("the file system has names in UTF-8 alone")
	}
	r := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if len(r.Files) != 1 || !strings.HasSuffix(r.Files[0].Path, ".txt") {
		t.Fatalf("%+v", r.Files)
	}
	c := must(p.Commit(t.Context(), git.CommitArgs{Message: "add", Paths: []string{"."}}))(t)
	if c.TotalFiles != 1 {
		t.Errorf("%+v", c)
	}
}

func TestReadOnly(t *testing.T) {
	p := newProject(t, setup{readOnly: true, files: map[string]string{"a": "a"}})
	p.write("a", "b")
	must(p.Status(t.Context(), git.StatusArgs{}))(t)
	must(p.Branch(t.Context(), git.BranchArgs{}))(t)
	for name, call := range map[string]func() error{
		"commit": func() error { _, err := p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true}); return err },
		"create": func() error {
			_, err := p.Branch(t.Context(), git.BranchArgs{Action: "create", Name: "x"})
			return err
		},
		"delete": func() error {
			_, err := p.Branch(t.Context(), git.BranchArgs{Action: "delete", Name: "main"})
			return err
		},
		"pull": func() error { _, err := p.Pull(t.Context(), git.PullArgs{}); return err },
		"push": func() error { _, err := p.Push(t.Context(), git.PushArgs{}); return err },
	} {
		t.Log(name)
		wants(t, call(), "PERMISSION_DENIED", "read-only")
	}
}

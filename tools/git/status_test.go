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

func TestStatus_InProgress(t *testing.T) {
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
	if r.Upstream != "origin/main" || *r.Ahead != 1 || *r.Behind != 1 {
		t.Errorf("%+v", r)
	}
}

// The list has a budget.
func TestStatus_Budget(t *testing.T) {
	p := newProject(t, setup{limits: tools.Limits{Answer: 4096}, files: map[string]string{"a": "a"}})
	for i := range 3000 {
		p.write(fmt.Sprintf("many-%04d.txt", i), "x")
	}
	r := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if !r.Truncated || r.Total != 3000 || len(r.Files) == 0 || len(r.TextContent()) > 2*4096 || r.Counts.Untracked != 3000 {
		t.Errorf("%d of %d, %v", len(r.Files), r.Total, r.Counts)
	}
}

func TestOpen_Selection(t *testing.T) {
	p := newProject(t, setup{bare: true})
	_, err := p.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "NOT_A_REPOSITORY", "in no git repository")

	p.git("init", "--quiet", "inner")
	p.write("inner/sub/a.txt", "a\n")
	r := must(p.Status(t.Context(), git.StatusArgs{Where: git.Where{Repository: "inner/sub"}}))(t)
	if len(r.Files) != 1 || r.Files[0].Path != "inner/sub/" {
		t.Errorf("%+v", r.Files)
	}
	for path, code := range map[string]string{"../x": "PERMISSION_DENIED", "none": "FILE_NOT_FOUND", "inner/sub/a.txt": "NOT_A_DIRECTORY"} {
		_, err = p.Status(t.Context(), git.StatusArgs{Where: git.Where{Repository: path}})
		wants(t, err, code)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = p.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "GIT_MISSING")
}

// Worktrees and submodules are accepted if their own files name the worktree.
func TestOpen_WorktreesAndSubmodules(t *testing.T) {
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

	// A .git file names a directory that does not name the worktree.
	evil := newProject(t, setup{bare: true})
	evil.write(".git", "gitdir: "+filepath.Join(p.dir, ".git")+"\n")
	_, err := evil.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "UNSAFE_REPOSITORY", "does not know of this work tree")
}

// File names of git can be in any encoding.
func TestStatus_ShiftJISNames(t *testing.T) {
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

func TestTools_ReadOnlyRoot(t *testing.T) {
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

// A package of a monorepo is a project: the tools show its files only.
func TestOpen_PackageOfMonorepo(t *testing.T) {
	p := newProject(t, setup{options: local, files: map[string]string{"packages/a/a.go": "package a\n", "packages/b/b.go": "package b\n", "top.txt": "secret\n"}})
	p.origin()
	p.write("packages/b/b.go", "package b // changed\n")
	p.git("add", "packages/b/b.go")
	p.git("commit", "--quiet", "--message", "on b")
	p.write("packages/b/b.go", "package b // again\n")
	p.write("packages/b/new.go", "package b\n")
	whole := p.dir
	p.dir = filepath.Join(p.dir, "packages", "a")
	p.reopen(setup{options: local})
	p.write("a.go", "package a // changed\n")
	p.write("sub/new.go", "package sub\n")

	s := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	want := []git.StatusFile{{Path: "a.go", Changed: "modified"}, {Path: "sub/", Changed: "untracked"}}
	if diff := cmp.Diff(want, s.Files); diff != "" || s.Part != "packages/a" {
		t.Errorf("part %q: %s", s.Part, diff)
	}
	contains(t, s.TextContent(), "the project is only packages/a of the repository")
	d := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	contains(t, d.TextContent(), "modified a.go +1 -1", "untracked sub/", "+++ b/a.go")
	lacks(t, d.TextContent(), "packages/b", "again")
	d = must(p.Diff(t.Context(), git.DiffArgs{Paths: []string{"sub"}}))(t)
	contains(t, d.TextContent(), "untracked sub/new.go")
	l := must(p.Log(t.Context(), git.LogArgs{Files: true}))(t)
	contains(t, l.TextContent(), "first", "A a.go")
	lacks(t, l.TextContent(), "on b", "b.go")
	b := must(p.Blame(t.Context(), git.BlameArgs{Path: "a.go"}))(t)
	contains(t, b.TextContent(), "not committed")

	must(p.Branch(t.Context(), git.BranchArgs{Action: "create", Name: "topic", Switch: true}))(t)
	c := must(p.Commit(t.Context(), git.CommitArgs{Message: "in a", Paths: []string{"."}}))(t)
	if c.TotalFiles != 2 || c.Files[0].Path != "a.go" || c.Branch != "topic" {
		t.Errorf("%+v", c)
	}
	if got := p.gitIn(whole, "status", "--short"); got != "M packages/b/b.go\n?? packages/b/new.go" {
		t.Errorf("the rest is %q", got)
	}
	p.gitIn(whole, "add", "packages/b/b.go")
	p.write("a.go", "package a // more\n")
	p.git("add", "a.go")
	_, err := p.Commit(t.Context(), git.CommitArgs{Message: "staged"})
	wants(t, err, "OUTSIDE_PROJECT", "packages/a", "paths")
	must(p.Commit(t.Context(), git.CommitArgs{Message: "all of a", All: true}))(t)
	if got := p.gitIn(whole, "show", "--format=", "--name-only"); got != "packages/a/a.go" {
		t.Errorf("the commit has %q", got)
	}
	if r := must(p.Push(t.Context(), git.PushArgs{SetUpstream: true}))(t); r.Outcome != "created" {
		t.Errorf("%+v", r)
	}
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "switch", Name: "main"})
	wants(t, err, "OUTSIDE_PROJECT", "switching")
	_, err = p.Pull(t.Context(), git.PullArgs{})
	wants(t, err, "OUTSIDE_PROJECT", "pulling")
	_, err = p.Diff(t.Context(), git.DiffArgs{Paths: []string{"../b/*.go"}})
	wants(t, err, "PERMISSION_DENIED")
}

// A repository above without files of the project is not used.
func TestOpen_IgnoredByRepositoryAbove(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{".gitignore": "/sub/\n", "a.txt": "a\n"}})
	p.write("sub/b.txt", "b\n")
	p.dir = filepath.Join(p.dir, "sub")
	p.reopen(setup{})
	_, err := p.Status(t.Context(), git.StatusArgs{})
	wants(t, err, "NOT_A_REPOSITORY")
}

// A changed mode is named, by status, difference and commit.
func TestStatus_ModeChange(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"run.sh": "#!/bin/sh\n", "b.txt": "b\n"}})
	p.git("update-index", "--chmod=+x", "run.sh")
	r := must(p.Diff(t.Context(), git.DiffArgs{Staged: true}))(t)
	if len(r.Files) != 1 || r.Files[0].Mode != "100644 → 100755" {
		t.Errorf("%+v", r.Files)
	}
	contains(t, r.TextContent(), "modified run.sh [mode 100644 → 100755] +0 -0")
	if err := os.Chmod(filepath.Join(p.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if p.git("config", "core.fileMode") != "true" {
		t.Skip("the file system has no modes")
	}
	s := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	contains(t, s.TextContent(), "staged modified, mode 100644 → 100755: run.sh")
	c := must(p.Commit(t.Context(), git.CommitArgs{Message: "executable"}))(t)
	contains(t, c.TextContent(), "run.sh [mode 100644 → 100755]")
}

// A path or pattern without files is reported and does not appear unchanged.
func TestStatus_UnmatchedPath(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.go": "a\n", ".gitignore": "*.log\n"}})
	p.write("trace.log", "x\n")
	for _, path := range []string{"none.go", "*.ts", "trace.log", "src/"} {
		s := must(p.Status(t.Context(), git.StatusArgs{Path: path}))(t)
		contains(t, s.TextContent(), "git knows no file that matches "+path)
		lacks(t, s.TextContent(), "nothing is changed")
	}
	for _, path := range []string{"a.go", "*.go", "."} {
		s := must(p.Status(t.Context(), git.StatusArgs{Path: path}))(t)
		contains(t, s.TextContent(), "nothing is changed")
	}
	p.write("a.go", "b\n")
	p.write("sub/z.go", "z\n")
	s := must(p.Status(t.Context(), git.StatusArgs{Path: "*.go"}))(t)
	contains(t, s.TextContent(), "modified: a.go", "untracked: sub/z.go")
	_, err := p.Log(t.Context(), git.LogArgs{Path: "*.go"})
	wants(t, err, "INVALID_PARAMS", "patterns are not supported")
	_, err = p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"*.ts"}})
	wants(t, err, "NOTHING_TO_COMMIT", "no file that matches")
	c := must(p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"*.go"}}))(t)
	if c.TotalFiles != 2 {
		t.Errorf("%+v", c.Files)
	}
}

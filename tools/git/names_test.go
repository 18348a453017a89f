package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/git"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// File names can be unusable in calls, and contents can be long.
func TestStatus_UnusualNames(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	strange := []string{"line\nbreak.txt", "tab\there.txt", "quote\".txt", "back\\slash.txt", "-rf", ":(top)x", "*.txt", "dir/.env\x01", "id_rsa\n", "esc\x1b[31m.txt", "sjis-\x83\x65\x83\x58\x83\x67.txt", " lead", "trail "}
	for _, name := range strange {
		full := filepath.Join(p.dir, name)
		must0(t, os.MkdirAll(filepath.Dir(full), 0o755))
		if err := os.WriteFile(full, []byte("content of "+strings.TrimSpace(name)+"\n"), 0o644); err != nil {
			t.Skip("the file system does not have such names")
		}
	}
	s := must(p.Status(t.Context(), git.StatusArgs{Path: "."}))(t)
	if s.Total != len(strange) {
		t.Errorf("%d files: %+v", s.Total, s.Files)
	}
	lacks(t, s.TextContent(), "\x1b", "untracked: line\nbreak")
	p.git("add", "--all")
	d := must(p.Diff(t.Context(), git.DiffArgs{Staged: true}))(t)
	if d.TotalFiles != len(strange) {
		t.Errorf("%d files", d.TotalFiles)
	}
	contains(t, d.TextContent(), "content of line", "content of -rf", `"line\nbreak.txt"`)
	lacks(t, d.Patch, "content of id_rsa")
	p.git("reset", "--quiet")
	c := must(p.Commit(t.Context(), git.CommitArgs{Message: "strange", Paths: []string{"."}}))(t)
	if c.TotalFiles+len(c.LeftOut) != len(strange) || len(c.LeftOut) == 0 {
		t.Errorf("%d files, left out %+v", c.TotalFiles, c.LeftOut)
	}
	l := must(p.Log(t.Context(), git.LogArgs{Files: true}))(t)
	lacks(t, l.TextContent(), "\x1b", "A line\nbreak")
}

func TestDiff_LongLines(t *testing.T) {
	p := newProject(t, setup{limits: tools.Limits{Answer: 3000}, files: map[string]string{"min.js": "a\n", "b.txt": "b\n"}})
	p.write("min.js", strings.Repeat("あ", 100_000)+"\n")
	p.write("b.txt", "c\n")
	seen, cursor := "", ""
	for range 10 {
		r := must(p.Diff(t.Context(), git.DiffArgs{Cursor: cursor, MaxBytes: 1000}))(t)
		if len(r.Patch) > 3000 {
			t.Fatalf("a page has %d bytes", len(r.Patch))
		}
		seen += r.Patch
		if cursor = r.Cursor; cursor == "" {
			break
		}
	}
	contains(t, seen, "[300002 bytes]", "+c")
	p.write("mixed.txt", "caf\xe9 \x00")
	p.git("add", "mixed.txt")
	contains(t, must(p.Diff(t.Context(), git.DiffArgs{Staged: true}))(t).TextContent(), "mixed.txt [binary]")
}

// A project of several directories has the files of the others by their absolute names.
func TestOpen_SeveralDirectories(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	second := newProject(t, setup{files: map[string]string{"sub/b.txt": "b\n"}})
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir, second.dir}, StateDir: t.TempDir()})
	must0(t, err)
	t.Cleanup(func() { root.Close() })
	set, err := git.New(t.Context(), tools.Env{Root: root}, git.Options{})
	must0(t, err)
	t.Cleanup(func() { must0(t, set.Close(t.Context())) })
	second.write("sub/b.txt", "changed\n")
	where := git.Where{Repository: second.dir}
	s := must(set.Status(t.Context(), git.StatusArgs{Where: where}))(t)
	if len(s.Files) != 1 || s.Files[0].Path != filepath.ToSlash(second.dir)+"/sub/b.txt" {
		t.Errorf("%+v", s.Files)
	}
	d := must(set.Diff(t.Context(), git.DiffArgs{Where: where, Paths: []string{s.Files[0].Path}}))(t)
	contains(t, d.Patch, "+changed")
	must0(t, os.Remove(filepath.Join(second.dir, "sub/b.txt")))
	must(set.Commit(t.Context(), git.CommitArgs{Where: where, Message: "gone", Paths: []string{second.dir + "/sub/b.txt"}}))(t)
	_, err = set.Diff(t.Context(), git.DiffArgs{Paths: []string{second.dir + "/sub"}})
	if err == nil {
		t.Error("a path of another repository is taken")
	}
	_, err = set.Diff(t.Context(), git.DiffArgs{Where: where, Paths: []string{"a.txt"}})
	wants(t, err, "INVALID_PARAMS", "not in the repository")
	if _, err := git.New(t.Context(), tools.Env{}, git.Options{}); err == nil {
		t.Error("there is no root")
	}
}

// The tools are called through the protocol.
func TestTools_Protocol(t *testing.T) {
	p := newProject(t, setup{bare: true})
	p.git("init", "--quiet", "inner")
	p.write("inner/a.txt", "a\n")
	got := toolsettest.Structured[git.StatusResult](t, toolsettest.Call(t, p.Git, "git_status", `{"repository":"inner"}`))
	if got.Branch != "main" || len(got.Files) != 1 || got.Files[0].Path != "inner/a.txt" {
		t.Errorf("%+v", got)
	}
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p.Git, "git_commit", `{"repository":"inner","message":"first","paths":["inner"]}`)), "added inner/a.txt")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p.Git, "git_branch", `{"repository":"inner"}`)), "* main")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p.Git, "git_log", `{"repository":"inner","limit":1}`)), ": first")
	contains(t, toolsettest.Text(t, toolsettest.Call(t, p.Git, "git_pull", `{"repository":"inner"}`)), "NO_UPSTREAM")
	for _, call := range [][2]string{{"git_log", `{"limit":0}`}, {"git_branch", `{"action":"burn"}`}, {"git_diff", `{"nothing":1}`}, {"git_blame", `{}`}} {
		if r := toolsettest.Call(t, p.Git, call[0], call[1]); !r.IsError {
			t.Errorf("%q is taken", call)
		}
	}
}

// Histories without a common commit have no merge base.
func TestDiff_UnrelatedHistories(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.git("checkout", "--quiet", "--orphan", "other")
	p.commit("other")
	_, err := p.Diff(t.Context(), git.DiffArgs{From: "main", MergeBase: true})
	wants(t, err, "UNKNOWN_REVISION", "nothing in common")
	_, err = p.Diff(t.Context(), git.DiffArgs{MergeBase: true})
	wants(t, err, "INVALID_PARAMS")
	_, err = p.Diff(t.Context(), git.DiffArgs{From: "main", To: "other", Staged: true})
	wants(t, err, "INVALID_PARAMS")
	_, err = p.Log(t.Context(), git.LogArgs{Author: "a\nb"})
	wants(t, err, "INVALID_PARAMS")
	tree := filepath.Join(realDir(t), "tree")
	p.git("worktree", "add", "--quiet", tree, "main")
	contains(t, must(p.Branch(t.Context(), git.BranchArgs{}))(t).TextContent(), "+ main ")
	_, err = p.Branch(t.Context(), git.BranchArgs{Action: "delete", Name: "other"})
	wants(t, err, "CONFIRMATION_REQUIRED")
}

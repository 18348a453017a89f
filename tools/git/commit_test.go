package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/git"
)

func TestCommit(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n", "b.txt": "b\n", "gone.txt": "g\n"}})
	p.write("a.txt", "a2\n")
	p.write("b.txt", "b2\n")
	p.write("new/c.txt", "c\n")
	p.git("add", "b.txt")
	if err := os.Remove(filepath.Join(p.dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	// Paths alone, whatever else is staged.
	r := must(p.Commit(t.Context(), git.CommitArgs{Message: "Some files\n\nBecause.", Paths: []string{"a.txt", "new", "gone.txt"}}))(t)
	if r.TotalFiles != 3 || r.Branch != "main" || r.Subject != "Some files" || r.Author != "Tester <tester@example.com>" || r.Hash != p.git("rev-parse", "HEAD") {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "committed ", "on branch main: Some files", "deleted gone.txt", "added new/c.txt +1 -0", "3 files changed")
	if got := p.git("status", "--porcelain"); got != "M  b.txt" {
		t.Errorf("left is %q", got)
	}
	if got := p.git("log", "-1", "--format=%B"); got != "Some files\n\nBecause." {
		t.Errorf("the message is %q", got)
	}
	// What is staged.
	p.write("a.txt", "a3\n")
	r = must(p.Commit(t.Context(), git.CommitArgs{Message: "# staged"}))(t)
	if r.TotalFiles != 1 || r.Files[0].Path != "b.txt" || r.Subject != "# staged" {
		t.Errorf("%+v", r)
	}
	// All that is tracked.
	p.write("untracked.txt", "u\n")
	r = must(p.Commit(t.Context(), git.CommitArgs{Message: "-m --amend", All: true}))(t)
	if r.TotalFiles != 1 || r.Files[0].Path != "a.txt" || r.Subject != "-m --amend" {
		t.Errorf("%+v", r)
	}
	before := r.Hash
	// The last commit again.
	r = must(p.Commit(t.Context(), git.CommitArgs{Amend: true, Paths: []string{"untracked.txt"}}))(t)
	if r.TotalFiles != 2 || r.Amended != before || r.Subject != "-m --amend" {
		t.Errorf("%+v", r)
	}
	r = must(p.Commit(t.Context(), git.CommitArgs{Amend: true, Message: "better"}))(t)
	if r.Subject != "better" || r.TotalFiles != 2 {
		t.Errorf("%+v", r)
	}
	if got := p.audit.Recent(2); got[0].Operation != "git_commit" || got[0].Result != "success" || got[1].Result != "started" || !strings.Contains(got[0].Params, "better") {
		t.Errorf("the audit log has %+v", got)
	}
	p.git("checkout", "--quiet", "--detach")
	p.write("a.txt", "a4\n")
	r = must(p.Commit(t.Context(), git.CommitArgs{Message: "detached", All: true}))(t)
	if !r.Detached {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "detached")
}

func TestCommit_First(t *testing.T) {
	p := newProject(t, setup{})
	p.write("a.txt", "a\n")
	_, err := p.Commit(t.Context(), git.CommitArgs{Message: "m", Amend: true})
	wants(t, err, "UNKNOWN_REVISION")
	_, err = p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true})
	wants(t, err, "NOTHING_TO_COMMIT", "Give paths")
	r := must(p.Commit(t.Context(), git.CommitArgs{Message: "first", Paths: []string{"."}}))(t)
	if r.TotalFiles != 1 || r.Branch != "main" {
		t.Errorf("%+v", r)
	}
}

func TestCommit_Refusals(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n", ".gitignore": "ignored\n"}})
	p.write("ignored", "x")
	commit := func(args git.CommitArgs) error { _, err := p.Commit(t.Context(), args); return err }
	wants(t, commit(git.CommitArgs{Message: "m"}), "NOTHING_TO_COMMIT")
	wants(t, commit(git.CommitArgs{Message: " \n"}), "INVALID_PARAMS", "no message")
	wants(t, commit(git.CommitArgs{Message: "a\x00b", All: true}), "INVALID_PARAMS")
	wants(t, commit(git.CommitArgs{Message: "m", All: true, Paths: []string{"a.txt"}}), "INVALID_PARAMS")
	wants(t, commit(git.CommitArgs{Message: "m", Paths: []string{"ignored"}}), "NOTHING_TO_COMMIT", ".gitignore")
	wants(t, commit(git.CommitArgs{Message: "m", Paths: []string{".git/config"}}), "INVALID_PARAMS", "own files")
	wants(t, commit(git.CommitArgs{Message: "m", Paths: []string{"../x"}}), "PERMISSION_DENIED")
	wants(t, commit(git.CommitArgs{Message: "m", Hooks: true, All: true}), "INVALID_PARAMS", "hooks")
	p.write("a.txt", "b\n")
	wants(t, commit(git.CommitArgs{Message: "m"}), "NOTHING_TO_COMMIT", "nothing is staged, but 1 file changed")
	p.write(".env", "X=1\n")
	wants(t, commit(git.CommitArgs{Message: "m", Paths: []string{".env"}}), "PERMISSION_DENIED")
	p.git("init", "--quiet", "nested")
	p.write("nested/x.txt", "x\n")
	r := must(p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"."}}))(t)
	if r.TotalFiles != 1 || len(r.LeftOut) != 2 {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "left out: .env, files of that name hold secrets", "left out: nested, it is a repository")
	if err := os.Remove(filepath.Join(p.home, ".gitconfig")); err != nil {
		t.Fatal(err)
	}
	p.write("a.txt", "c\n")
	wants(t, commit(git.CommitArgs{Message: "m", All: true}), "NO_IDENTITY", "user.name")
	p.git("config", "user.name", "Local")
	p.git("config", "user.email", "local@example.com")
	if err := commit(git.CommitArgs{Message: "m", All: true}); err != nil {
		t.Error(err)
	}
}

func TestCommit_AmendAfterPush(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.origin()
	_, err := p.Commit(t.Context(), git.CommitArgs{Message: "m", Amend: true})
	wants(t, err, "ALREADY_PUSHED", "origin/main")
	p.write("a.txt", "b\n")
	must(p.Commit(t.Context(), git.CommitArgs{Message: "second", All: true}))(t)
	must(p.Commit(t.Context(), git.CommitArgs{Message: "second, again", Amend: true}))(t)
}

func TestCommit_Secrets(t *testing.T) {
	const key = "ghp_0123456789abcdefghij0123456789ab"
	p := newProject(t, setup{files: map[string]string{"a.go": "package a\n", "b.go": "package b\n"}})
	p.write("a.go", "package a\n\nvar token = \""+key+"\"\n")
	p.write("new.go", "package a\n\n// ok\nconst k = \""+key+"\"\n")
	commit := func(args git.CommitArgs) error { args.Message = "m"; _, err := p.Commit(t.Context(), args); return err }
	err := commit(git.CommitArgs{All: true})
	wants(t, err, "SECRETS_FOUND", "a.go:3: var token", "allowSecrets")
	lacks(t, err.Error(), key, key[:12])
	wants(t, commit(git.CommitArgs{Paths: []string{"new.go"}}), "SECRETS_FOUND", "new.go:4")
	p.git("add", "new.go")
	wants(t, commit(git.CommitArgs{}), "SECRETS_FOUND", "new.go:4")
	if got := p.git("rev-list", "--count", "HEAD"); got != "1" {
		t.Errorf("%s commits", got)
	}
	// Text of earlier commits is not reported.
	if err := commit(git.CommitArgs{All: true, AllowSecrets: true}); err != nil {
		t.Fatal(err)
	}
	p.write("a.go", p.read("a.go")+"\nfunc f() {}\n")
	if err := commit(git.CommitArgs{All: true}); err != nil {
		t.Error(err)
	}
	p.write(".env", "A=1\n")
	p.git("add", "-f", ".env")
	wants(t, commit(git.CommitArgs{}), "SECRETS_FOUND", ".env")
}

func TestCommit_LockedIndex(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.write("a.txt", "b\n")
	lock := filepath.Join(p.dir, ".git", "index.lock")
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true})
	wants(t, err, "LOCKED", "index.lock", "s old")
	if _, err := os.Stat("/proc/self/fd"); err == nil {
		contains(t, err2text(p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true})), "process ")
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the lock was removed")
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	must(p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true}))(t)
}

func err2text[T any](_ T, err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCommit_Hooks(t *testing.T) {
	s := setup{options: git.Options{Hooks: true}, files: map[string]string{"a.txt": "a\n"}}
	p := newProject(t, s)
	ran := filepath.Join(p.home, "ran")
	p.script(filepath.Join(p.dir, ".git/hooks/pre-commit"), "touch "+ran+"\n")
	p.write("a.txt", "b\n")
	r := must(p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true}))(t)
	contains(t, r.TextContent(), "turned off", "the hook pre-commit")
	if _, err := os.Stat(ran); err == nil {
		t.Error("the hook has run unasked")
	}
	p.write("a.txt", "c\n")
	r = must(p.Commit(t.Context(), git.CommitArgs{Message: "m", All: true, Hooks: true}))(t)
	if _, err := os.Stat(ran); err != nil || len(r.TurnedOff) != 0 {
		t.Errorf("the hook has not run: %v, %v", err, r.TurnedOff)
	}
	p.script(filepath.Join(p.dir, ".git/hooks/pre-commit"), "echo tests fail in a.txt; exit 1\n")
	p.write("new.txt", "d\n")
	_, err := p.Commit(t.Context(), git.CommitArgs{Message: "m", Paths: []string{"new.txt"}, Hooks: true})
	wants(t, err, "HOOK_FAILED", "tests fail in a.txt")
	if got := p.git("status", "--porcelain"); got != "?? new.txt" {
		t.Errorf("left is %q", got)
	}
}

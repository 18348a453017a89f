package editor

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// newRepository is a project with a commit, and a hook and a filter that would write a file.
func newRepository(t *testing.T) (dir, sprung string) {
	t.Helper()
	_, err := exec.LookPath("git")
	testrequire.Thing(t, err == nil, "git", "install git")
	dir, sprung = newProject(t), filepath.Join(t.TempDir(), "sprung")
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "Tester"}, {"config", "user.email", "tester@example.com"},
		{"add", "--all"}, {"commit", "--quiet", "--message", "first"},
		{"config", "core.fsmonitor", "touch " + sprung}, {"config", "diff.external", "touch " + sprung},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	apptest.Must(t, os.WriteFile(filepath.Join(dir, ".git/hooks/pre-commit"), []byte("#!/bin/sh\ntouch "+sprung+"\n"), 0o755))
	return dir, sprung
}

func TestGit(t *testing.T) {
	dir, sprung := newRepository(t)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	all := program.Tools(t, "-root", dir, "-git")
	for _, name := range gitTools() {
		if !slices.Contains(all, name) {
			t.Errorf("%s is not offered", name)
		}
	}
	readOnly := program.Tools(t, "-root", dir, "-git", "-read-only")
	for _, name := range gitTools() {
		if reads := slices.Contains([]string{"git_status", "git_diff", "git_log", "git_blame"}, name); reads != slices.Contains(readOnly, name) {
			t.Errorf("%s is wrong in a read-only server", name)
		}
	}
	if without := program.Tools(t, "-root", dir); slices.Contains(without, "git_status") {
		t.Error("the tools are offered unasked")
	}
	if got := append(fullTools(), gitTools()...); len(got) > 40 {
		t.Errorf("%d tools are more than clients take", len(got))
	}
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir, "-git", "-audit", "-"}, args...)...)
	}
	call("insert_code", "path=main.go", "line=4", "content=// greets")
	apptest.Contains(t, call("git_status"), "on branch main", "modified: main.go", "core.fsmonitor")
	apptest.Contains(t, call("git_diff"), "+\t// greets")
	apptest.Contains(t, call("git_commit", "message=Greet", "all=true"), "on branch main: Greet", "the hook pre-commit")
	apptest.Contains(t, call("git_log"), ": Greet", ": first")
	apptest.Contains(t, call("git_blame", "path=main.go", "startLine=4", "endLine=4"), "Greet", "greets")
	apptest.Contains(t, call("git_branch", "action=create", "name=topic", "switch=true"), "switched")
	code, out, _ := program.Run(t, "call", "-root", dir, "-git", "git_push")
	if code != 1 {
		t.Errorf("exit code %d, %s", code, out)
	}
	apptest.Contains(t, out, "NO_UPSTREAM", "Next step")
	if _, err := os.Stat(sprung); err == nil {
		t.Error("a program of the repository has run")
	}
}

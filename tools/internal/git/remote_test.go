package git_test

import (
	"os/exec"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/git"
)

func TestRemote(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", args...)
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	r, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Remote(t.Context(), "origin"); got != "" {
		t.Errorf("without a remote it is %q", got)
	}
	run("remote", "add", "origin", "x")
	for url, want := range map[string]string{
		"https://github.com/a/b.git":             "https://github.com/a/b.git",
		"https://user:ghp_secret@github.com/a/b": "https://github.com/a/b",
		"git@github.com:a/b.git":                 "git@github.com:a/b.git",
		"ssh://git@github.com/a/b":               "ssh://git@github.com/a/b",
		"/srv/git/b":                             "/srv/git/b",
	} {
		run("remote", "set-url", "origin", url)
		if got := r.Remote(t.Context(), "origin"); got != want {
			t.Errorf("%s is %q, want %q", url, got, want)
		}
	}
}

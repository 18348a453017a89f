package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/git"
	"github.com/dougu-go/dougu/tools/toolstest"
)

func TestGit_AsSet(t *testing.T) {
	_, err := exec.LookPath("git")
	testrequire.Thing(t, err == nil, "git", "install git")
	home := realDir(t)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	config := "[user]\n\tname = Tester\n\temail = tester@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	build := func(t testing.TB, env tools.Env) tools.Set {
		set, err := git.New(t.Context(), env, git.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	prepare := func(t testing.TB, dir string) {
		p := &project{t: t, dir: dir}
		p.git("init", "--quiet")
		p.commit("first")
		p.write("README.md", "# Notes\n\nmore\n")
	}
	toolstest.Run(t, build, toolstest.Options{
		Files: map[string]string{"README.md": "# Notes\n", "src/a.go": "package src\n"}, Prepare: prepare,
		Calls: []toolstest.Call{
			{Tool: "git_status", Args: `{}`},
			{Tool: "git_diff", Args: `{"paths":["README.md"]}`},
			{Tool: "git_log", Args: `{"limit":3}`},
			{Tool: "git_blame", Args: `{"path":"README.md"}`},
			{Tool: "git_commit", Args: `{"message":"second","paths":["README.md"]}`},
			{Tool: "git_branch", Args: `{"action":"create","name":"topic"}`},
		},
		Uncalled: []string{"git_pull", "git_push"}, // they need a remote repository
	})
}

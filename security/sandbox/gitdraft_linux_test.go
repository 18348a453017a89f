package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

// draftProject is a repository with a remote, and a sandbox for it.
func draftProject(t *testing.T) (*sandbox.Sandbox, string) {
	t.Helper()
	top := realDir(t)
	dir := filepath.Join(top, "project")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", dir}, {"init", "-q", "--bare", filepath.Join(dir, "origin.git")},
		{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "m"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}}), dir
}

// runDraft runs a script under a Protection, and returns its output and the error of Refuse.
func runDraft(t *testing.T, s *sandbox.Sandbox, dir, script string) (out string, renamed []string, err error) {
	t.Helper()
	p := s.Protect()
	defer p.Close()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), s.Environ()...)
	if err := p.Wrap(cmd); err != nil {
		t.Fatal(err)
	}
	text, failed := cmd.CombinedOutput()
	if failed != nil {
		t.Logf("%s: %v: %s", script, failed, text)
	}
	renamed, err = p.Refuse()
	return string(text), renamed, err
}

// config is the configuration of a repository as it is outside.
func config(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Commands can set remotes, upstream branches and the name of the user. The configuration outside has them when the command has ended.
func TestProtection_GitConfig(t *testing.T) {
	s, dir := draftProject(t)
	script := `git config user.name Me && git remote add origin "$PWD/origin.git" && git push -q -u origin main && git branch b && git branch -d b &&
		git config user.name && git status -sb`
	out, renamed, err := runDraft(t, s, dir, script)
	if !strings.Contains(out, "Me\n## main...origin/main") || len(renamed) > 0 || err != nil {
		t.Fatalf("the command says %q; renamed %q, %v", out, renamed, err)
	}
	upstream, err := exec.Command("git", "-C", dir, "rev-parse", "--abbrev-ref", "main@{upstream}").CombinedOutput()
	if string(upstream) != "origin/main\n" || err != nil {
		t.Errorf("the upstream is %q, %v", upstream, err)
	}
	if out, renamed, err := runDraft(t, s, dir, "git remote remove origin"); len(renamed) > 0 || err != nil || strings.Contains(config(t, dir), "origin") {
		t.Errorf("removing the remote: %q, renamed %q, %v:\n%s", out, renamed, err, config(t, dir))
	}
}

// Other changes end with the command, and are not seen outside before.
func TestProtection_GitConfigOfPrograms(t *testing.T) {
	s, dir := draftProject(t)
	before := config(t, dir)
	for script, want := range map[string]string{
		"git config core.fsmonitor evil":                                     "commands can change branches, remotes and the name of the user alone",
		"git config alias.x '!evil'":                                         "alone",
		"git config remote.o.url 'ext::sh -c evil'":                          "alone",
		"git config --global core.fsmonitor evil; true":                      "",
		"rm -f /.dougu-git/0/config; ln -s /etc/passwd /.dougu-git/0/config": "no longer a file of the usual size",
		"rm -f /.dougu-git/0/config":                                         "removed",
		"rm -f /.dougu-git/0/config; mkfifo /.dougu-git/0/config":            "no longer a file",
		"head -c 3000000 /dev/zero >/.dougu-git/0/config":                    "no longer a file of the usual size",
		"mv .git/config .git/c; rm -f .git/config; echo '[core] x' >.git/config.new; mv .git/config.new .git/config; rm -f .git/config.new .git/c": "",
		"mv .git g; mkdir .git; ln -sf /dev/null /.dougu-git/0.link; mv /.dougu-git/0.link /.dougu-git/1.link; umount .git/config":                 "",
	} {
		out, renamed, err := runDraft(t, s, dir, script)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) || len(renamed) > 0 {
			t.Errorf("%s: %q, renamed %q, %v; want %q", script, out, renamed, err, want)
		}
		if after := config(t, dir); after != before {
			t.Fatalf("%s: the configuration is\n%s", script, after)
		}
	}
}

// A change of the configuration by a program outside is not overwritten.
func TestProtection_GitConfigChangedOutside(t *testing.T) {
	s, dir := draftProject(t)
	p := s.Protect()
	defer p.Close()
	cmd := exec.Command("/bin/sh", "-c", "git config user.name inside")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), s.Environ()...)
	if err := p.Wrap(cmd); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", dir, "config", "user.name", "outside").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	if _, err := p.Refuse(); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("Refuse: %v", err)
	}
	if text := config(t, dir); !strings.Contains(text, "outside") || strings.Contains(text, "inside") {
		t.Errorf("the configuration is\n%s", text)
	}
}

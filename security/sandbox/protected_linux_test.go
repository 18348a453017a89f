package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

// protectedProject is a project with protected files, and a sandbox for it.
func protectedProject(t *testing.T, kind sandbox.Kind) (s *sandbox.Sandbox, dir string) {
	t.Helper()
	dir = realDir(t)
	write(t, map[string]string{
		filepath.Join(dir, ".git/config"): "[core]\n\tbare = false\n", filepath.Join(dir, ".git/HEAD"): "x", filepath.Join(dir, ".git/hooks/a.sample"): "x",
		filepath.Join(dir, ".git/worktrees/w/commondir"): "../..\n", filepath.Join(dir, ".git/worktrees/w/HEAD"): "x",
		filepath.Join(dir, ".git/modules/libs/foo/config"): "[core]\n\tworktree = ../../../libs/foo\n", filepath.Join(dir, ".git/modules/libs/foo/HEAD"): "x",
		filepath.Join(dir, ".git/rebase-merge/git-rebase-todo"): "pick 1 a\n", filepath.Join(dir, "libs/foo/.git"): "gitdir: ../../.git/modules/libs/foo\n",
		filepath.Join(dir, "sub/.git/config"): "", filepath.Join(dir, "sub/.vscode/tasks.json"): "{}", filepath.Join(dir, "tools/vscode/tasks.json"): "{}",
		filepath.Join(dir, "plain/file"): "",
	})
	if err := os.Symlink("tools/vscode", filepath.Join(dir, ".vscode")); err != nil {
		t.Fatal(err)
	}
	return open(t, kind, sandbox.Options{Dirs: []string{dir}}), dir
}

func TestSandbox_ProtectedAtAnyDepth(t *testing.T) {
	s, dir := protectedProject(t, sandbox.Namespaces)
	for _, name := range []string{
		".git/config", ".git/worktrees/w/commondir", ".git/modules/libs/foo/config", "libs/foo/.git", "sub/.git/config", "sub/.vscode/tasks.json", "tools/vscode/tasks.json",
	} {
		if out, code := run(t, s, dir, "echo x >>"+name+" || mv "+name+" moved"); code == 0 {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// Protected files that appear or change while a command runs, by whichever means, are renamed, and former content is back.
func TestProtection_Refuse(t *testing.T) {
	s, dir := protectedProject(t, sandbox.Namespaces)
	at := func(name string) string { return filepath.Join(dir, name) }
	replace := func(name, text string) func() error {
		return func() error {
			return errors.Join(os.WriteFile(at("tmp"), []byte(text), 0o644), os.Rename(at("tmp"), at(name)))
		}
	}
	link := func(text, name string) func() error {
		return func() error { _ = os.Remove(at(name)); return os.Symlink(text, at(name)) }
	}
	appendTo := func(name, text string) func() error {
		return func() error {
			f, err := os.OpenFile(at(name), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(text)
			return errors.Join(err, f.Close())
		}
	}
	for _, test := range []struct {
		name   string
		change func() error
		kept   bool // the change stays
	}{
		{".git/config", replace(".git/config", "[core]\n\tbare = false\n\tfsmonitor = evil\n"), false},
		{".git/config", replace(".git/config", "[core] fsmonitor = evil\n"), false},
		{".git/config", replace(".git/config", "[include]\n\tpath = evil\n"), false},
		{".git/config", replace(".git/config", "[remote \"o\"]\n\turl = ext::evil\n"), false},
		{".git/config", replace(".git/config", "[core]\n\tbare = false\n[branch \"b\"]\n\tremote = origin\n\tmerge = refs/heads/b\n"), true},
		{".git/commondir", replace(".git/commondir", "../evil\n"), false},
		{".git/worktrees/w/commondir", replace(".git/worktrees/w/commondir", "../../evil\n"), false},
		{".git/worktrees/w/config.worktree", replace(".git/worktrees/w/config.worktree", "[core]\n\thooksPath = evil\n"), false},
		{".git/modules/libs/foo/hooks", func() error {
			return errors.Join(os.Mkdir(at(".git/modules/libs/foo/hooks"), 0o755), replace(".git/modules/libs/foo/hooks/post-checkout", "evil")())
		}, false},
		{".git/rebase-merge/git-rebase-todo", replace(".git/rebase-merge/git-rebase-todo", "pick 1 a\nexec evil\n"), false},
		{".git/rebase-merge/git-rebase-todo", appendTo(".git/rebase-merge/git-rebase-todo", "x evil\n"), false},
		{"sub/.vscode/tasks.json", appendTo("sub/.vscode/tasks.json", " "), true}, // by a program outside, since it is a mount inside
		{"libs/foo/.git", replace("libs/foo/.git", "gitdir: ../../plain\n"), false},
		{"plain/.vscode", func() error { return os.Mkdir(at("plain/.vscode"), 0o755) }, false},
		{"evil.code-workspace", replace("evil.code-workspace", "{}"), false},
		{".vscode", link("plain", ".vscode"), false},
		{".cargo", func() error { return errors.Join(replace("plain/config.toml", "")(), link("plain", ".cargo")()) }, false},
		{".mcp.json", func() error {
			return errors.Join(os.MkdirAll(at(".mcp.json.refused/x/y"), 0o755), os.Chmod(at(".mcp.json.refused/x"), 0), replace(".mcp.json", "{}")())
		}, false},
	} {
		before, _ := os.ReadFile(at(test.name))
		p := s.Protect()
		if err := test.change(); err != nil {
			t.Fatal(err)
		}
		renamed, err := p.Refuse()
		if err != nil || test.kept != (len(renamed) == 0) || len(renamed) > 0 && !strings.HasPrefix(renamed[0], at(test.name)+sandbox.RefusedSuffix) {
			t.Errorf("%s: renamed %q, %v", test.name, renamed, err)
		}
		if after, _ := os.ReadFile(at(test.name)); !test.kept && string(after) != string(before) {
			t.Errorf("%s is %q, and was %q", test.name, after, before)
		}
		if again, err := p.Refuse(); err != nil || len(again) > 0 {
			t.Errorf("%s: a second check renamed %q, %v", test.name, again, err)
		}
		if test.name == ".git/config" && !test.kept { // what was put back is no mount in the sandbox
			err := appendTo(".git/config", "[core]\n\tfsmonitor = evil\n")()
			if again, failed := p.Refuse(); err != nil || failed != nil || len(again) != 1 {
				t.Errorf("after a change of what was put back: renamed %q, %v, %v", again, err, failed)
			}
		}
	}
	_ = os.Chmod(at(".mcp.json.refused/x"), 0o700)
}

// A repository that a command makes stays, unless it runs programs.
func TestProtection_NewRepository(t *testing.T) {
	s, dir := protectedProject(t, sandbox.Namespaces)
	p := s.Protect()
	write(t, map[string]string{filepath.Join(dir, "new/.git/config"): "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", filepath.Join(dir, "new/.git/hooks/x.sample"): "x"})
	if renamed, err := p.Refuse(); err != nil || len(renamed) > 0 {
		t.Errorf("renamed %q, %v", renamed, err)
	}
	write(t, map[string]string{filepath.Join(dir, "new/.git/hooks/post-checkout"): "x", filepath.Join(dir, "other/.git/config"): "[core]\n\tsshCommand = evil\n"})
	if renamed, err := p.Refuse(); err != nil || len(renamed) != 2 {
		t.Errorf("renamed %q, %v", renamed, err)
	}
}

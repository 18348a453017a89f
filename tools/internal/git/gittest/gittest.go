// Package gittest builds hostile repositories for tests: each makes git run a program, the canary, unless git is prevented.
//
// [Kinds] is the table of attacks. [New] creates a harmless repository. [Template.Build] derives a repository with one or
// several kinds from it. After using the repository, a test calls [Repository.Check], which fails if the canary ran.
package gittest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// Template is a harmless repository with an origin that is ahead of it.
type Template struct {
	dir, origin string
}

// New creates a template: the branches main and side differ, and origin has a commit that main lacks. For the rest of the test
// the user has a home directory with a configuration, and there is no system configuration.
func New(t testing.TB) *Template {
	t.Helper()
	_, err := exec.LookPath("git")
	testrequire.Thing(t, err == nil, "git", "install git")
	home := directory(t)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	put(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Tester\n\temail = tester@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	r := &Repository{t: t, Dir: directory(t), Origin: directory(t)}
	r.Git("init", "--quiet", "--template=")
	r.Write("a.txt", "1\n2\n3\n")
	r.Write("b.txt", "b\n")
	r.Commit("first")
	r.Git("checkout", "--quiet", "-b", "side")
	r.Write("a.txt", "1\nside\n3\n")
	r.Commit("side")
	r.Git("checkout", "--quiet", "main")
	r.Write("a.txt", "1\nmain\n3\n")
	r.Commit("main")
	r.Git("clone", "--quiet", "--bare", "--template=", ".", r.Origin)
	r.Git("remote", "add", "origin", r.Origin)
	r.Write("theirs.txt", "x\n")
	r.Commit("theirs")
	r.Git("push", "--quiet", "origin", "main")
	r.Git("reset", "--quiet", "--hard", "HEAD~1")
	r.Git("branch", "--quiet", "--set-upstream-to=origin/main")
	return &Template{r.Dir, r.Origin}
}

// Repository is a repository that was built from a template.
type Repository struct {
	// Dir is the worktree, Origin the bare repository of the remote origin.
	Dir, Origin string

	t            testing.TB
	plain        string // worktree of the template
	canary, mark string
}

// Build copies the template and its origin and adds the attacks. The files a.txt and b.txt have new times, and b.txt and
// new.txt differ from the commit.
func (m *Template) Build(t testing.TB, kinds ...Kind) *Repository {
	t.Helper()
	r := &Repository{t: t, Dir: directory(t), Origin: directory(t), plain: m.dir}
	r.canary, r.mark = filepath.Join(directory(t), "canary"), filepath.Join(directory(t), "mark")
	copyTree(t, r.Dir, m.dir)
	copyTree(t, r.Origin, m.origin)
	r.Git("config", "remote.origin.url", r.Origin)
	r.Git("remote", "add", "here", r.Dir)
	put(t, r.canary, "#!/bin/sh\necho \"$0 $*\" >>'"+filepath.ToSlash(r.mark)+"'\n")
	if err := os.Chmod(r.canary, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Write("b.txt", "changed and longer\n")
	r.Write("new.txt", "new\n")
	for _, k := range kinds {
		if k.Arrange != nil {
			k.Arrange(r)
		}
		for name, text := range k.Files {
			r.Append(name, r.fill(text))
		}
	}
	for _, k := range kinds {
		if k.Config != "" {
			r.Append(".git/config", r.fill(k.Config))
		}
	}
	if err := os.RemoveAll(r.mark); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Second) // newer times make git read the files
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.Chtimes(r.path(name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// fill replaces the placeholders for the parts of the repository.
func (r *Repository) fill(text string) string {
	return strings.NewReplacer("CANARY", filepath.ToSlash(r.canary), "ORIGIN", filepath.ToSlash(r.Origin)).Replace(text)
}

// Check fails the test if the canary has run.
func (r *Repository) Check(t testing.TB) {
	t.Helper()
	if said, ran := r.Ran(); ran {
		t.Errorf("the repository had a program run:\n%s", said)
	}
}

// Ran reports whether the canary has run, and its arguments.
func (r *Repository) Ran() (said string, ran bool) {
	text, err := os.ReadFile(r.mark)
	return string(text), !errors.Is(err, fs.ErrNotExist)
}

// Git runs git as a user would. That triggers the attacks that were added before.
func (r *Repository) Git(args ...string) string {
	r.t.Helper()
	out, err := r.command(r.t.Context(), args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *Repository) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.WaitDelay = r.Dir, time.Second
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_TERMINAL_PROMPT=0", "GIT_ADVICE=0")
	return cmd
}

// Commit commits everything.
func (r *Repository) Commit(message string) {
	r.t.Helper()
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--message", message)
}

// Write writes a file of the repository.
func (r *Repository) Write(name, text string) {
	r.t.Helper()
	put(r.t, r.path(name), text)
}

// Append appends to a file of the repository. A file that begins with #! becomes executable.
func (r *Repository) Append(name, text string) {
	r.t.Helper()
	old, err := os.ReadFile(r.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	put(r.t, r.path(name), string(old)+text)
	if strings.HasPrefix(text, "#!") {
		if err := os.Chmod(r.path(name), 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *Repository) path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// armed creates a copy of the repository whose configuration names the canary as monitor and filter.
func (r *Repository) armed(dir string) {
	r.t.Helper()
	copyTree(r.t, dir, r.plain)
	other := *r
	other.Dir = dir
	other.Append(".git/config", r.fill(armedConfig))
	other.Append(".git/info/attributes", "*.txt filter=evil\n")
}

const armedConfig = "[core]\n\tfsmonitor = CANARY\n[filter \"evil\"]\n\tclean = CANARY\n\tsmudge = CANARY\n[diff]\n\texternal = CANARY\n"

func directory(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyTree(t testing.TB, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// springLimit is the timeout of a git that waits for the canary.
const springLimit = 10 * time.Second

// Spring runs the command of a kind as a careless user would and returns the output of git.
func (r *Repository) Spring(k Kind) string {
	ctx, cancel := context.WithTimeout(r.t.Context(), springLimit)
	defer cancel()
	cmd := r.command(ctx, k.Spring...)
	cmd.Stdin = strings.NewReader(k.Input)
	out, _ := cmd.CombinedOutput() // the canary does not follow the protocol of git
	return string(out)
}

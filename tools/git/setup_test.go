package git_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/git"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ tools.Set = (*git.Git)(nil)

// project is a directory with a repository, and the tools in it.
type project struct {
	*git.Git
	t     testing.TB
	dir   string
	home  string
	audit *audit.Log
}

// setup describes a project.
type setup struct {
	options  git.Options
	limits   tools.Limits
	readOnly bool
	bare     bool              // without a repository
	init     []string          // further arguments of git init
	files    map[string]string // that are committed
}

// newProject makes a project. The user of its tests has a configuration of their own.
func newProject(t testing.TB, s setup) *project {
	t.Helper()
	program, err := exec.LookPath("git")
	testrequire.Thing(t, err == nil, "git", "install git")
	_ = program
	p := &project{t: t, dir: realDir(t), home: realDir(t), audit: new(audit.Log)}
	t.Setenv("HOME", p.home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(p.home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	p.put(filepath.Join(p.home, ".gitconfig"), "[user]\n\tname = Tester\n\temail = tester@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	if !s.bare {
		p.git(append([]string{"init", "--quiet"}, s.init...)...)
	}
	if len(s.files) > 0 {
		for name, text := range s.files {
			p.write(name, text)
		}
		p.commit("first")
	}
	p.reopen(s)
	return p
}

// reopen makes the tools anew.
func (p *project) reopen(s setup) {
	p.t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: p.t.TempDir(), ReadOnly: s.readOnly})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { root.Close() })
	set, err := git.New(p.t.Context(), tools.Env{Root: root, Limits: s.limits, Audit: p.audit}, s.options)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Git = set
	p.t.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			p.t.Error(err)
		}
	})
}

func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// git runs the git program as the user would.
func (p *project) git(args ...string) string {
	p.t.Helper()
	return p.gitIn(p.dir, args...)
}

func (p *project) gitIn(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) commit(message string) string {
	p.t.Helper()
	p.git("add", "--all")
	p.git("commit", "--quiet", "--allow-empty", "--message", message)
	return p.git("rev-parse", "HEAD")
}

func (p *project) write(name, text string) {
	p.t.Helper()
	p.put(filepath.Join(p.dir, filepath.FromSlash(name)), text)
}

func (p *project) put(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) script(name, text string) string {
	p.t.Helper()
	p.put(name, "#!/bin/sh\n"+text)
	if err := os.Chmod(name, 0o755); err != nil {
		p.t.Fatal(err)
	}
	return name
}

func (p *project) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// origin creates a bare repository beside the project, which the current branch tracks.
func (p *project) origin() string {
	p.t.Helper()
	bare := filepath.Join(realDir(p.t), "origin.git")
	p.git("init", "--quiet", "--bare", bare)
	p.git("remote", "add", "origin", bare)
	p.git("push", "--quiet", "--set-upstream", "origin", "HEAD")
	return bare
}

// other creates a clone of a repository for another user.
func (p *project) other(bare string) string {
	p.t.Helper()
	dir := filepath.Join(realDir(p.t), "other")
	p.git("clone", "--quiet", bare, dir)
	return dir
}

// commitIn commits a file in another clone.
func (p *project) commitIn(dir, name, text string) string {
	p.t.Helper()
	p.put(filepath.Join(dir, name), text)
	p.gitIn(dir, "add", "--all")
	p.gitIn(dir, "commit", "--quiet", "--message", "change "+name)
	return p.gitIn(dir, "rev-parse", "HEAD")
}

// wants checks that an error has a code, a next step and certain words.
func wants(t testing.TB, err error, code string, words ...string) {
	t.Helper()
	if err == nil || string(security.CodeOf(err)) != code {
		t.Errorf("the error is %s %v, want %s", security.CodeOf(err), err, code)
		return
	}
	next, ok := asNext(err)
	if !ok || next == "" {
		t.Errorf("%v has no next step", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error()+"\n"+next, word) {
			t.Errorf("%v (%s) does not say %q", err, next, word)
		}
	}
}

func asNext(err error) (string, bool) {
	if known, ok := err.(*mcp.ToolError); ok {
		return known.Next, true
	}
	next, ok := err.(interface{ NextStep() string })
	if !ok {
		return "", false
	}
	return next.NextStep(), true
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func contains(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing in\n%s", word, text)
		}
	}
}

func lacks(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(text, word) {
			t.Errorf("%q is in\n%s", word, text)
		}
	}
}

// hang is the timeout for operations that must not block.
const hang = 60 * time.Second

func contextWithCancel(t testing.TB) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

func must0(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

func TestNew_WithoutHelper(t *testing.T) {
	dir := realDir(t)
	s, err := sandbox.New(t.Context(), sandbox.Options{Dirs: []string{dir}})
	if err != nil || s.Active() || s.Status().Kind != sandbox.None || s.Status().Reason != "the program does not support it" {
		t.Errorf("auto: %+v, %v", s.Status(), err)
	}
	if _, err := sandbox.New(t.Context(), sandbox.Options{Dirs: []string{dir}, Mode: sandbox.On}); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("on: %v", err)
	}
}

// TestSandbox_Off: without a sandbox commands stay as they are.
func TestSandbox_Off(t *testing.T) {
	off, err := sandbox.New(t.Context(), sandbox.Options{Dirs: []string{realDir(t)}, Mode: sandbox.Off, Helper: helper})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*sandbox.Sandbox{"off": off, "nil": nil} {
		cmd := exec.Command("/bin/true")
		before := slices.Clone(cmd.Args)
		if err := s.Wrap(cmd); err != nil || cmd.Path != "/bin/true" || !slices.Equal(cmd.Args, before) {
			t.Errorf("%s: the command is %q %q, %v", name, cmd.Path, cmd.Args, err)
		}
		if s.Active() || s.ReadOnly() || s.Temp() != "" || s.Environ() != nil || s.WithNetwork() != s || s.Close() != nil {
			t.Errorf("%s: it does something", name)
		}
		if got := s.Status().String(); !strings.Contains(got, "all rights") || !strings.Contains(got, "it is off") {
			t.Errorf("%s: the status is %q", name, got)
		}
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	dir := realDir(t)
	for _, o := range []sandbox.Options{
		{},
		{Dirs: []string{"relative"}},
		{Dirs: []string{dir}, Mode: "maybe"},
		{Dirs: []string{dir}, Network: "some"},
		{Dirs: []string{dir}, Read: []string{"x"}},
		{Dirs: []string{dir}, Sockets: []string{dir + "\x00"}},
	} {
		if _, err := sandbox.New(t.Context(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestSandbox_WithNetwork opens the network of a sandbox that has none.
func TestSandbox_WithNetwork(t *testing.T) {
	dir := realDir(t)
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}, Network: sandbox.NetworkOff})
	const script = "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | wc -l"
	closed, _ := run(t, s, dir, script)
	opened, _ := run(t, s.WithNetwork(), dir, script)
	if closed == opened {
		t.Errorf("the interfaces are the same: %q", opened)
	}
	if same := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}}); same.WithNetwork() != same {
		t.Error("a sandbox with the network is not the same")
	}
}

// TestSandbox_GitWorktree: the repository of a worktree can be used, and a link to another directory opens nothing.
func TestSandbox_GitWorktree(t *testing.T) {
	top := realDir(t)
	repository, tree, planted := filepath.Join(top, "repository"), filepath.Join(top, "tree"), filepath.Join(top, "planted")
	write(t, map[string]string{repository + "/file": "x", planted + "/.git": "gitdir: " + filepath.Join(repository, ".git", "worktrees", "tree")})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "x"}, {"worktree", "add", "-q", tree}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repository
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{tree}})
	script := "git status --short && echo y >new && git add new && git -c user.name=a -c user.email=a@example.com commit -qm y && ! echo x >>" + repository + "/.git/config"
	if out, code := run(t, s, tree, script); code != 0 {
		t.Errorf("in a worktree: %d: %s", code, out)
	}
	if out, code := run(t, open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{planted}}), planted, "ls "+repository+"/.git"); code == 0 {
		t.Errorf("a planted link opens %s", out)
	}
}

// TestSandbox_CloseReadOnlyDirectories: Go's module cache, for one, makes its directories read-only.
func TestSandbox_CloseReadOnlyDirectories(t *testing.T) {
	dir := realDir(t)
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}})
	if out, code := run(t, s, dir, "mkdir -p ~/a/b && touch ~/a/b/c && chmod 500 ~/a/b ~/a"); code != 0 {
		t.Fatal(out)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Temp()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close: %v", err)
	}
}

func TestNew_StateDirThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, sandbox.Landlock, sandbox.Options{Dirs: []string{t.TempDir()}, StateDir: filepath.Join(file, "state")})
	if status := s.Status(); status.Unkept == "" || !strings.Contains(status.String(), "not kept") {
		t.Errorf("the status is %+v", status)
	}
	kept := open(t, sandbox.Landlock, sandbox.Options{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if status := kept.Status(); status.Unkept != "" {
		t.Errorf("with a directory that can be written the status is %+v", status)
	}
}

// A Helper remembers the kinds that have worked, by network, and no kind that has failed.
func TestNew_RemembersWorkingKinds(t *testing.T) {
	for kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			h := sandbox.NewHelper()
			for range 2 {
				s, err := sandbox.New(t.Context(), sandbox.Options{Dirs: []string{realDir(t)}, Kinds: []sandbox.Kind{kind}, Helper: h})
				if err != nil {
					t.Fatal(err)
				}
				if h.Knows(kind, sandbox.NetworkOn) != s.Active() || h.Knows(kind, sandbox.NetworkOff) {
					t.Errorf("the sandbox is active: %v, and the helper knows the kind: %v", s.Active(), h.Knows(kind, sandbox.NetworkOn))
				}
				if out, code := run(t, s, s.Temp(), "echo a"); s.Active() && (out != "a\n" || code != 0) {
					t.Errorf("got %q, exit code %d", out, code)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

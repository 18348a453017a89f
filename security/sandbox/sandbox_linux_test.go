package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
)

// helper is set by TestMain.
var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	if len(os.Args) > 2 && os.Args[1] == "tool" {
		os.Exit(tool(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// kinds are the kinds that are tested, with how to get them.
var kinds = map[sandbox.Kind]string{
	sandbox.Namespaces: "use Linux 5.12 or newer and allow user namespaces",
	sandbox.Bubblewrap: "install bubblewrap",
	sandbox.Landlock:   "use Linux 5.13 or newer with Landlock enabled",
}

// open makes a sandbox of one kind, or skips the test.
func open(t testing.TB, kind sandbox.Kind, o sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	o.Helper, o.Kinds = helper, []sandbox.Kind{kind}
	s, err := sandbox.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	testrequire.Thing(t, s.Active(), "a sandbox of kind "+string(kind)+" ("+s.Status().Reason+")", kinds[kind])
	return s
}

// run runs a script in a sandbox.
func run(t testing.TB, s *sandbox.Sandbox, dir, script string, env ...string) (output string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), env...), s.Environ()...)
	if err := s.Wrap(cmd); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// eachKind runs a test with every kind; short tests leave out the slowest.
func eachKind(t *testing.T, test func(t *testing.T, kind sandbox.Kind)) {
	for kind := range kinds {
		if testing.Short() && kind == sandbox.Bubblewrap {
			continue
		}
		t.Run(string(kind), func(t *testing.T) { test(t, kind) })
	}
}

func write(t testing.TB, files map[string]string) {
	t.Helper()
	for path, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSandbox_OrdinaryCommands(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir := realDir(t)
		s := open(t, kind, sandbox.Options{Dirs: []string{dir}})
		for _, script := range []string{
			"echo a >file && cat file && rm file && mkdir -p a/b && mv a/b c && rmdir a c",
			`test "$(pwd)" = ` + dir,
			"mktemp && echo x >/tmp/kept || echo x >$TMPDIR/kept",
			"cat $TMPDIR/kept", // of the command before
			"echo x >$HOME/kept && cat ~/kept",
			"echo x | tee /dev/null /dev/stderr >/dev/full; head -c 8 /dev/urandom >/dev/null",
			"id && ls /usr/bin >/dev/null && cat /proc/self/stat /proc/meminfo >/dev/null",
			"(sleep 0.01; exit 3) & wait $!; test $? = 3",
			"mkfifo f && (echo x >f & cat f) && rm f",
			"ln -s x l && ln file2 file3 2>/dev/null; rm l",
		} {
			if out, code := run(t, s, dir, script); code != 0 {
				t.Errorf("%s: exit code %d: %s", script, code, out)
			}
		}
		if out, code := run(t, s, dir, "exit 7"); code != 7 || out != "" {
			t.Errorf("exit 7: %d: %s", code, out)
		}
		cmd := exec.Command("/bin/sh", "-c", "kill -KILL $$")
		cmd.Dir = dir
		if err := errors.Join(s.Wrap(cmd)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Run(); err == nil || err.Error() != "signal: killed" {
			t.Errorf("killed by itself: %v", err)
		}
		cmd = exec.Command("/none/such")
		cmd.Dir, cmd.Err = dir, nil
		out, err := wrapped(s, cmd)
		if err == nil || cmd.ProcessState.ExitCode() != 127 || !strings.Contains(string(out), "/none/such") {
			t.Errorf("no such program: %v: %s", err, out)
		}
		t.Log(s.Status())
	})
}

func wrapped(s *sandbox.Sandbox, cmd *exec.Cmd) ([]byte, error) {
	if err := s.Wrap(cmd); err != nil {
		return nil, err
	}
	return cmd.CombinedOutput()
}

func TestSandbox_WithReadOnly(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir := realDir(t)
		write(t, map[string]string{filepath.Join(dir, "file"): "x", filepath.Join(dir, "cache/index/old"): "x"})
		write(t, map[string]string{filepath.Join(dir, "logs/audit.log"): "x"})
		s := open(t, kind, sandbox.Options{Dirs: []string{dir}, Hidden: []string{filepath.Join(dir, "logs/audit.log")}})
		for _, test := range []struct {
			sandbox *sandbox.Sandbox
			script  string
			ok      bool
		}{
			{s, "echo x >new && rm new", true},
			{s.WithReadOnly(), "cat file && echo x >$HOME/kept", true},
			{s.WithReadOnly(), "echo x >new || echo x >logs/new", false},
			{s.WithReadOnly(), "echo x >cache/index/new", false},
			{s.WithReadOnly(dir + "/cache/index"), "echo x >cache/index/new", true},
			{s.WithReadOnly(dir + "/cache/index"), "echo x >cache/new || echo x >file || rm -r cache", false},
			{s.WithReadOnly().WithReadOnly(dir + "/cache/index"), "echo x >cache/index/new", false},
		} {
			if out, code := run(t, test.sandbox, dir, test.script); test.ok != (code == 0) {
				t.Errorf("%s: exit code %d: %s", test.script, code, out)
			}
		}
		if s.ReadOnly() || !s.WithReadOnly().ReadOnly() {
			t.Error("the sandbox itself was changed")
		}
	})
}

// The repository that a project is a worktree of is a part of the project.
func TestSandbox_ReadOnlyWorktree(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir, repository := realDir(t), filepath.Join(realDir(t), "r/.git")
		write(t, map[string]string{
			filepath.Join(dir, ".git"): "gitdir: " + repository + "/worktrees/w\n", filepath.Join(repository, "worktrees/w/gitdir"): filepath.Join(dir, ".git") + "\n",
			filepath.Join(repository, "objects/o"): "x",
		})
		s := open(t, kind, sandbox.Options{Dirs: []string{dir}})
		if out, code := run(t, s, dir, "echo x >"+repository+"/objects/new"); code != 0 {
			t.Errorf("exit code %d: %s", code, out)
		}
		for _, s := range []*sandbox.Sandbox{s.WithReadOnly(), open(t, kind, sandbox.Options{Dirs: []string{dir}, ReadOnly: true})} {
			if out, code := run(t, s, dir, "cat "+repository+"/objects/o && echo x >"+repository+"/objects/other"); code == 0 || out[:1] != "x" {
				t.Errorf("read-only: exit code %d: %s", code, out)
			}
		}
	})
}

// Both paths of a project that a symbolic link leads to exist, and the protected files of both.
func TestSandbox_LinkedProject(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		dir, link := realDir(t), filepath.Join(realDir(t), "link")
		write(t, map[string]string{filepath.Join(dir, "file"): "x", filepath.Join(dir, ".vscode/tasks.json"): "{}"})
		if err := os.Symlink(dir, link); err != nil {
			t.Fatal(err)
		}
		s := open(t, kind, sandbox.Options{Dirs: []string{link}})
		for _, from := range []string{dir, link} {
			if out, code := run(t, s, from, "cat file && echo x >new"); code != 0 {
				t.Errorf("in %s: exit code %d: %s", from, code, out)
			}
			if out, code := run(t, s, from, "echo x >.vscode/tasks.json"); code == 0 && kind != sandbox.Landlock {
				t.Errorf("in %s a protected file was changed: %s", from, out)
			}
		}
	})
}

// Programs of npm in PATH are links to files outside of the directory that PATH names.
func TestSandbox_ProgramsOfNPM(t *testing.T) {
	modules := filepath.Join(realDir(t), "node_modules")
	write(t, map[string]string{filepath.Join(modules, "tool/cli.sh"): "#!/bin/sh\necho tool\n"})
	if err := errors.Join(os.Chmod(filepath.Join(modules, "tool/cli.sh"), 0o755), os.Mkdir(filepath.Join(modules, ".bin"), 0o755),
		os.Symlink("../tool/cli.sh", filepath.Join(modules, ".bin/npm-tool"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(modules, ".bin")+":"+os.Getenv("PATH"))
	dir := realDir(t)
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}})
	if out, code := run(t, s, dir, "npm-tool"); code != 0 || out != "tool\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// Language servers that were installed into a cache below /tmp start, although commands have a /tmp of their own.
func TestSandbox_LanguageServersInCache(t *testing.T) {
	cache := realDir(t)
	program := filepath.Join(cache, "dougu/language-servers/greeter/greeter")
	write(t, map[string]string{program: "#!/bin/sh\necho hello\n", filepath.Join(cache, "other"): "private\n"})
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := realDir(t)
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}})
	if out, code := run(t, s, dir, program); code != 0 || out != "hello\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := run(t, s, dir, "cat "+filepath.Join(cache, "other")); code == 0 {
		t.Errorf("another file of the cache can be read: %s", out)
	}
}

// TestSandbox_BackupsAndTrash: commands can read what is kept for the user, and not remove it.
func TestSandbox_BackupsAndTrash(t *testing.T) {
	dir := realDir(t)
	for _, name := range []string{security.BackupDir, security.TrashDir} {
		write(t, map[string]string{filepath.Join(dir, name, "kept"): "x"})
	}
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}})
	for _, name := range []string{security.BackupDir, security.TrashDir} {
		for _, script := range []string{"rm -rf " + name, "mv " + name + " other", "rm " + name + "/kept", "echo y >" + name + "/kept"} {
			if out, code := run(t, s, dir, script); code == 0 {
				t.Errorf("%s: %s", script, out)
			}
		}
		if text, err := os.ReadFile(filepath.Join(dir, name, "kept")); err != nil || string(text) != "x" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Directories for backups and the trash that this program makes while a command runs are not taken for ones that the command has made.
func TestProtection_BackupsAndTrash(t *testing.T) {
	dir := realDir(t)
	s := open(t, sandbox.Namespaces, sandbox.Options{Dirs: []string{dir}})
	names := s.Protect()
	write(t, map[string]string{filepath.Join(dir, security.BackupDir, "files/a"): "x", filepath.Join(dir, security.TrashDir, "a"): "x", filepath.Join(dir, ".mcp.json"): "{}"})
	if renamed, err := names.Refuse(); err != nil || len(renamed) != 1 || filepath.Base(renamed[0]) != ".mcp.json.refused" {
		t.Errorf("%q were renamed, %v", renamed, err)
	}
}

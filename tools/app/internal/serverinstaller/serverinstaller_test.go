package serverinstaller_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/serverinstaller"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// program is a program with the commands and the flag -root.
func program(t *testing.T) apptest.Program {
	root := t.TempDir()
	t.Chdir(root)
	return func() *app.App {
		return &app.App{
			Name: "prog", Version: "1", Summary: "tests", Commands: serverinstaller.Commands(),
			Flags: func(flags *flag.FlagSet) {
				roots := app.List{root}
				flags.Var(&roots, "root", "`directory`")
			},
		}
	}
}

// rustupScript is a rustup that adds a rust-analyzer to its own directory.
const rustupScript = `#!/bin/sh
case "$1" in
show) echo "stable-test (default)" ;;
component) [ "$2" = remove ] && rm "${0%/*}/rust-analyzer" || echo program >"${0%/*}/rust-analyzer" ;;
which) echo "${0%/*}/rust-analyzer" ;;
esac
`

// addRustup puts a stand-in for rustup on PATH, and returns its directory.
func addRustup(t *testing.T) string {
	t.Helper()
	testrequire.Thing(t, runtime.GOOS != "windows", "a shell for a script", "run the test on Linux or macOS")
	dir := t.TempDir()
	apptest.Must(t, os.WriteFile(filepath.Join(dir, "rustup"), []byte(rustupScript), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return dir
}

func TestInstallServer(t *testing.T) {
	dir := addRustup(t)
	p := program(t)
	code, stdout, stderr := p.Run(t, "install-server", "-yes", "rust", "rust-analyzer")
	if want := "rust-analyzer stable-test is installed: " + filepath.Join(dir, "rust-analyzer") + "\n"; code != 0 || stdout != want || !strings.Contains(stderr, "with rustup") || strings.Contains(stderr, "?") {
		t.Errorf("it ends with %d:\n%s%s", code, stdout, stderr)
	}
	if out := p.MustRun(t, "install-server"); !strings.Contains(out, "stable-test") {
		t.Errorf("the list is\n%s", out)
	}
	if out := p.MustRun(t, "uninstall-server", "rust"); out != "rust-analyzer is removed.\n" {
		t.Errorf("uninstall-server prints %q", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "rust-analyzer")); err == nil {
		t.Error("the component is still there")
	}
	p.MustFail(t, 1, "is not installed by this program", "uninstall-server", "rust")
}

func TestInstallServer_Refused(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p := program(t)
	p.MustFail(t, 1, "no server is known", "install-server", "cobol-74")
	p.MustFail(t, 1, "-unpinned", "install-server", "-yes", "ruby")
	p.MustFail(t, 1, "nothing was installed: there is no terminal", "install-server", "bash")
	p.MustFail(t, 1, "npm is not on PATH", "install-server", "-yes", "docker")
	p.MustFail(t, 1, "NOT PINNED", "install-server", "ruby")
	p.MustFail(t, 2, "name a language or a server", "uninstall-server")
	p.MustFail(t, 1, "no server is known", "uninstall-server", "cobol-74")
}

// A client in the project is not started.
func TestInstallServer_ClientInProject(t *testing.T) {
	dir := addRustup(t)
	t.Setenv("PATH", dir)
	t.Chdir(dir)
	p := apptest.Program(func() *app.App {
		return &app.App{Name: "prog", Version: "1", Summary: "tests", Commands: serverinstaller.Commands()}
	})
	p.MustFail(t, 1, "rustup is not on PATH", "install-server", "-yes", "rust")
}

func TestInstallCommand(t *testing.T) {
	for server, want := range map[string]string{"json": "editor install-server json", "gopls": "editor install-server gopls", "clangd": "", "": ""} {
		if got := serverinstaller.InstallCommand("editor")(server); got != want {
			t.Errorf("the command for %q is %q", server, got)
		}
	}
	for _, r := range serverinstall.Recipes() {
		for _, server := range r.Servers {
			if serverinstaller.InstallCommand("editor")(server) == "" {
				t.Errorf("there is no command for %s", server)
			}
		}
	}
}

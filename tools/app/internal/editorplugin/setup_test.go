//go:build unix

package editorplugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// standIn is the program of an editor as a script. It records its arguments in the file calls beside it, and keeps the installed version
// in the file installed. The file mode selects a fault.
const standIn = `#!/bin/sh
PATH=$TEST_PATH
cd "$(dirname "$0")" || exit 1
echo "$*" >>calls
mode=$(cat mode 2>/dev/null)
case $mode:$1 in
hang:*) sleep 600 & wait ;;
fail:*) echo "no room" >&2; exit 1 ;;
garbage:*) head -c 300000 /dev/zero | tr '\0' '\377'; printf 'dougu-go.dougu@\033[31m\ndougu-go.dougu\nxdougu-go.dougu@9.9.9\n' ;;
refuse:--install-extension) echo "Extension is not compatible" ;;
refuse-late:--install-extension) exit 3 ;;
other:--install-extension) echo 0.0.1 >installed ;;
keep:--uninstall-extension) ;;
*:--list-extensions)
  echo "[info] Extensions installed:" >&2
  echo golang.go@0.50.0
  [ ! -e installed ] || echo "Dougu-Go.dougu@$(cat installed)" ;;
*:--install-extension)
  head -c 2 "$2" >signature
  file=${2##*/dougu-} && echo "${file%.vsix}" >installed ;;
*:--uninstall-extension) rm installed ;;
esac
`

// machine is a machine with stand-ins for editors.
type machine struct {
	t   *testing.T
	dir string // without links
	app.Environment
	variables map[string]string
}

// newMachine returns a machine whose PATH has one empty directory, with a space in its name.
func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	apptest.Must(t, err)
	t.Setenv("TEST_PATH", os.Getenv("PATH"))
	m := &machine{t: t, dir: dir, variables: map[string]string{"PATH": filepath.Join(dir, "my programs")}}
	m.Environment = app.Environment{GOOS: runtime.GOOS, Home: filepath.Join(dir, "home"), Getenv: func(name string) string { return m.variables[name] }}
	return m
}

// add puts the program of an editor into a directory, by default that of PATH, and returns its path.
func (m *machine) add(command string, dir ...string) string {
	m.t.Helper()
	if len(dir) == 0 {
		dir = []string{m.variables["PATH"]}
	}
	file := filepath.Join(append(dir, command)...)
	apptest.Must(m.t, os.MkdirAll(filepath.Dir(file), 0o755))
	apptest.Must(m.t, os.WriteFile(file, []byte(standIn), 0o755))
	return file
}

// set writes a file beside the programs of PATH.
func (m *machine) set(name, text string) {
	m.t.Helper()
	apptest.Must(m.t, os.WriteFile(filepath.Join(m.variables["PATH"], name), []byte(text), 0o644))
}

// get returns a file beside the programs of PATH, without space at its end; empty if it does not exist.
func (m *machine) get(name string) string {
	text, _ := os.ReadFile(filepath.Join(m.variables["PATH"], name))
	return strings.TrimSpace(string(text))
}

// newApp returns a program with the commands in version 1.2.3.
func (m *machine) newApp() *app.App {
	return &app.App{
		Name: "prog", Version: "1.2.3", Environment: &m.Environment, Commands: Commands("1.2.3"), Stdin: strings.NewReader("y\n"),
		Build: func(context.Context, app.Start) (*app.Program, error) { return nil, fmt.Errorf("it has no server") },
	}
}

// run runs a command line.
func (m *machine) run(args ...string) (code int, stdout, stderr string) {
	m.t.Helper()
	var out, errs apptest.Output
	a := m.newApp()
	a.Stdout, a.Stderr = &out, &errs
	code = a.Run(m.t.Context(), args)
	return code, out.String(), errs.String()
}

// mustRun runs a command line that must succeed, and returns its output.
func (m *machine) mustRun(args ...string) string {
	m.t.Helper()
	code, out, errs := m.run(args...)
	if code != 0 || errs != "" {
		m.t.Fatalf("%q: exit code %d\n%s%s", args, code, out, errs)
	}
	return out
}

// mustFail runs a command line that must fail with texts in its error.
func (m *machine) mustFail(code int, args []string, says ...string) {
	m.t.Helper()
	got, out, errs := m.run(args...)
	if got != code {
		m.t.Errorf("%q: exit code %d, want %d\n%s%s", args, got, code, out, errs)
	}
	apptest.Contains(m.t, errs, says...)
}

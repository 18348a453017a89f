package chunks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func TestMain(m *testing.M) {
	if lsptest.Serve() {
		return
	}
	apptest.Main(m)
}

// newApp returns the program as it is released.
func newApp() *app.App { return New(Options{}) }

var program = apptest.Program(newApp)

const stackSource = `/// A stack of numbers.
class Stack {
    var items: [Int] = []

    /// Puts a number on top.
    func push(_ x: Int) {
        items.append(x)
    }
}
`

// newProject is a directory with a few source files.
func newProject(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{
		"Sources/Stack.swift": stackSource,
		"use.swift":           "func use(s: Stack) {\n    s.push(1)\n}\n",
		"util.py":             "def helper(x):\n    return x\n",
		"notes.rst":           "Nothing to see\n",
	})
	return dir
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// emptyMachine is a machine without the files of any client.
func emptyMachine(home string) *app.Environment {
	return &app.Environment{GOOS: "linux", Home: home, ConfigDir: filepath.Join(home, ".config")}
}

package editor

import (
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// helper is set by TestMain.
var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	if lsptest.Serve() {
		return
	}
	apptest.Main(m)
}

// program is the program in an empty environment.
var program = in()

// in is the program in an environment.
func in(variables ...string) apptest.Program {
	return func() *app.App { return newApp(func() []string { return variables }, Options{Sandbox: helper}) }
}

// newProject is a directory with a few files.
func newProject(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{
		"go.mod":   "module example.com/p\n\ngo 1.26\n",
		"main.go":  "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n",
		"notes.md": "# Notes\n",
	})
	return dir
}

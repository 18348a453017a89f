package main

import (
	"testing"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/internal/cli/clitest"
	"github.com/dougu-go/dougu/internal/lsp/lsptest"
	"github.com/dougu-go/dougu/security/sandbox"
)

// helper is set by TestMain.
var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	if lsptest.Serve() {
		return
	}
	clitest.Main(m)
}

// program is the program in an empty environment.
var program = in()

// in is the program in an environment.
func in(variables ...string) clitest.Program {
	return func() *cli.App { return newApp(func() []string { return variables }, helper) }
}

// newProject is a directory with a few files.
func newProject(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	clitest.Write(t, dir, map[string]string{
		"go.mod":   "module example.com/p\n\ngo 1.26\n",
		"main.go":  "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n",
		"notes.md": "# Notes\n",
	})
	return dir
}

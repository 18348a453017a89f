package cqm

import (
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// in is the program in an environment.
func in(variables ...string) apptest.Program {
	return func() *app.App { return newApp(func() []string { return variables }, Options{}) }
}

// library makes a small project.
func library(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{
		"src/greet.go":  "package src\n\n// Greet says hello to somebody.\nfunc Greet(name string) string {\n\tif name == \"\" {\n\t\tname = \"nobody\"\n\t}\n\treturn \"hello, \" + name\n}\n",
		"docs/hours.md": "# Opening hours\n\nThe library opens at nine.\n\n## 休館日\n\n月曜日は休み。\n",
	})
	return dir
}

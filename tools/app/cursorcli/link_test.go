package cursorcli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// TestInstallLinks_README checks that the links of the README are the ones that the program prints
// when a shell finds it by its name.
func TestInstallLinks_README(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a link to the program needs rights on Windows")
	}
	program, err := os.Executable()
	apptest.Must(t, err)
	bin := t.TempDir()
	apptest.Must(t, os.Symlink(program, filepath.Join(bin, "cursorcli")))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	readme, err := os.ReadFile("../../../README.md")
	apptest.Must(t, err)
	printer := apptest.Program(func() *app.App { return New(Options{}) })
	for _, client := range []string{"cursor", "vscode", "vscode-insiders"} {
		_, web, _ := strings.Cut(strings.TrimSpace(printer.MustRun(t, "install", "-link", client)), "\n")
		if !strings.HasPrefix(web, "https://") || !strings.Contains(string(readme), "]("+web+")") {
			t.Errorf("README.md lacks the link for %s: %s", client, web)
		}
	}
}

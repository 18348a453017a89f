package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestWine_CursorCLI lets real clients use the Windows program of the example cursorcli.
func TestWine_CursorCLI(t *testing.T) {
	t.Parallel()
	wine := os.Getenv("DOUGU_WINE")
	if wine == "" {
		t.Skip("the environment variable DOUGU_WINE does not have the path of Wine; the command internal/test/wine sets it")
	}
	node, program := needNode(t), buildWindows(t, examples+"/cursorcli")
	env, err := exec.LookPath("env") // clients start servers with few variables
	if err != nil {
		t.Fatal(err)
	}
	command := []string{env, "WINEPREFIX=" + os.Getenv("WINEPREFIX"), "WINEDEBUG=-all", wine, program}
	runSuite(t, node, command, "windows", []string{
		"offered", "write", "read", "absolute-path", "outside", "device", "list", "edit", "search", "project", "delete-and-restore",
		"only-messages-on-stdout", "ends-with-its-input",
	})
}

// buildWindows builds a command of this module for Windows and returns its path.
func buildWindows(t *testing.T, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg)+".exe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s for Windows: %v\n%s", pkg, err, out)
	}
	return path
}

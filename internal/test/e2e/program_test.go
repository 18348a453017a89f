package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// build builds a command of this module and returns its path. It has the race detector if the test has it.
func build(t *testing.T, pkg string) string {
	t.Helper()
	return buildWith(t, pkg, testrequire.Race)
}

// buildWith builds a command of this module, with or without the race detector.
func buildWith(t *testing.T, pkg string, race bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, fmt.Sprint("-race=", race), pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return path
}

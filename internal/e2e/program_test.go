package e2e

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// build builds a command of this module and returns its path. It has the race
// detector if the test has.
func build(t *testing.T, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	args := []string{"build", "-o", path}
	if raceDetector {
		args = append(args, "-race")
	}
	out, err := exec.CommandContext(t.Context(), "go", append(args, pkg)...).CombinedOutput()
	if err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return path
}

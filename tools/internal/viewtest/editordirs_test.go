//go:build unix

package viewtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// editorDirs returns a project and a home directory for an editor, with symbolic links resolved. It skips the test without the
// program. Their paths are short, because the path of a socket may not be long.
func editorDirs(t *testing.T, program, name, install string) (project, home string) {
	t.Helper()
	_, err := exec.LookPath(program)
	testrequire.Deep(t, err == nil, name, install)
	dir, err := os.MkdirTemp("", "ed")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	project, home = filepath.Join(dir, "project"), filepath.Join(dir, "home")
	for _, d := range []string{project, home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return project, home
}

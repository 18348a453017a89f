package taskstore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/taskstore"
)

// keep opens the store of a project with a directory for state, and returns the files
// in that, and what the log says.
func keep(t *testing.T, project, state string) (files []string, said string) {
	t.Helper()
	for _, name := range []string{"XDG_STATE_HOME", "LocalAppData", "HOME"} {
		t.Setenv(name, state)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{project}, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var log waittest.Log
	start := app.Start{KeepTasks: func(store tasks.Store, end func() error) {
		if err := end(); err != nil {
			t.Error(err)
		}
	}}
	taskstore.Keep(t.Context(), start, log.Logger(), "prog", root)
	err = filepath.Walk(state, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || !strings.HasSuffix(path, ".db") {
			return err
		}
		files = append(files, path)
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, log.String()
}

func TestKeep(t *testing.T) {
	state := t.TempDir()
	one, _ := keep(t, t.TempDir(), state)
	two, said := keep(t, t.TempDir(), state)
	if len(one) != 1 || len(two) != 2 || said != "" {
		t.Errorf("the files are %q, then %q; the log says %q", one, two, said)
	}
}

// Without a place outside of the project nothing is written.
func TestKeep_NoPlace(t *testing.T) {
	project := t.TempDir()
	if files, said := keep(t, project, project); len(files) != 0 || !strings.Contains(said, "kept in memory alone") {
		t.Errorf("the files are %q; the log says %q", files, said)
	}
}

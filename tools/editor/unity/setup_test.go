package unity_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor/unity"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

// world is a directory with a running Unity, its project Game, and an adapter.
type world struct {
	dir   string
	fake  *unitytest.Editor
	unity *unity.Unity
	root  *security.Root
	tools *unity.Tools
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{dir: filepath.Join(dir, "work")}
	w.fake = unitytest.Start(t, filepath.Join(dir, "status"), filepath.Join(w.dir, "Game"))
	w.unity = w.open(t)
	if w.root, err = security.OpenRoot(security.RootOptions{Dirs: []string{w.dir}, StateDir: filepath.Join(dir, "state")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.root.Close() })
	if w.tools, err = unity.NewTools(tools.Env{Root: w.root}, w.unity); err != nil {
		t.Fatal(err)
	}
	unity.PollEvery(w.tools, 10*time.Millisecond)
	return w
}

// open opens an adapter for the editors in the directory and waits until it has found them.
func (w *world) open(t *testing.T) *unity.Unity {
	t.Helper()
	u, err := unity.New(unity.Options{StatusDir: w.fake.StatusDir, Root: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	waittest.Until(t, "Unity is found", func() bool { return u.State().Running })
	return u
}

// write writes a file of the project and answers its path.
func (w *world) write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(w.fake.Project, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

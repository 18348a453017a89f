package driver_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/driver"
)

func TestTempDir_Links(t *testing.T) {
	parent := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(parent, link); err != nil {
		t.Skip(err)
	}
	dir, remove, err := driver.TempDir(link, "test")
	if err != nil {
		t.Fatal(err)
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || real != dir || !strings.HasPrefix(filepath.Base(dir), "dougu-test-") {
		t.Errorf("the directory is %s, without links %s, %v", dir, real, err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600), remove()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is left: %v", err)
	}
}

func TestTempDir_MissingParent(t *testing.T) {
	if _, _, err := driver.TempDir(filepath.Join(t.TempDir(), "none"), "test"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

//go:build unix

package security_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// swap replaces an entry of a directory repeatedly with each of the others until stop is called. It works relative to
// the open directory, so the directory itself can be exchanged too.
func swap(t *testing.T, dir, name string, others ...string) (stop func()) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer root.Close()
		for {
			for _, other := range others {
				select {
				case <-done:
					return
				default:
				}
				root.Rename(name, name+"-spare")
				root.Rename(other, name)
				root.Rename(name, other)
				root.Rename(name+"-spare", name)
			}
		}
	})
	return func() { close(done); group.Wait() }
}

const rounds = 2000

// TestOpen_ExchangedFile replaces a file by links to secrets while it is read.
func TestOpen_ExchangedFile(t *testing.T) {
	around := layout(t, map[string]string{
		"secret": secret, "project/file": "public", "project/.env": secret, "project/.ssh/key": secret,
		"project/toOutside": "-> ../secret", "project/toEnv": "-> .env", "project/toKey": "-> .ssh/key",
	})
	project := filepath.Join(around, "project")
	r := open(t, quick, project)
	stop := swap(t, project, "file", "toOutside", "toEnv", "toKey")
	defer stop()
	for range rounds {
		if content, info, err := r.ReadFile(t.Context(), "file", 100); err == nil && (string(content) != "public" || info.Rel != "file") {
			t.Fatalf("read %q at %q", content, info.Rel)
		}
	}
}

// TestOpen_ExchangedDirectory replaces the directory of a file by links while the file is read.
func TestOpen_ExchangedDirectory(t *testing.T) {
	around := layout(t, map[string]string{
		"outside/file": secret, "project/dir/file": "public", "project/.ssh/file": secret,
		"project/toOutside": "-> ../outside", "project/toSSH": "-> .ssh",
	})
	project := filepath.Join(around, "project")
	r := open(t, quick, project)
	stop := swap(t, project, "dir", "toOutside", "toSSH")
	defer stop()
	for i := range rounds {
		if content, _, err := r.ReadFile(t.Context(), "dir/file", 100); err == nil && string(content) != "public" {
			t.Fatalf("read %q", content)
		}
		if i%4 > 0 {
			continue
		}
		d, err := r.OpenDir(t.Context(), "dir")
		if err != nil {
			continue
		}
		if f, err := d.Open(t.Context(), "file"); err == nil {
			buf := make([]byte, 100)
			n, _ := f.Read(buf)
			if string(buf[:n]) != "public" {
				t.Fatalf("read %q in the directory", buf[:n])
			}
			f.Close()
		}
		d.Close()
	}
}

// TestWrite_ExchangedFile replaces a file, and its directory, by links to secrets and protected files during writes.
func TestWrite_ExchangedFile(t *testing.T) {
	around := layout(t, map[string]string{
		"secret": secret, "outside/file": secret, "project/dir/file": "public", "project/.env": secret,
		"project/.git/hooks/file": "hook", "project/.git/config": "config",
		"project/dir/toOutside": "-> ../../secret", "project/dir/toEnv": "-> ../.env", "project/dir/toConfig": "-> ../.git/config",
		"project/toOutside": "-> ../outside", "project/toHooks": "-> .git/hooks",
	})
	project := filepath.Join(around, "project")
	r := open(t, quick, project)
	stopFile := swap(t, filepath.Join(project, "dir"), "file", "toOutside", "toEnv", "toConfig")
	stopDir := swap(t, project, "dir", "toOutside", "toHooks")
	for i := range rounds / 10 {
		r.Write(t.Context(), "dir/file", []byte("written"), security.WriteOptions{Overwrite: true, CreateDirs: i%2 == 0})
		r.Update(t.Context(), "dir/file", security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) {
			if string(old) != "public" && string(old) != "written" && string(old) != "updated" {
				t.Errorf("was given %q", old)
			}
			return []byte("updated"), nil
		})
	}
	stopDir()
	stopFile()
	for name, want := range map[string]string{
		"secret": secret, "outside/file": secret, "project/.env": secret, "project/.git/hooks/file": "hook", "project/.git/config": "config",
	} {
		if got := onDisk(t, around, name); got != want {
			t.Errorf("%s now holds %q", name, got)
		}
	}
	for dir, want := range map[string]int{"outside": 1, "project/.git/hooks": 1, "project/.git": 2} {
		if entries, err := os.ReadDir(filepath.Join(around, dir)); err != nil || len(entries) != want {
			t.Errorf("%s holds %v, %v", dir, entries, err)
		}
	}
}

package security_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/security"
)

// regularFiles returns the contents of the regular files below a directory, including the trash.
func regularFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != ".gitignore" {
			found[path] = onDisk(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// checkSecrets checks that every secret is unchanged and that no other regular file contains one.
func checkSecrets(t *testing.T, around string, secrets map[string]string, files ...string) {
	t.Helper()
	left := regularFiles(t, around)
	for name, want := range secrets {
		full := filepath.Join(around, name)
		if left[full] != want {
			t.Errorf("%s now holds %q", name, left[full])
		}
		delete(left, full)
	}
	if len(left) != len(files) {
		t.Errorf("%d files are left of %d: %v", len(left), len(files), left)
	}
	for _, content := range files {
		found := false
		for name, has := range left {
			if has == content {
				found = true
				delete(left, name)
				break
			}
		}
		if !found {
			t.Errorf("%q is lost; there are %v", content, left)
		}
	}
}

// exchange swaps an entry of a directory atomically with each of the others, and back, until stop is called. Unlike
// swap, it never replaces an entry, so it cannot cause the loss of a file.
func exchange(t *testing.T, dir, name string, others ...string) (stop func()) {
	t.Helper()
	handle, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer handle.Close()
		fd := int(handle.Fd())
		for {
			for _, other := range others {
				select {
				case <-done:
					return
				default:
				}
				if unix.Renameat2(fd, name, fd, other, unix.RENAME_EXCHANGE) == nil {
					unix.Renameat2(fd, name, fd, other, unix.RENAME_EXCHANGE)
				}
			}
		}
	})
	return func() { close(done); group.Wait() }
}

// TestMove_ExchangedFile swaps a file with links to secrets while it is moved and deleted. A link may be moved
// instead, but never its target.
func TestMove_ExchangedFile(t *testing.T) {
	for i := range 40 {
		around := layout(t, map[string]string{
			"secret": secret, "project/.env": secret, "project/.git/config": "config", "project/file": "public", "project/out/": "",
			"project/toOutside": "-> ../secret", "project/toEnv": "-> .env", "project/toConfig": "-> .git/config",
		})
		project := filepath.Join(around, "project")
		r := open(t, quick, project)
		stop := exchange(t, project, "file", "toOutside", "toEnv", "toConfig")
		moved := false
		for round := 0; round < 50 && !moved; round++ {
			if i%2 == 0 {
				_, err := r.Move(t.Context(), "file", "out/file", security.MoveOptions{})
				moved = err == nil
			} else {
				_, err := r.Trash(t.Context(), "file", security.TrashOptions{})
				moved = err == nil
			}
		}
		stop()
		checkSecrets(t, around, map[string]string{"secret": secret, "project/.env": secret, "project/.git/config": "config"}, "public")
	}
}

// TestMove_ExchangedDirectory swaps the directories of both paths, and a directory that is moved.
func TestMove_ExchangedDirectory(t *testing.T) {
	secrets := map[string]string{"outside/file": secret, "project/.git/hooks/file": "hook", "project/.ssh/file": secret}
	for i := range 40 {
		around := layout(t, map[string]string{
			"outside/file": secret, "project/.git/hooks/file": "hook", "project/.ssh/file": secret, "project/dir/file": "public", "project/other": "other",
			"project/toOutside": "-> ../outside", "project/toHooks": "-> .git/hooks", "project/toSSH": "-> .ssh",
		})
		project := filepath.Join(around, "project")
		r := open(t, quick, project)
		stop := exchange(t, project, "dir", "toOutside", "toHooks", "toSSH")
		for range 10 {
			switch i % 4 {
			case 0:
				r.Move(t.Context(), "dir/file", "new", security.MoveOptions{})
			case 1:
				r.Move(t.Context(), "other", "dir/new", security.MoveOptions{})
			case 2:
				r.Trash(t.Context(), "dir/file", security.TrashOptions{})
			case 3:
				r.Trash(t.Context(), "dir", security.TrashOptions{Recursive: true})
			}
			r.MakeDir(t.Context(), "dir/made", true)
		}
		stop()
		checkSecrets(t, around, secrets, "public", "other")
		for dir, want := range map[string]int{"outside": 1, "project/.git/hooks": 1, "project/.ssh": 1} {
			if entries, err := os.ReadDir(filepath.Join(around, dir)); err != nil || len(entries) != want {
				t.Errorf("%s holds %v, %v", dir, entries, err)
			}
		}
	}
}

// TestMove_ConcurrentMovesOfOneFile moves and deletes one file concurrently.
func TestMove_ConcurrentMovesOfOneFile(t *testing.T) {
	state := t.TempDir()
	for round := range 20 {
		dir := layout(t, map[string]string{"dir/file": "content"})
		o := quick
		o.StateDir, o.LockWait = state, time.Minute
		roots := []*security.Root{open(t, o, dir), open(t, o, dir)}
		var group sync.WaitGroup
		var mu sync.Mutex
		successes := 0
		for i := range 8 {
			group.Go(func() {
				r := roots[i%2]
				var err error
				switch i % 4 {
				case 0, 1:
					_, err = r.Move(t.Context(), "dir/file", fmt.Sprint("moved-", i), security.MoveOptions{})
				case 2:
					_, err = r.Trash(t.Context(), "dir/file", security.TrashOptions{})
				case 3:
					_, err = r.Trash(t.Context(), "dir/file", security.TrashOptions{ExpectedSHA256: sum("content")})
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					successes++
				} else if security.CodeOf(err) != security.FileNotFound {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		group.Wait()
		if successes != 1 {
			t.Errorf("round %d: %d callers got the file", round, successes)
		}
		checkSecrets(t, dir, nil, "content")
	}
}

// TestRoot_ConcurrentChanges moves, deletes, restores and updates files and directories at random from many
// goroutines through two independent Roots. In the end every entry exists once.
func TestRoot_ConcurrentChanges(t *testing.T) {
	entries := map[string]string{"a/": "", "b/": "", "c/": ""}
	var files []string
	for i := range 12 {
		content := fmt.Sprint("file ", i)
		files = append(files, content)
		entries[string("abc"[i%3])+"/"+fmt.Sprint(i)] = content
	}
	dir := layout(t, entries)
	o := quick
	o.StateDir, o.LockWait = t.TempDir(), time.Minute
	roots := []*security.Root{open(t, o, dir), open(t, o, dir)}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := roots[i%2]
			for n := range 60 {
				here, there := string("abc"[(i+n)%3]), string("abc"[(i*n+1)%3])
				name := fmt.Sprint((i + 5*n) % 12)
				var err error
				switch (i + n) % 6 {
				case 0, 1:
					_, err = r.Move(t.Context(), here+"/"+name, there+"/"+name, security.MoveOptions{})
				case 2:
					_, err = r.Move(t.Context(), here+"/"+name, there+"/"+name+"x", security.MoveOptions{})
				case 3:
					_, err = r.Move(t.Context(), here, there+"/"+here, security.MoveOptions{})
				case 4:
					_, err = r.Move(t.Context(), there+"/"+here, here, security.MoveOptions{})
				case 5:
					var gone security.TrashResult
					if gone, err = r.Trash(t.Context(), here+"/"+name, security.TrashOptions{Recursive: true}); err == nil {
						_, err = r.Move(t.Context(), gone.Trash.Path, there+"/"+name, security.MoveOptions{})
					}
				}
				switch code := security.CodeOf(err); code {
				case "", security.FileNotFound, security.AlreadyExists, security.IsDirectory, security.InvalidParams, security.FileBusy, security.NotDirectory:
				default:
					t.Errorf("%s: %v", code, err)
				}
			}
		})
	}
	group.Wait()
	checkSecrets(t, dir, nil, files...)
	if left, err := os.ReadDir(o.StateDir); err != nil || len(left) > 0 {
		t.Errorf("locks are left: %v, %v", left, err)
	}
}

// TestMove_FailureRestoresOverwrittenFile moves over a file from a directory that forbids the removal of the source.
func TestMove_FailureRestoresOverwrittenFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	dir := layout(t, map[string]string{"locked/file": "new", "dest/file": "old"})
	if err := os.Chmod(filepath.Join(dir, "locked"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "locked"), 0o755) })
	before := contents(t, dir)
	_, err := open(t, quick, dir).Move(t.Context(), "locked/file", "dest/file", security.MoveOptions{Overwrite: true})
	if security.CodeOf(err) != security.PermissionDenied {
		t.Errorf("%v", err)
	}
	if after := contents(t, dir); differences(before, after) != "" || len(trashed(t, dir)) > 0 {
		t.Errorf("%s; the trash holds %v", differences(before, after), trashed(t, dir))
	}
}

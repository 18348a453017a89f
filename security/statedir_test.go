package security_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

func TestOpenRoot_InvalidOptions(t *testing.T) {
	dir := layout(t, map[string]string{"file": "x"})
	_, err := security.OpenRoot(security.RootOptions{
		Dirs:      []string{dir, filepath.Join(dir, "file"), filepath.Join(dir, "missing")},
		Blocked:   []string{"*.pem", "[a-"},
		Protected: []string{"{a", ""},
	})
	e := asError(t, err)
	if e.Code != security.InvalidParams {
		t.Errorf("code %v", e.Code)
	}
	for _, part := range []string{"file", "missing", "[a-", "{a", "5 errors"} {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("%q is not mentioned: %v", part, e)
		}
	}
	if _, err := security.OpenRoot(security.RootOptions{}); security.CodeOf(err) != security.InvalidParams {
		t.Errorf("no directory: %v", err)
	}
}

func TestOpenRoot_StateDirInsideProject(t *testing.T) {
	dir := layout(t, map[string]string{"inside/": ""})
	outside := layout(t, map[string]string{"link": "-> " + filepath.Join(dir, "inside")})
	for _, state := range []string{dir, filepath.Join(dir, "x", "y"), filepath.Join(outside, "link", "new")} {
		if _, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: state}); security.CodeOf(err) != security.InvalidParams {
			t.Errorf("state in %q: %v", state, err)
		}
	}
}

func TestDefaultStateDir_Environment(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	r, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Write(t.Context(), "file", []byte("x"), security.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	state, ok := security.DefaultStateDir()
	if !ok || state != filepath.Join(home, "dougu", "locks") {
		t.Errorf("the state is in %s, %v", state, ok)
	}
	if info, err := os.Stat(state); err != nil || !info.IsDir() {
		t.Errorf("no lock directory: %v", err)
	}

	// A project that holds the state directory of the user gets its locks in the temporary directory, and one that holds that too gets none.
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	whole, err := security.OpenRoot(security.RootOptions{Dirs: []string{home}, Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if _, err := whole.Write(t.Context(), "file", []byte("x"), security.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(temp)
	if err != nil || len(entries) != 1 {
		t.Fatalf("temporary directory holds %v, %v", entries, err)
	}
	if runtime.GOOS != "windows" {
		// Whoever else could use that directory could also lead the locks astray.
		private := filepath.Join(temp, entries[0].Name())
		if err := os.Chmod(private, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := security.OpenRoot(security.RootOptions{Dirs: []string{home}}); security.CodeOf(err) != security.InvalidParams {
			t.Errorf("a directory of locks that is open to all: %v", err)
		}
	}
	if _, err := security.OpenRoot(security.RootOptions{Dirs: []string{home, temp}}); security.CodeOf(err) != security.InvalidParams {
		t.Errorf("no place for locks: %v", err)
	}
}

func TestRoot_CacheDir(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	inside, apart := filepath.Join(home, "project"), layout(t, map[string]string{"link": "-> " + home})
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, reachable := range map[string]bool{inside: false, apart: false, home: true, filepath.Join(apart, "link"): true} {
		r, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		want := filepath.Join(cache, "dougu", "things")
		if reachable {
			want = ""
		}
		if got, ok := r.CacheDir("things"); got != want || ok == reachable {
			t.Errorf("for %s: %q, %v, want %q", dir, got, ok, want)
		}
		if got, ok := r.ProjectCacheDir("things"); ok == reachable || ok && (filepath.Dir(got) != want || !strings.HasPrefix(filepath.Base(got), filepath.Base(r.Dirs()[0])+"-")) {
			t.Errorf("for %s alone: %q, %v", dir, got, ok)
		}
		for _, name := range []string{"", "../things", home} {
			if got, ok := r.CacheDir(name); ok {
				t.Errorf("%q is %s", name, got)
			}
		}
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 1 {
		t.Errorf("what was asked for is %v, %v: it is not made", entries, err)
	}
}

// TestOpenRoot_FileSystemRoot opens the root of a file system. The state directory must lie inside and is blocked.
func TestOpenRoot_FileSystemRoot(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "cache"))
	t.Setenv("LocalAppData", filepath.Join(home, "cache"))
	project, elsewhere := t.TempDir(), t.TempDir()
	top := filepath.VolumeName(project) + string(filepath.Separator)
	r, err := security.OpenRoot(security.RootOptions{Dirs: []string{project, top}, Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	name := filepath.Join(elsewhere, "file")
	if _, err := r.Write(t.Context(), name, []byte("x"), security.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, r, name); got != "x" {
		t.Errorf("read %q", got)
	}
	locks := filepath.Join(home, "cache", "dougu", "locks")
	if _, err := os.Stat(locks); err != nil {
		t.Fatalf("the locks are elsewhere: %v", err)
	}
	for _, path := range []string{locks, filepath.Join(locks, "x.lock")} {
		if _, err := r.Stat(t.Context(), path); asError(t, err).Reason != security.BlockedPattern {
			t.Errorf("%s: %v", path, err)
		}
	}
}

package usertoken_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security/auth/usertoken"
)

func TestLoad_MakesAToken(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "none", "config")
	if _, err := usertoken.Find(settings, "prog"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first start: %v", err)
	}
	made, err := usertoken.Load(settings, "prog")
	if err != nil || !made.New || made.Unkept != nil || len(made.Text) != 43 {
		t.Fatalf("%+v, %v", made, err)
	}
	info, err := os.Lstat(made.File)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	dir, err := os.Lstat(filepath.Dir(made.File))
	if err != nil || runtime.GOOS != "windows" && dir.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", dir, err)
	}
	again, err := usertoken.Load(settings, "prog")
	if err != nil || again.New || again.Text != made.Text || again.File != made.File {
		t.Errorf("the second start has %+v, %v; want %+v", again, err, made)
	}
	other, err := usertoken.Load(settings, "other")
	if err != nil || other.Text == made.Text {
		t.Errorf("another program has %+v, %v", other, err)
	}
}

func TestLoad_ConcurrentStartsAgree(t *testing.T) {
	settings := t.TempDir()
	var mu sync.Mutex
	seen, fresh := make(map[string]bool), 0
	var starts group.Group
	for range 20 {
		starts.Go(func() {
			token, err := usertoken.Load(settings, "prog")
			mu.Lock()
			defer mu.Unlock()
			seen[token.Text] = true
			if token.New {
				fresh++
			}
			if err != nil || token.Unkept != nil {
				t.Errorf("%+v, %v", token, err)
			}
		})
	}
	starts.Wait()
	if len(seen) != 1 || fresh != 1 {
		t.Errorf("%d tokens, and %d were made", len(seen), fresh)
	}
}

func TestLoad_RefusesUnsafeFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		unix bool
		make func(file string) error
		want string
	}{
		"link": {true, func(file string) error {
			target := file + ".target"
			return errors.Join(os.WriteFile(target, []byte(strings.Repeat("A", 43)), 0o600), os.Symlink(target, file))
		}, "is a link"},
		"readable by others": {true, func(file string) error {
			return errors.Join(os.WriteFile(file, []byte(strings.Repeat("A", 43)), 0o600), os.Chmod(file, 0o640))
		}, "others can read the file, its mode is 0640"},
		"directory": {false, func(file string) error { return os.Mkdir(file, 0o700) }, "not a file"},
		"empty":     {false, func(file string) error { return os.WriteFile(file, nil, 0o600) }, "does not hold a token"},
		"short":     {false, func(file string) error { return os.WriteFile(file, []byte("c2hvcnQ"), 0o600) }, "does not hold a token"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.unix && runtime.GOOS == "windows" {
				t.Skip("Windows has no modes, and links need rights")
			}
			settings := t.TempDir()
			file := usertoken.File(settings, "prog")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tc.make(file); err != nil {
				t.Fatal(err)
			}
			token, err := usertoken.Load(settings, "prog")
			if _, refused := errors.AsType[*usertoken.RefusedError](err); !refused || token.Text != "" {
				t.Fatalf("%+v, %v", token, err)
			}
			for _, want := range []string{file, tc.want, "remove it"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
		})
	}
}

func TestLoad_UnwritableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]string{"below a file": filepath.Join(file, "config"), "unknown": ""} {
		first, err := usertoken.Load(settings, "prog")
		if err != nil || first.Unkept == nil || !first.New || len(first.Text) != 43 {
			t.Errorf("%s: %+v, %v", name, first, err)
		}
		if second, _ := usertoken.Load(settings, "prog"); second.Text == first.Text {
			t.Errorf("%s: two runs have one token", name)
		}
	}
}

func TestLoad_LinkedDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	settings, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(settings, "dougu")); err != nil {
		t.Fatal(err)
	}
	token, err := usertoken.Load(settings, "prog")
	if err != nil || token.Unkept == nil || !strings.Contains(token.Unkept.Error(), "link") {
		t.Errorf("%+v, %v", token, err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("in the directory that the link names are %v, %v", left, err)
	}
}

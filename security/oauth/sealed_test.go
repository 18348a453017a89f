package oauth_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/oauth"
)

// sealed is a Store in a directory, and the files that it has.
func sealed(t *testing.T) (*oauth.Sealed, func() []string) {
	t.Helper()
	s := &oauth.Sealed{Dir: filepath.Join(t.TempDir(), "new", "logins"), Key: bytes.Repeat([]byte{7}, 32)}
	return s, func() (files []string) {
		t.Helper()
		err := filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
}

func TestSealed_FileNames(t *testing.T) {
	store, files := sealed(t)
	const key, value = "token https://mcp.example.com/mcp alice", "secret-access-1"
	if err := store.Save(t.Context(), key, []byte(value)); err != nil {
		t.Fatal(err)
	}
	for _, file := range files() {
		content, err := os.ReadFile(file)
		if err != nil || bytes.Contains(content, []byte("secret")) || strings.Contains(file, "alice") {
			t.Errorf("%s has %q, %v", file, content, err)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	if got, err := store.Load(t.Context(), key); string(got) != value || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A file is the value of one key alone: it cannot be moved to the place of another user's, and any change is found.
func TestSealed_Tampering(t *testing.T) {
	for name, tamper := range map[string]func(alice, bob string) error{
		"another's in its place": func(alice, bob string) error { return os.Rename(bob, alice) },
		"empty":                  func(alice, _ string) error { return os.Truncate(alice, 0) },
		"cut":                    func(alice, _ string) error { return os.Truncate(alice, 20) },
		"a changed byte": func(alice, _ string) error {
			content, err := os.ReadFile(alice)
			if err == nil {
				content[len(content)-1] ^= 1
				err = os.WriteFile(alice, content, 0o600)
			}
			return err
		},
		"a directory": func(alice, _ string) error { return errors.Join(os.Remove(alice), os.Mkdir(alice, 0o700)) },
		"too large":   func(alice, _ string) error { return os.Truncate(alice, 2<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			store, files := sealed(t)
			if err := store.Save(t.Context(), "alice", []byte("secret of alice")); err != nil {
				t.Fatal(err)
			}
			alice := files()[0]
			if err := store.Save(t.Context(), "bob", []byte("secret of bob")); err != nil {
				t.Fatal(err)
			}
			bob := files()[0]
			if bob == alice {
				bob = files()[1]
			}
			if err := tamper(alice, bob); err != nil {
				t.Fatal(err)
			}
			if got, err := store.Load(t.Context(), "alice"); err == nil || got != nil {
				t.Errorf("alice has %q", got)
			}
		})
	}
}

func TestSealed_WrongKey(t *testing.T) {
	store, files := sealed(t)
	if err := store.Save(t.Context(), "alice", []byte("secret of alice")); err != nil {
		t.Fatal(err)
	}
	other := &oauth.Sealed{Dir: store.Dir, Key: bytes.Repeat([]byte{8}, 32)}
	if got, err := other.Load(t.Context(), "alice"); got != nil || err != nil {
		t.Errorf("by another name: %q, %v", got, err)
	}
	short := &oauth.Sealed{Dir: store.Dir, Key: []byte("short")}
	_, err := short.Load(t.Context(), "alice")
	for _, err := range []error{err, short.Save(t.Context(), "alice", nil), short.Delete(t.Context(), "alice")} {
		if err == nil || !strings.Contains(err.Error(), "must have 32") {
			t.Error(err)
		}
	}
	if err := store.Save(t.Context(), "large", make([]byte, 2<<20)); err == nil || len(files()) != 1 {
		t.Errorf("a value that is too large: %v", err)
	}
}

// The key stays the same from one start to the next, and a damaged one is no reason to make another.
func TestSealingKey(t *testing.T) {
	store := &oauth.File{Path: filepath.Join(t.TempDir(), "key.json")}
	first, err := oauth.SealingKey(t.Context(), store, "gateway")
	if err != nil || len(first) != 32 {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	if again, err := oauth.SealingKey(t.Context(), store, "gateway"); err != nil || !bytes.Equal(first, again) {
		t.Errorf("another key the second time, %v", err)
	}
	if err := store.Save(t.Context(), "gateway", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if _, err := oauth.SealingKey(t.Context(), store, "gateway"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	if _, err := oauth.SealingKey(t.Context(), failingStore{}, "gateway"); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

package oauth_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security/oauth"
)

func TestStore_Implementations(t *testing.T) {
	for name, store := range map[string]oauth.Store{
		"memory": new(oauth.Memory), "file": &oauth.File{Path: filepath.Join(t.TempDir(), "new", "tokens.json")},
		"sealed": &oauth.Sealed{Dir: filepath.Join(t.TempDir(), "new", "sealed"), Key: make([]byte, 32)},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			load := func(key string) []byte {
				t.Helper()
				value, err := store.Load(ctx, key)
				if err != nil {
					t.Fatal(err)
				}
				return value
			}
			if got := load("a"); got != nil {
				t.Errorf("a is %q before it was saved", got)
			}
			if err := store.Delete(ctx, "a"); err != nil {
				t.Error(err)
			}
			for key, value := range map[string]string{"a": "1", "https://h/x y": "\x00\xff", "b": ""} {
				if err := store.Save(ctx, key, []byte(value)); err != nil {
					t.Fatal(err)
				}
				if got := load(key); !bytes.Equal(got, []byte(value)) {
					t.Errorf("%s is %q", key, got)
				}
			}
			if err := errors.Join(store.Save(ctx, "a", []byte("2")), store.Delete(ctx, "b")); err != nil {
				t.Error(err)
			}
			if string(load("a")) != "2" || load("b") != nil {
				t.Errorf("a is %q, b is %q", load("a"), load("b"))
			}
			var writers group.Group
			for _, key := range []string{"c", "d", "e", "f"} {
				writers.Go(func() {
					if err := store.Save(ctx, key, []byte(key)); err != nil {
						t.Error(err)
					}
				})
			}
			writers.Wait()
			for _, key := range []string{"c", "d", "e", "f"} {
				if string(load(key)) != key {
					t.Errorf("%s is %q", key, load(key))
				}
			}
		})
	}
}

// A file that others can read, or that is no token file, is refused.
func TestFile_Refused(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		mode    os.FileMode
		wantErr string
	}{
		"read by others": {`{"version":1,"entries":{}}`, 0o644, "others may read it"},
		"no JSON":        {`{"version":1,`, 0o600, "damaged"},
		"no entries":     {`{"version":1,"entries":null}`, 0o600, "damaged"},
		"a later one":    {`{"version":2,"entries":{}}`, 0o600, "version 2"},
		"endless":        {strings.Repeat(" ", 9<<20), 0o600, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.mode != 0o600 && runtime.GOOS == "windows" {
				t.Skip("modes are inherited here")
			}
			path := filepath.Join(t.TempDir(), "tokens.json")
			if err := errors.Join(os.WriteFile(path, []byte(tc.content), 0o600), os.Chmod(path, tc.mode)); err != nil {
				t.Fatal(err)
			}
			store := &oauth.File{Path: path}
			_, err := store.Load(t.Context(), "a")
			for _, err := range []error{err, store.Save(t.Context(), "a", nil), store.Delete(t.Context(), "a")} {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Error(err)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != tc.content {
				t.Errorf("the file was changed: %.80q, %v", got, err)
			}
		})
	}
	store := &oauth.File{Path: t.TempDir()} // a directory
	if _, err := store.Load(t.Context(), "a"); err == nil {
		t.Error("a directory is a token file")
	}
}

func TestFile_Mode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are inherited here")
	}
	path := filepath.Join(t.TempDir(), "tokens.json")
	store := &oauth.File{Path: path}
	for range 2 {
		if err := store.Save(t.Context(), "a", []byte("1")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

// While one has the lock of a key, others wait, as long as they like.
func TestStore_Lock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "tokens.json")
	first, second := &oauth.File{Path: path}, &oauth.File{Path: path}
	unlock, err := first.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := second.Lock(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := second.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	unlock()
	unlock, err = second.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// Programs that share a file use a refresh token once, and log in once.
func TestFile_SharedByProcesses(t *testing.T) {
	w, _, as := standard(t)
	path := filepath.Join(t.TempDir(), "tokens.json")
	run := func(clients []*oauth.Client) {
		var programs group.Group
		for _, client := range clients {
			programs.Go(func() {
				if status, body := get(t, client.Transport(resourceURL, w)); status != 200 {
					t.Errorf("%d: %s", status, body)
				}
			})
		}
		programs.Wait()
	}
	var clients []*oauth.Client
	var turn sync.Mutex
	for range 5 {
		user := &lockedPerson{person{world: w}, &turn}
		clients = append(clients, w.client(func(c *oauth.Client) { c.Store, c.Authorizer = &oauth.File{Path: path}, user }))
	}
	run(clients)
	if len(as.authorized) != 1 || len(as.registrations) != 1 {
		t.Errorf("%d logins, %d registrations", len(as.authorized), len(as.registrations))
	}
	as.revoke()
	run(clients)
	if len(as.authorized) != 1 || len(as.refreshes()) != 1 {
		t.Errorf("%d logins, refreshed by %q", len(as.authorized), as.refreshes())
	}
}

// lockedPerson is one user of several programs.
type lockedPerson struct {
	person
	turn *sync.Mutex
}

func (p *lockedPerson) Begin(ctx context.Context, wish string) (oauth.Login, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	return p.person.Begin(ctx, wish)
}

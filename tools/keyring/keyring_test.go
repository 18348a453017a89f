package keyring_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	system "github.com/zalando/go-keyring"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/keyring"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	_ oauth.Store  = (*keyring.Store)(nil)
	_ oauth.Locker = (*keyring.Store)(nil)
)

// open opens a keyring that is none of the user's.
func open(t *testing.T) *keyring.Store {
	t.Helper()
	system.MockInit()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	store, err := keyring.Open("dougu-test")
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestStore_ValueSizes(t *testing.T) {
	store, ctx := open(t), t.Context()
	load := func() []byte {
		t.Helper()
		value, err := store.Load(ctx, "token https://h/x")
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	if got := load(); got != nil {
		t.Errorf("%q before it was saved", got)
	}
	for _, value := range []string{"{}", strings.Repeat("a", 2048), strings.Repeat("b", 2049), strings.Repeat("c", 100_000), "short", "in parts: x 3", strings.Repeat("d", 5000)} {
		if err := store.Save(ctx, "token https://h/x", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got := load(); !bytes.Equal(got, []byte(value)) {
			t.Errorf("%d bytes for %d", len(got), len(value))
		}
	}
	if err := store.Save(ctx, "large", make([]byte, 1<<20)); err == nil {
		t.Error("a keyring takes everything")
	}
	for range 2 {
		if err := store.Delete(ctx, "token https://h/x"); err != nil {
			t.Error(err)
		}
	}
	if got := load(); got != nil {
		t.Errorf("%q after it was deleted", got)
	}
}

// A value that is there in part is none.
func TestLoad_MissingPart(t *testing.T) {
	store := open(t)
	if err := system.Set("dougu-test", "a", "in parts: gone 2"); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Load(t.Context(), "a"); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := store.Save(t.Context(), "a", []byte("b")); err != nil {
		t.Error(err)
	}
}

func TestLock(t *testing.T) {
	store := open(t)
	unlock, err := store.Lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// On a system without a keyring the error names the next step.
func TestOpen_NoKeyring(t *testing.T) {
	store := open(t)
	system.MockInitWithError(errors.New("no such service"))
	t.Cleanup(system.MockInit)
	_, opened := keyring.Open("dougu-test")
	_, loaded := store.Load(t.Context(), "a")
	for _, err := range []error{opened, loaded, store.Save(t.Context(), "a", nil), store.Delete(t.Context(), "a")} {
		if err == nil || !strings.Contains(err.Error(), "no such service") || !strings.Contains(err.Error(), "oauth.File") {
			t.Error(err)
		}
	}
	if _, err := keyring.Open(""); err == nil {
		t.Error("a keyring without a name")
	}
}

// The tokens go into the keyring, or into a file where there is none.
func ExampleOpen() {
	system.MockInit() // a keyring in memory
	var store oauth.Store
	store, err := keyring.Open("my-editor")
	if err != nil {
		store = &oauth.File{Path: filepath.Join("settings", "tokens.json")}
	}
	client := &oauth.Client{Name: "My editor", Store: store}
	defer client.Close()
	fmt.Printf("%T\n", client.Store)
	// Output: *keyring.Store
}

//go:build unix

package private_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security/internal/private"
)

func TestIs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o700: true, 0o640: false, 0o604: false, 0o601: false} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := private.Is(info); got != want || !private.Owned(info) {
			t.Errorf("mode %o: private %v, owned %v", mode, got, private.Owned(info))
		}
	}
}

package security_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/security"
)

// TestMove_BetweenFileSystems copies files and puts their originals into their own trash. Other entries are refused.
func TestMove_BetweenFileSystems(t *testing.T) {
	far := testrequire.OtherDevice(t)
	if err := os.WriteFile(filepath.Join(far, "old"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := layout(t, map[string]string{"file": "content", "script": "run", "dir/a": "a", "link": "-> file"})
	if err := os.Chmod(filepath.Join(dir, "script"), 0o750); err != nil {
		t.Fatal(err)
	}
	r := open(t, security.RootOptions{}, dir, far)
	at := func(name string) string { return far + "/" + name }
	for _, tt := range []struct {
		from, to string
		code     security.Code
	}{
		{"file", "new", ""}, {"script", "old", ""}, {"dir", "dir", security.InvalidParams}, {"link", "link", security.InvalidParams}, {"link", "old", security.InvalidParams},
	} {
		result, err := r.Move(t.Context(), tt.from, at(tt.to), security.MoveOptions{Overwrite: true})
		if security.CodeOf(err) != tt.code || err == nil && result.To.Path != at(tt.to) {
			t.Errorf("%s: %+v, %v", tt.from, result, err)
		}
		if err != nil && !strings.Contains(err.Error(), "file system") {
			t.Errorf("%s: says %q", tt.from, err)
		}
	}
	if got := contents(t, far); !maps.Equal(got, map[string]string{"new": "content", "old": "run"}) {
		t.Errorf("there is %v", got)
	}
	if info, err := os.Stat(at("old")); err != nil || info.Mode() != 0o750 {
		t.Errorf("the mode is lost: %v, %v", info.Mode(), err)
	}
	if got := trashed(t, far); !maps.Equal(got, map[string]string{"old": "old"}) {
		t.Errorf("what was overwritten is %v", got)
	}
	if got := trashed(t, dir); !maps.Equal(got, map[string]string{"file": "content", "script": "run"}) {
		t.Errorf("the trash holds %v", got)
	}
	if got := contents(t, dir); !maps.Equal(got, map[string]string{"dir/": "", "dir/a": "a", "link": "-> file"}) {
		t.Errorf("left %v", got)
	}
}

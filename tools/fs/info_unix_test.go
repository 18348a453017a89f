//go:build unix

package fs_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestInfo_FIFO(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"link": "-> fifo"})
	if err := syscall.Mkfifo(p.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := p.Info(t.Context(), fs.InfoArgs{Path: "fifo"})
	toolsettest.WantError(t, err, "NOT_A_REGULAR_FILE")
	if got := p.described(t, "link"); !strings.HasSuffix(got.Problem, "NOT_A_REGULAR_FILE") {
		t.Errorf("%+v", got)
	}
}

// TestInfo_UnreadableEntries checks the members that need no permission to read.
func TestInfo_UnreadableEntries(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	p := newProject(t, setup{}, map[string]string{"file": "content", "dir/a": "a"})
	for _, name := range []string{"file", "dir"} {
		if err := os.Chmod(p.path(name), 0o200); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(p.path(name), 0o700) })
		got := p.described(t, name)
		if got.Permissions != "-w-------" || got.SHA256 != "" || got.Entries != nil || !strings.HasSuffix(got.Problem, "PERMISSION_DENIED") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

package fs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

// The system says that files of /proc are empty.
func TestRead_UnknownSize(t *testing.T) {
	want, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		t.Skip(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{"/proc/self"}, StateDir: t.TempDir(), ReadOnly: true})
	if err != nil {
		t.Skip(err)
	}
	defer root.Close()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := files.Read(t.Context(), fs.ReadArgs{Path: "limits"})
	if err != nil {
		t.Skip("the system does not let it be read:", err)
	}
	if got.Content != string(want) || got.Size != int64(len(want)) || got.TotalLines != strings.Count(string(want), "\n") {
		t.Errorf("got %d bytes of %d", len(got.Content), got.Size)
	}
	got, err = files.Read(t.Context(), fs.ReadArgs{Path: "limits", MaxSize: 40})
	if err != nil || got.Content != "" && !strings.HasPrefix(string(want), got.Content) || !got.Truncated {
		t.Errorf("the beginning is %q, truncated %v, %v", got.Content, got.Truncated, err)
	}
}

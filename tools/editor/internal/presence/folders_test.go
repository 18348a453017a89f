package presence_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// abs is an absolute path on any system.
func abs(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func TestFolders(t *testing.T) {
	a := abs(t, "/a")
	for name, tt := range map[string]struct {
		said []string
		want []string
		err  string
	}{
		"none":      {nil, nil, ""},
		"cleaned":   {[]string{a + "/b/../c/", a}, []string{filepath.Join(a, "c"), a}, ""},
		"relative":  {[]string{a, "b"}, nil, `its folder "b" is no absolute path`},
		"with NUL":  {[]string{a + "\x00"}, nil, "is no absolute path"},
		"very long": {[]string{a + strings.Repeat("/b", 3000)}, nil, "is no absolute path"},
		"many":      {slices.Repeat([]string{a}, 101), nil, "more than 100 folders"},
	} {
		got, err := presence.Folders(tt.said)
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v; want %q, %q", name, got, err, tt.want, tt.err)
		}
	}
}

func TestFolders_Covering(t *testing.T) {
	for _, tt := range []struct {
		folders string // one after the other
		path    string
		depth   string // the folder
		concern bool   // with path as the project
	}{
		{"/a /a/b", "/a/b/c", "/a/b", true},
		{"/a/b /a", "/a/b", "/a/b", true},
		{"/a /a/b", "/a/bc", "/a", true},
		{"/a/b", "/a", "", true},
		{"/a/b", "/a/c", "", false},
		{"/a/b /c", "/", "", true},
		{"", "/a", "", false},
	} {
		var folders []string
		for _, folder := range strings.Fields(tt.folders) {
			folders = append(folders, abs(t, folder))
		}
		want := -1
		if tt.depth != "" {
			want = len(abs(t, tt.depth))
		}
		if got := presence.Depth(folders, abs(t, tt.path)); got != want {
			t.Errorf("%s is %d deep in %q, want %d", tt.path, got, folders, want)
		}
		if got := presence.Concern(folders, abs(t, tt.path)); got != tt.concern {
			t.Errorf("%q concern %s: %v, want %v", folders, tt.path, got, tt.concern)
		}
	}
}

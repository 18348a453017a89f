package security_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security"
)

func TestMakeDir(t *testing.T) {
	entries := map[string]string{"file": "x", "dir/": "", "link": "-> dir", "dangling": "-> made", "toFile": "-> file"}
	for _, tt := range []struct {
		path    string
		parents bool
		code    security.Code
		final   string
		created bool
	}{
		{"new", false, "", "new", true},
		{"new", true, "", "new", true},
		{"a/b/c", true, "", "a/b/c", true},
		{"a/b/c", false, security.FileNotFound, "", false},
		{"dir", false, "", "dir", false},
		{"link", true, "", "dir", false},
		{"link/new", false, "", "dir/new", true},
		{"dangling", false, "", "made", true},
		{".", true, "", ".", false},
		{"file", true, security.AlreadyExists, "", false},
		{"toFile", true, security.AlreadyExists, "", false},
		{"file/new", true, security.NotDirectory, "", false},
	} {
		dir := layout(t, entries)
		before := contents(t, dir)
		result, err := open(t, quick, dir).MakeDir(t.Context(), tt.path, tt.parents)
		if security.CodeOf(err) != tt.code || result.Path != tt.final || result.Created != tt.created {
			t.Errorf("%s, %v: %+v, %v", tt.path, tt.parents, result, err)
		}
		info, statErr := os.Stat(filepath.Join(dir, tt.path))
		if tt.code == "" && (statErr != nil || !info.IsDir()) {
			t.Errorf("%s, %v: %v, %v", tt.path, tt.parents, info, statErr)
		}
		if after := contents(t, dir); maps.Equal(before, after) == tt.created {
			t.Errorf("%s, %v:%s", tt.path, tt.parents, differences(before, after))
		}
	}
}

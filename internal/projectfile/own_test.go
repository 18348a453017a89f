package projectfile_test

import (
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/projectfile"
)

func TestAccepts(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for dir, want := range map[string]bool{
		home: false, filepath.Dir(home): false, filepath.Join(home, "x", ".."): false, filepath.VolumeName(home) + string(filepath.Separator): false,
		filepath.Join(home, "project"): true, home + "2": true, filepath.Join(filepath.Dir(home), "other"): true, filepath.Join(home, "..x"): true,
	} {
		if got := projectfile.Accepts(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

func TestGitignoreContent(t *testing.T) {
	text := projectfile.GitignoreContent("a", "b*")
	if want := "\n/.gitignore\n/a\n/b*\n"; text[len(text)-len(want):] != want || !projectfile.IsGitignore(text) || projectfile.IsGitignore("*\n") {
		t.Errorf("it is %q", text)
	}
}

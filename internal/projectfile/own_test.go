package projectfile_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/projectfile"
)

func TestGitignoreContent(t *testing.T) {
	text := projectfile.GitignoreContent("a", "b*")
	if want := "\n/.gitignore\n/a\n/b*\n"; text[len(text)-len(want):] != want || !projectfile.IsGitignore(text) || projectfile.IsGitignore("*\n") {
		t.Errorf("it is %q", text)
	}
}

package search_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/git/gittest"
	"github.com/dougu-go/dougu/tools/search"
)

// TestProjectContext_HostileRepository checks that getProjectContext runs no program of a repository.
func TestProjectContext_HostileRepository(t *testing.T) {
	gittest.EachGroup(t, func(t *testing.T, r *gittest.Repository, kind gittest.Kind) {
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{filepath.Join(r.Dir, kind.Dir)}, StateDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		own := parsers()
		s, err := search.New(tools.Env{Root: root}, search.Options{Parsers: own, GitMaxAge: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(t.Context()); err != nil {
				t.Log(err)
			}
			own.Close()
			root.Close()
		})
		got, err := s.ProjectContext(t.Context(), search.ContextArgs{IncludeIssues: new(false)})
		if err != nil {
			t.Fatal(err)
		}
		r.Check(t)
		warnings := strings.Join(got.Warnings, "\n")
		if refusal := kind.Unsafe; (got.Git == nil) != (refusal != "") && kind.Dir == "" || refusal != "" && kind.Dir == "" && !strings.Contains(warnings, refusal) {
			t.Errorf("git state %+v with the warnings %q", got.Git, warnings)
		}
		if strings.HasPrefix(kind.Off, "filter.") != strings.Contains(warnings, "may count as changed") {
			t.Errorf("the warnings are %q", warnings)
		}
	})
}

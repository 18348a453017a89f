package editor_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/git/gittest"
)

// Programs of a repository do not run when its changed files are listed.
func TestDiagnostics_HostileRepository(t *testing.T) {
	gittest.EachGroup(t, func(t *testing.T, r *gittest.Repository, kind gittest.Kind) {
		mind := newFakeServer()
		mind.diagnose = func(context.Context, []string) (adapter.Diagnostics, error) {
			return adapter.Diagnostics{Fresh: true}, nil
		}
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{filepath.Join(r.Dir, kind.Dir)}, StateDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		e, err := editor.New(t.Context(), tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{mind}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Diagnostics(t.Context(), editor.DiagnosticsArgs{Scope: "changed"})
		r.Check(t)
		if refusal := kind.Unsafe; refusal != "" {
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("the error is %v, want %q", err, refusal)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		filtered := strings.HasPrefix(kind.Off, "filter.")
		if notes := strings.Join(got.Notes, "\n"); filtered != strings.Contains(notes, "may count as changed") {
			t.Errorf("the notes are %q", notes)
		}
	})
}

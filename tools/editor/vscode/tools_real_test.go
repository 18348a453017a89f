//go:build linux

package vscode_test

import (
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// withTools uses the tools like an agent: find an error, fix it, and rename a symbol.
func withTools(s *session) {
	put(s.T, s.path("shape.ts"), "import { area } from \"./area\";\n\nexport function square(side: number) {\n  return area(side, side);\n}\n")
	put(s.T, s.path("shapes.ts"), "import { square } from \"./shape\";\n\nexport const one = square(1);\n")
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{s.project}, StateDir: s.TempDir(), Durability: security.Process})
	s.check(err)
	defer root.Close()
	e, err := editor.New(s.Context(), tools.Env{Root: root, Audit: new(audit.Log)}, editor.Options{Adapters: []adapter.Adapter{s.vscode}})
	s.check(err)

	if _, err := e.OpenFile(s.Context(), editor.OpenFileArgs{Path: "shape.ts", Line: 3}); err != nil {
		s.Fatal(err)
	}
	// The server of TypeScript learns of the new files.
	eventually(s.T, 30*time.Second, func() error {
		_, err := e.Diagnostics(s.Context(), editor.DiagnosticsArgs{Path: "shape.ts", WaitMS: 20_000})
		return err
	})
	begin := time.Now()
	inserted, err := e.InsertCode(s.Context(), editor.InsertCodeArgs{Path: "shape.ts", Line: 4, Content: "helper(side);"})
	s.check(err)
	s.Logf("insert_code in %s: %+v", time.Since(begin).Round(time.Millisecond), inserted)
	if inserted.Editor != "vscode" || !strings.Contains(s.onDisk("shape.ts").Text, "\n  helper(side);\n") {
		s.Errorf("%+v, on disk:\n%s", inserted, s.onDisk("shape.ts").Text)
	}

	begin = time.Now()
	found, err := e.Diagnostics(s.Context(), editor.DiagnosticsArgs{Path: "shape.ts", Severity: "error", WaitMS: 20_000})
	s.check(err)
	s.Logf("get_diagnostics in %s", time.Since(begin).Round(time.Millisecond))
	if len(found.Diagnostics) != 1 || !found.Fresh || found.Diagnostics[0].Code != "2304" {
		s.Fatalf("%+v", found)
	}
	offered, err := e.QuickFixes(s.Context(), editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{ID: found.Diagnostics[0].ID}})
	s.check(err)
	i := slices.IndexFunc(offered.Fixes, func(f editor.QuickFix) bool { return strings.HasPrefix(f.Title, "Add import") })
	if i < 0 || !strings.Contains(offered.Fixes[i].Diff, `+import { helper } from "./helper";`) {
		s.Fatalf("%+v", offered)
	}
	if _, err := e.ApplyQuickFix(s.Context(), editor.ApplyQuickFixArgs{FixID: offered.Fixes[i].FixID}); err != nil {
		s.Fatal(err)
	}
	found, err = e.Diagnostics(s.Context(), editor.DiagnosticsArgs{Path: "shape.ts", Severity: "error", WaitMS: 20_000})
	if err != nil || len(found.Diagnostics) != 0 || !found.Fresh {
		s.Errorf("after the fix: %+v, %v", found, err)
	}

	// One of the files is open in the window, the other is not.
	renamed, err := e.Rename(s.Context(), editor.RenameArgs{Target: editor.Target{Path: "shape.ts", Symbol: "square"}, NewName: "quadrat", DryRun: ptr(false)})
	s.check(err)
	if len(renamed.FilesModified) != 2 || strings.Contains(s.onDisk("shape.ts").Text+s.onDisk("shapes.ts").Text, "square") {
		s.Errorf("%+v", renamed)
	}
	if doc := s.document("shape.ts"); doc.Dirty || doc.Text != s.onDisk("shape.ts").Text {
		s.Errorf("the window has other text than the disk: %+v", doc)
	}
	found, err = e.Diagnostics(s.Context(), editor.DiagnosticsArgs{Paths: []string{"shape.ts", "shapes.ts"}, Severity: "error", WaitMS: 20_000})
	if err != nil || len(found.Diagnostics) != 0 || !found.Fresh {
		s.Errorf("after the rename: %+v, %v", found, err)
	}
}

package headless_test

import (
	"os"
	"strings"
	"testing"
)

// A created or deleted file changes the diagnostics of the files that use it.
func TestDiagnose_CreatedAndDeletedFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		open              func(*testing.T) *project
		user, made, lines string
		code              string
	}{
		"gopls":      {gopls, "use.go", "made.go", "package main\n\nfunc use() { made() }\n", "package main\n\nfunc made() {}\n"},
		"TypeScript": {typescript, "src/use.ts", "src/made.ts", "import { made } from './made.js'\nmade()\n", "export function made() {}\n"},
		"pyright":    {pyright, "use.py", "made.py", "from made import made\nmade()\n", "def made(): pass\n"},
		"clangd":     {clangd, "use.c", "made.h", "#include \"made.h\"\nint use(void) { return made(); }\n", "int made(void);\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := tc.open(t)
			p.write(tc.user, tc.lines)
			if got := strings.Join(p.diagnose(tc.user), "\n"); !strings.Contains(got, "made") {
				t.Errorf("without it:\n%s", got)
			}
			p.write(tc.made, tc.code)
			p.FilesChanged([]string{p.path(tc.made)})
			same(t, "with it", p.diagnose(tc.user), []string{})
			if err := os.Remove(p.path(tc.made)); err != nil {
				t.Fatal(err)
			}
			p.FilesChanged([]string{p.path(tc.made)})
			if got := strings.Join(p.diagnose(tc.user), "\n"); !strings.Contains(got, "made") {
				t.Errorf("without it again:\n%s", got)
			}
		})
	}
}

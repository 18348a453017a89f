package editor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// With a language server, references and hierarchies are by meaning.
func TestSymbols_Gopls(t *testing.T) {
	_, err := exec.LookPath("gopls")
	testrequire.Deep(t, err == nil, "gopls", "go install golang.org/x/tools/gopls@latest")
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.24\n",
		"a.go":   "package p\n\ntype Shape interface{ Area() int }\n\ntype Square struct{ side int }\n\n// Area returns the area of a square.\nfunc (s Square) Area() int { return double(s.side) }\n\nfunc double(n int) int { return 2 * n } // not triple\n\nfunc triple(n int) int { return 3 * n }\n",
	})
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir, "-symbols", "-audit", "-"}, args...)...)
	}
	apptest.Contains(t, call("find_symbol", "symbol=Square/Area", "info=true"), "a.go#Square.Area [method, 8-8]", "Area returns the area of a square.")
	references := call("find_references", "symbol=double")
	apptest.Contains(t, references, "[2 references]", " in Square/Area\n  8:37")
	if strings.Contains(references, "by name") {
		t.Errorf("references: %s", references)
	}
	apptest.Contains(t, call("find_hierarchy", "symbol=Shape", "direction=subtypes"), "a.go#Square [struct, 5]")
	program.MustFail(t, 1, "the tool failed", "call", "-root", dir, "-symbols", "-audit", "-", "delete_symbol", "symbol=double")
	apptest.Contains(t, call("delete_symbol", "symbol=triple"), "deleted triple") // the comment is no reference
	apptest.Contains(t, call("rename_symbol", "symbol=/double", "newName=twice", "dryRun=false"), "double to twice at 2 places")
	text, err := os.ReadFile(filepath.Join(dir, "a.go"))
	apptest.Must(t, err)
	if strings.Contains(string(text), "func triple") || !strings.Contains(string(text), "return twice(s.side)") {
		t.Errorf("%s", text)
	}
}

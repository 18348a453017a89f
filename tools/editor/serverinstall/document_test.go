package serverinstall_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

var update = flag.Bool("update", false, "rewrite the generated table")

// The table of docs/language-servers.md is made from the recipes.
func TestRecipes_Document(t *testing.T) {
	const file, begin = "../../../docs/language-servers.md", "other recipes are tested with registries of the tests.\n" // the table ends the document
	data, err := os.ReadFile(file)
	must(t, err)
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	before, _, ok := strings.Cut(text, begin)
	if !ok {
		t.Fatalf("%s has no place for the table", file)
	}
	var table strings.Builder
	table.WriteString("\n| server | languages | with | package | version | checksums | tested |\n|---|---|---|---|---|---|---|\n")
	for _, r := range serverinstall.Recipes() {
		sums := map[serverinstall.Client]string{serverinstall.NPM: "sha512", serverinstall.Go: "h1, go.sum", serverinstall.Pip: "sha256", serverinstall.Rustup: "sha256 of rustup"}[r.Client]
		if r.Unpinned {
			sums = "**not pinned**"
		}
		tested := ""
		if r.Tested {
			tested = "yes"
		}
		version := r.Version
		if version == "" {
			version = "of the toolchain"
		}
		if r.Node > 0 {
			version += fmt.Sprintf("; Node.js %d", r.Node)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | `%s` | %s | %s | %s |\n", strings.Join(r.Servers, ", "), strings.Join(r.Languages, ", "), r.Client, r.Package, version, sums, tested)
	}
	want := before + begin + table.String()
	if *update {
		must(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	if text != want {
		t.Errorf("%s does not have the present recipes; run this test with -update", file)
	}
}

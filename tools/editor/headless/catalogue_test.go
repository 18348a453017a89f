package headless_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/headless"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// The table of docs/language-servers.md is made from the catalogue.
func TestCatalogue_Document(t *testing.T) {
	const file, begin, end = "../../../docs/language-servers.md", "-run Catalogue_Document -update` updates it.\n", "## Install\n"
	yes := map[bool]string{true: "yes"}
	var table strings.Builder
	table.WriteString("\n| languages | server | program | runs project code | from | tested |\n|---|---|---|---|---|---|\n")
	for _, s := range headless.DefaultServers() {
		fmt.Fprintf(&table, "| %s | %s | `%s` | %s | %s | %s |\n", strings.Join(s.Languages, ", "), s.Name, s.Command, yes[s.RunsProject], s.Install, yes[s.Tested])
	}
	table.WriteString("\n")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	before, rest, ok := strings.Cut(text, begin)
	old, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the catalogue", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if old != table.String() {
		t.Errorf("%s is not what the catalogue says; run this test with -update", file)
	}
}

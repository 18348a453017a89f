package editor

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// editors is the section about adapters of other packages.
const editors = "## More editors\n\n" +
	"A program of your own gets further editors: `editor.New(editor.Options{Adapters: …})` has a function for each name, which opens the adapter. " +
	"The setting `editors` contains them by default, before the others, and `doctor` shows their state. " +
	"[examples/extend/adapter](../examples/extend/adapter) is an editor in memory with documents and diagnostics, for `editor.New` of the tools and without a program; " +
	"package `tools/editor/adapter/adaptertest` tests an adapter with each interface that it implements.\n"

// The reference is made from the declarations of the flags, the settings and the
// servers.
func TestReference_Current(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Reference of editor\n\nGenerated from the program; `go test ./tools/app/editor -run Reference -update` updates this page.\n\n" +
		"## Language servers\n\n[Language servers](language-servers.md) has the servers that are known and the places in which they are found.\n")
	doc.WriteString("\n## Formatters\n\n| program | languages | runs code of the project | to install |\n|---|---|---|---|\n")
	for _, f := range headless.DefaultFormatters() {
		fmt.Fprintf(&doc, "| `%s` | %s | %s | %s |\n", f.Command, strings.Join(f.Languages, ", "), yes(f.RunsProject), f.Install)
	}
	doc.WriteString("\n## Debuggers\n\nThey are used with `-debug` alone.\n\n| debugger | command | files | modes | to install |\n|---|---|---|---|---|\n")
	for _, a := range debug.DefaultAdapters() {
		fmt.Fprintf(&doc, "| `%s` | `%s` | %s | %s | %s |\n", a.Name, strings.Join(append([]string{a.Command}, a.Args...), " "), strings.Join(a.Extensions, ", "),
			strings.Join(slices.Sorted(maps.Keys(a.Launches)), ", "), a.Install)
	}
	doc.WriteString("\n## Settings\n\nSettings come from the file of `-config`, from environment variables and from flags; a variable wins over the file, and a flag over both. " +
		"An invalid setting ends the program.\n\n")
	apptest.Must(t, newTable(nil).Reference(&doc))
	doc.WriteString("\n" + editors + "\n")
	apptest.Must(t, program().Reference(&doc))
	const file = "../../../docs/editor-reference.md"
	if *update {
		apptest.Must(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the program says (%v); run this test with -update", file, err)
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

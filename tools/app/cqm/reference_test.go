package cqm

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// The reference is made from the declarations of the flags and the settings.
func TestReference_Current(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Reference of cqm\n\nGenerated from the program; `go test ./tools/app/cqm -run Reference -update` updates this page.\n\n" +
		"## Settings\n\nSettings come from the user's `~/.config/cqm/config.yaml` and then `" + searchservice.DefaultFile + "` in the project, or from the one file that `-config` or `" + searchservice.Prefix + "CONFIG_PATH` names, " +
		"from environment variables and from flags; a variable wins over the files, and a flag over both. `${NAME}` in a file stands for a variable, `$${` for `${` itself. " +
		"The file of a project cannot set the permitted clients, or the destinations of texts and secrets. An invalid setting ends the program.")
	for other, name := range searchservice.OtherVariables {
		doc.WriteString(" `" + other + "` is the same as `" + name + "`.")
	}
	doc.WriteString("\n\n")
	apptest.Must(t, searchservice.NewOptions(version, os.Environ).Reference(&doc))
	doc.WriteString("\n")
	apptest.Must(t, in()().Reference(&doc))
	const file = "../../../docs/search-reference.md"
	if *update {
		apptest.Must(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the program says (%v); run this test with -update", file, err)
	}
}

package kuromajutsu

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// executors is the section about executors of other packages.
const executors = "## More executors\n\n" +
	"A program of your own gets further executors: `kuromajutsu.New(kuromajutsu.Options{Executors: …})` has a function for each name, which opens the executor. " +
	"Roles and `agent.executor` select it by this name, `doctor` checks it, and messages about an unknown executor list it. " +
	"[examples/extend/executor](../examples/extend/executor) runs agents of an HTTP service, with `agents.New` and without a program; " +
	"package `tools/agents/executor/executortest` tests an executor: events, cancellation, processes that stay, hostile prompts and output.\n"

// The reference is made from the declarations of the flags and the settings.
func TestReference_Current(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Reference of kuromajutsu\n\nGenerated from the program; `go test ./tools/app/kuromajutsu -run Reference -update` updates this page.\n\n" +
		"## Settings\n\nSettings come from `" + agentservice.DefaultFile + "` in the project, or the file that `-config` or `" + agentservice.Prefix + "CONFIG` names, from environment variables and from flags; " +
		"a variable wins over the file, and a flag over both. An invalid setting ends the program.")
	for other, name := range agentservice.OtherVariables {
		doc.WriteString(" `" + other + "` is the same as `" + name + "`.")
	}
	doc.WriteString("\n\n")
	apptest.Must(t, agentservice.NewOptions(version, os.Environ, nil).Reference(&doc))
	doc.WriteString("\n" + executors + "\n")
	apptest.Must(t, in()().Reference(&doc))
	const file = "../../../docs/agents-reference.md"
	if *update {
		apptest.Must(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the program says (%v); run this test with -update", file, err)
	}
}

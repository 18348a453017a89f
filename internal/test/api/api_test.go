package api_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/test/api"
)

var update = flag.Bool("update", false, "write the files in the directory baseline")

const root = "../../.."

// TestBaseline compares the exported names of every released module with its file, and with the last tag of the module if there is one.
func TestBaseline(t *testing.T) {
	loaded, err := api.Load(t.Context(), root, api.Modules()...)
	must(t, err)
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	must(t, err)
	next, err := api.NextVersion(changelog)
	must(t, err)
	for _, module := range api.Modules() {
		name := filepath.Join("baseline", filepath.Base(api.ModulePath(module))+".txt")
		got := api.Describe(loaded[module])
		if *update {
			must(t, os.WriteFile(name, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(name)
		must(t, err)
		if diff := api.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
			t.Errorf("the public API of module %s has changed (- removed, + added). If the change is meant, run\n\n\tgo test -count=1 ./internal/test/api -update\n\n%s",
				api.ModulePath(module), diff)
		}
		tag, version, err := api.LastTag(t.Context(), root, module)
		must(t, err)
		if tag == "" {
			t.Logf("module %s has no tag yet", api.ModulePath(module))
		} else if err := api.CheckTag(t.Context(), root, module, tag, next, loaded[module]); err != nil {
			t.Errorf("after %s: %v", version, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

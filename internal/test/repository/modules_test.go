package repository_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Heavy dependencies stay out of the packages that every server links.
func TestModules_ServerDependencies(t *testing.T) {
	files, _ := sources(t)
	for _, s := range files {
		if !strings.HasPrefix(s.name, "mcp/") && !strings.HasPrefix(s.name, "transport/") || strings.HasPrefix(s.name, "mcp/schema/reference/") || strings.HasPrefix(s.name, "transport/websocket/") {
			continue // a package of its own, which is linked by its importers alone
		}
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !strings.HasPrefix(imported, module) &&
				!slices.Contains([]string{"github.com/invopop/jsonschema", "github.com/hashicorp/go-multierror", "golang.org/x/sys/unix", "golang.org/x/sys/windows"}, imported) {
				t.Errorf("%s imports %s", s.name, imported)
			}
		}
	}
}

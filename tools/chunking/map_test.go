package chunking_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking"
)

// Words of a question, entry points of manifests and lately edited files move declarations
// up.
func TestRepoMap_Focus(t *testing.T) {
	for _, tc := range []struct {
		name, manifest, content, edited string
		query, first                    string
	}{
		{name: "words", query: "where are letters sent?", first: "parts/mail.js:"},
		{name: "exports", manifest: "package.json", content: `{"exports": {".": {"import": "./parts/zoo.js"}}}`, first: "parts/zoo.js:"},
		{name: "scripts", manifest: "pyproject.toml", content: "[project.scripts]\nrun = \"parts.zoo:zoo\"\n", first: "parts/zoo.js:"},
		{name: "broken manifest", manifest: "package.json", content: `{"exports": [`, first: "parts/arch.js:"},
		{name: "edited", edited: "parts/yard.js", first: "parts/yard.js:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &project{dir: t.TempDir()}
			old := time.Now().Add(-24 * time.Hour)
			for _, name := range []string{"arch", "yard", "zoo", "mail"} {
				file := "parts/" + name + ".js"
				p.put(t, file, "export function "+strings.Replace(name, "mail", "sendLetter", 1)+"() {}\n")
				if file == tc.edited {
					continue
				}
				if err := os.Chtimes(filepath.Join(p.dir, file), old, old); err != nil {
					t.Fatal(err)
				}
			}
			if tc.manifest != "" {
				p.put(t, tc.manifest, tc.content)
			}
			p.open(t, chunking.Options{InMemory: true})
			p.analyze(t)
			r, err := p.RepoMap(t.Context(), chunking.RepoMapArgs{BudgetTokens: 50, Query: tc.query})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Map, tc.first) {
				t.Errorf("the map is\n%s", r.Map)
			}
		})
	}
}

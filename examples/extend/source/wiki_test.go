package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/examples/extend/source"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
)

const base = "https://wiki.example.com/"

// write writes the file of a page.
func write(dir, id, text string) error {
	name := filepath.Join(dir, filepath.FromSlash(id)+".md")
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
}

func TestWiki_Contract(t *testing.T) {
	plugintest.RunSource(t, func(t *testing.T) plugintest.Pages {
		dir := t.TempDir()
		wiki, err := source.Open(dir, base)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { wiki.Close() })
		return plugintest.Pages{
			Source: wiki,
			Put: func(doc plugin.Document) {
				text := doc.Text
				if doc.Title != "" {
					text = "# " + doc.Title + "\n\n" + text
				}
				if err := write(dir, doc.ID, text); err != nil {
					t.Error(err)
				}
			},
			Remove: func(id string) {
				if err := os.Remove(filepath.Join(dir, filepath.FromSlash(id)+".md")); err != nil {
					t.Error(err)
				}
			},
		}
	})
}

// TestWiki_Links checks that a link leads to no file outside of the directory.
func TestWiki_Links(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.md")
	if err := errors.Join(os.WriteFile(outside, []byte("password"), 0o600), os.Symlink(outside, filepath.Join(dir, "link.md"))); err != nil {
		t.Fatal(err)
	}
	wiki, err := source.Open(dir, base)
	if err != nil {
		t.Fatal(err)
	}
	defer wiki.Close()
	for doc, err := range wiki.List(t.Context()) {
		t.Errorf("List returns %+v, %v", doc, err)
	}
	if doc, err := wiki.Get(t.Context(), "link"); err == nil {
		t.Errorf("Get returns %+v", doc)
	}
}

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "wiki")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := write(dir, "Deploy/Rollback", "# Roll back a release\n\n## Steps\n\nSwitch to the previous image, then clear the cache.\n"); err != nil {
		log.Fatal(err)
	}
	wiki, err := source.Open(dir, base)
	if err != nil {
		log.Fatal(err)
	}
	defer wiki.Close()

	pages, err := external.New(wiki, external.Options{})
	if err != nil {
		log.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	set, err := search.New(tools.Env{Root: root}, search.Options{Plugins: []plugin.Plugin{pages}, CompactResults: true})
	if err != nil {
		log.Fatal(err)
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, set)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)

	for _, call := range []struct{ tool, arguments string }{
		{"refresh_index", `{"path":"wiki:"}`},
		{"searchDocuments", `{"query":"clear the cache","limit":1}`},
	} {
		result, err := box.Call(ctx, call.tool, json.RawMessage(call.arguments))
		if err != nil {
			log.Fatal(err)
		}
		if call.tool == "searchDocuments" {
			best := result.Blocks()[0].(mcp.TextContent) // one block for each result
			fmt.Println(best.Text)
		}
	}
	// Output:
	// wiki:/Deploy/Rollback:3-5 section Roll back a release > Steps
	// https://wiki.example.com/Deploy/Rollback
	// ## Steps
	//
	// Switch to the previous image, then clear the cache.
}

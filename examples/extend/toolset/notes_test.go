package toolset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/examples/extend/toolset"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/modelapi"
	"github.com/dougu-go/dougu/tools/toolstest"
)

func TestNotes(t *testing.T) {
	build := func(t testing.TB, env tools.Env) tools.Set {
		set, err := toolset.New(env, toolset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	toolstest.Run(t, build, toolstest.Options{
		Files: map[string]string{"README.md": "# Kites\n\nRed and blue.\n"},
		Calls: []toolstest.Call{
			{Tool: "count_words", Args: `{"path":"README.md"}`},
			{Tool: "append_note", Args: `{"note":"Buy paper."}`},
		},
	})
}

func TestNew_NoRoot(t *testing.T) {
	if _, err := toolset.New(tools.Env{}, toolset.Options{}); err == nil {
		t.Error("a set without a root is made")
	}
}

// A model reads and writes through the set, and the audit log has the change.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "toolset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Kites\n\nRed and blue.\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	records, err := audit.Open(audit.Options{}) // in memory; Path names a file
	if err != nil {
		log.Fatal(err)
	}
	defer records.Close()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, Audit: records})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	notes, err := toolset.New(tools.Env{Root: root, Audit: records}, toolset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, notes)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)

	for _, call := range [][2]string{
		{"count_words", `{"path":"README.md"}`},
		{"append_note", `{"note":"Buy paper."}`},
		{"count_words", `{"path":"../secret.txt"}`},
	} {
		result, err := box.Call(ctx, call[0], json.RawMessage(call[1]))
		if err != nil {
			log.Fatal(err)
		}
		if result.IsError {
			fmt.Println(result.ErrorCode())
		} else {
			fmt.Println(modelapi.Text(result))
		}
	}
	change := records.Recent(1)[0]
	fmt.Println(change.Operation, change.Params, change.Result)
	// Output:
	// 3 lines, 5 words
	// NOTES.md: note 1
	// PERMISSION_DENIED
	// fs.update {"path":"NOTES.md"} success
}

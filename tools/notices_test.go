package tools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
)

// A notice is in one answer, also in that of a tool that fails, and not lost in a round that asks the user.
func TestEnv_WithNotices(t *testing.T) {
	type none struct{}
	type answer struct {
		Done bool `json:"done"`
	}
	for what, outcome := range map[string]error{"a result": nil, "an error": errors.New("no such file")} {
		t.Run(what, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: state, Durability: security.Process})
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			fail := outcome
			tool := tools.Env{Root: root}.WithNotices(mcp.NewTool(mcp.Tool{Name: "look"}, func(context.Context, none) (answer, error) { return answer{true}, fail }))[0]
			call := func() []mcp.Content {
				t.Helper()
				result, err := tool.Call(t.Context(), []byte(`{}`))
				if err != nil {
					t.Fatal(err)
				}
				return result.Blocks()
			}
			if got := call(); len(got) != 1 {
				t.Fatalf("before: %v", got)
			}
			leaveNotice(t, root, state, "Something has happened.")
			fail = mcp.ErrInputRequired
			if got := call(); len(got) != 1 {
				t.Errorf("with a question: %v", got)
			}
			fail = outcome
			got := call()
			if text, ok := got[len(got)-1].(mcp.TextContent); len(got) != 2 || !ok || text.Text != "[Notice: Something has happened.]" {
				t.Errorf("%v", got)
			}
			if got := call(); len(got) != 1 {
				t.Errorf("again: %v", got)
			}
		})
	}
}

// leaveNotice puts a notice where one is after a change that was interrupted.
func leaveNotice(t *testing.T, root *security.Root, state, text string) {
	t.Helper()
	steps := []security.Step{{Kind: security.CreateStep, Path: "a"}, {Kind: security.CreateStep, Path: "b"}}
	if err := root.Batch(t.Context(), "test", steps...); err != nil { // makes the directory of the project
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(state, "journal", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	if err := os.WriteFile(filepath.Join(dirs[0], "0.notice"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

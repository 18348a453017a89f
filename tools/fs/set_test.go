package fs_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/toolstest"
)

func TestFiles_AsSet(t *testing.T) {
	build := func(t testing.TB, env tools.Env) tools.Set {
		set, err := fs.New(env, fs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	toolstest.Run(t, build, toolstest.Options{
		Files: map[string]string{"README.md": "# Notes\n\nTODO: more\n", "src/a.go": "package src\n\nfunc A() {}\n"},
		Calls: []toolstest.Call{
			{Tool: "read_file", Args: `{"path":"README.md"}`},
			{Tool: "list_directory", Args: `{"path":"."}`},
			{Tool: "search_content", Args: `{"pattern":"TODO"}`},
			{Tool: "search_files", Args: `{"pattern":"*.go"}`},
			{Tool: "get_workspace_structure", Args: `{}`},
			{Tool: "get_project_info", Args: `{}`},
			{Tool: "get_file_info", Args: `{"path":"src/a.go"}`},
			{Tool: "write_file", Args: `{"path":"new.txt","content":"text\n"}`},
			{Tool: "edit_file", Args: `{"path":"README.md","edits":[{"oldText":"more","newText":"less"}]}`},
			{Tool: "create_directory", Args: `{"path":"docs"}`},
			{Tool: "move_file", Args: `{"source":"new.txt","destination":"docs/new.txt"}`},
			{Tool: "delete_file", Args: `{"path":"docs/new.txt"}`},
		},
	})
}

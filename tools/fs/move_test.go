package fs_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestMove(t *testing.T) {
	for _, tt := range []struct {
		args fs.MoveArgs
		kind string
		text string
	}{
		{fs.MoveArgs{Source: "file", Destination: "new"}, "file", "[moved the file file to new]"},
		{fs.MoveArgs{Source: "link", Destination: "empty/link"}, "symlink", "[moved the link link to empty/link]"},
		{fs.MoveArgs{Source: "dir", Destination: "empty/dir"}, "directory", "[moved the directory with 3 entries dir to empty/dir]"},
		{fs.MoveArgs{Source: "file", Destination: "other", Overwrite: true}, "file", "[moved the file file to other]\n[what was there: .dougu-trash/"},
	} {
		p := newProject(t, free, map[string]string{"file": "content", "other": "old", "link": "-> file", "empty/": "", "dir/a": "a", "dir/sub/b": "b"})
		got, err := p.Move(t.Context(), tt.args)
		if err != nil || got.Source != tt.args.Source || got.Destination != tt.args.Destination || got.Type != tt.kind || p.exists(tt.args.Source) || !p.exists(tt.args.Destination) {
			t.Errorf("%+v: %+v, %v", tt.args, got, err)
		}
		if text := got.TextContent(); !strings.HasPrefix(text, tt.text) {
			t.Errorf("%+v: says %q", tt.args, text)
		}
		if got.ReplacedPath != "" && p.bytes(t, got.ReplacedPath) != "old" {
			t.Errorf("%+v: what was there is lost", tt.args)
		}
	}
}

func TestMove_Refusals(t *testing.T) {
	p := newProject(t, free, map[string]string{"src/main.go": "x", "lib/": "", "other": "old", ".env": "SECRET=1", "repo/.git/HEAD": "ref"})
	for _, tt := range []struct {
		args fs.MoveArgs
		code string
		says string
	}{
		{fs.MoveArgs{Source: "src/main.og", Destination: "x"}, "FILE_NOT_FOUND", "src/main.go"},
		{fs.MoveArgs{Source: "src/main.go", Destination: "lib"}, "IS_A_DIRECTORY", `"lib/main.go"`},
		{fs.MoveArgs{Source: "src/main.go", Destination: "lib/", Overwrite: true}, "IS_A_DIRECTORY", `"lib/main.go"`},
		{fs.MoveArgs{Source: "src/main.go", Destination: "other"}, "ALREADY_EXISTS", "overwrite=true"},
		{fs.MoveArgs{Source: "src/main.go", Destination: "none/x"}, "FILE_NOT_FOUND", "make the directory"},
		{fs.MoveArgs{Source: "src", Destination: "src/x"}, "INVALID_PARAMS", "inside of it"},
		{fs.MoveArgs{Source: "src", Destination: "src"}, "INVALID_PARAMS", "the same"},
		{fs.MoveArgs{Source: ".env", Destination: "x"}, "PERMISSION_DENIED", ""},
		{fs.MoveArgs{Source: "repo", Destination: "x"}, "PERMISSION_DENIED", ".git"},
		{fs.MoveArgs{Source: "other", Destination: ".git/hooks/x"}, "PERMISSION_DENIED", ""},
	} {
		_, err := p.Move(t.Context(), tt.args)
		toolsettest.WantError(t, err, tt.code, tt.says)
	}
}

func TestCreateDirectory(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "x", "dir/": "", "link": "-> dir"})
	for path, want := range map[string]struct {
		result fs.CreateDirectoryResult
		text   string
	}{
		"a/b/c":    {fs.CreateDirectoryResult{Path: "a/b/c", Created: true}, "[a/b/c: created]"},
		"dir":      {fs.CreateDirectoryResult{Path: "dir"}, "[dir: is a directory already]"},
		"link/new": {fs.CreateDirectoryResult{Path: "dir/new", Created: true}, "[dir/new: created]"},
	} {
		got, err := p.CreateDirectory(t.Context(), fs.CreateDirectoryArgs{Path: path})
		if err != nil || got != want.result || got.TextContent() != want.text || !p.exists(path) {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	_, err := p.CreateDirectory(t.Context(), fs.CreateDirectoryArgs{Path: "file"})
	toolsettest.WantError(t, err, "ALREADY_EXISTS", "no directory")
	_, err = p.CreateDirectory(t.Context(), fs.CreateDirectoryArgs{Path: ".git/x"})
	toolsettest.WantError(t, err, "PERMISSION_DENIED")
}

// TestChangeTools_DefinitionSize states what the definitions cost, and what clients are told of them.
func TestChangeTools_DefinitionSize(t *testing.T) {
	p := newProject(t, setup{}, nil)
	for name, want := range map[string]struct{ readOnly, destructive, idempotent bool }{
		"create_directory": {idempotent: true}, "move_file": {destructive: true}, "delete_file": {destructive: true}, "get_file_info": {readOnly: true},
	} {
		tool := toolsettest.Tool(t, p, name).Tool()
		if size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema); size > 400 {
			t.Errorf("%s takes %d bytes of every conversation", name, size)
		}
		is := func(hint *bool) bool { return hint != nil && *hint }
		a := tool.Annotations
		if is(a.ReadOnly) != want.readOnly || is(a.Destructive) != want.destructive || is(a.Idempotent) != want.idempotent || a.OpenWorld == nil || *a.OpenWorld {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for tool, args := range map[string]string{"delete_file": `{}`, "move_file": `{"source":"x"}`, "create_directory": `{"paths":["x"]}`, "get_file_info": `{"path":1}`} {
		if got := toolsettest.Call(t, p, tool, args); !got.IsError {
			t.Errorf("%s(%s): %s", tool, args, toolsettest.Text(t, got))
		}
	}
	if got := toolsettest.Structured[fs.CreateDirectoryResult](t, toolsettest.Call(t, p, "create_directory", `{"path":"x/y"}`)); !got.Created {
		t.Errorf("create_directory answers %+v", got)
	}
}

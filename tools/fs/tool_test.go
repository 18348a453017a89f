package fs_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

var _ tools.Set = (*fs.Files)(nil)

func TestTools_JSON(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"src/main.go": "package main\r\n\r\nfunc main() {}\r\n"})
	read := toolsettest.Call(t, p, "read_file", `{"path":"src/main.go","startLine":3}`)
	if got := toolsettest.Text(t, read); !strings.HasSuffix(got, "]\n3\tfunc main() {}\n") {
		t.Errorf("read_file says %q", got)
	}
	got := toolsettest.Structured[fs.ReadResult](t, read)
	if got.Content != "func main() {}\r\n" || got.EOL != "crlf" || got.StartLine != 3 || got.TotalLines != 3 || got.LastModified.IsZero() {
		t.Errorf("read_file answers %+v", got)
	}

	args, err := json.Marshal(map[string]any{"path": "src/main.go", "content": "package main\n", "expectedSha256": got.SHA256})
	if err != nil {
		t.Fatal(err)
	}
	written := toolsettest.Call(t, p, "write_file", string(args))
	if got := toolsettest.Structured[fs.WriteResult](t, written); !got.Success || got.Size != 14 || p.bytes(t, "src/main.go") != "package main\r\n" {
		t.Errorf("write_file answers %+v", got)
	}
	if got := toolsettest.Text(t, written); got != "[src/main.go: wrote 14 bytes; now 14 bytes, utf-8, sha256 "+tag("package main\r\n")+"]" {
		t.Errorf("write_file says %q", got)
	}
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "write_file", `{"path":"new","content":"x"}`)); !strings.HasPrefix(got, "[new: created; now 1 byte, utf-8") {
		t.Errorf("write_file says %q", got)
	}
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "write_file", `{"path":"new","content":"x"}`)); !strings.HasPrefix(got, "[new: unchanged") {
		t.Errorf("write_file says %q", got)
	}
	stale := toolsettest.Call(t, p, "write_file", string(args))
	if got := toolsettest.Text(t, stale); !stale.IsError || !strings.HasPrefix(got, "STALE_FILE: ") || !strings.Contains(got, "\nNext step: Read the file again") {
		t.Errorf("write_file says %q", got)
	}

	listed := toolsettest.Call(t, p, "list_directory", `{"recursive":true,"pattern":"*.go"}`)
	if got := toolsettest.Text(t, listed); got != "[.: 1 entry]\nsrc/main.go\t14\n" {
		t.Errorf("list_directory says %q", got)
	}
	if got := toolsettest.Structured[fs.ListResult](t, listed); got.TotalCount != 1 || got.Entries[0].Type != "file" || got.Entries[0].Permissions == "" {
		t.Errorf("list_directory answers %+v", got)
	}
	if empty := string(toolsettest.Call(t, p, "list_directory", `{"pattern":"none"}`).Structured); !strings.Contains(empty, `"entries":[]`) {
		t.Errorf("list_directory answers %s", empty)
	}
}

func TestTools_InvalidArguments(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "x"})
	for _, tt := range []struct{ tool, args, says string }{
		{"read_file", `{}`, "path"},
		{"read_file", `{"path":"f","length":0}`, "length"},
		{"read_file", `{"path":"f","length":10000001}`, "length"},
		{"read_file", `{"path":"f","offset":-1}`, "offset"},
		{"read_file", `{"path":"f","offset":1,"endLine":1}`, "offset and endLine"},
		{"read_file", `{"path":"f","Path":"g"}`, "Path"},
		{"read_file", `{"path":"f","encoding":"klingon"}`, "klingon"},
		{"write_file", `{"path":"f"}`, "content"},
		{"write_file", `{"path":"f","content":"x","mode":"prepend"}`, "mode"},
		{"write_file", `{"path":"f","content":"x","eol":"cr"}`, "eol"},
		{"list_directory", `{"maxEntries":0}`, "maxEntries"},
		{"list_directory", `{"depth":1}`, "depth"},
	} {
		got := toolsettest.Call(t, p, tt.tool, tt.args)
		if !got.IsError || !strings.Contains(toolsettest.Text(t, got), tt.says) || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
			t.Errorf("%s(%s): %s", tt.tool, tt.args, toolsettest.Text(t, got))
		}
	}
	if got := toolsettest.Call(t, p, "read_file", `{"path":"f","encoding":"cp932","endLine":null}`); got.IsError {
		t.Errorf("another name of an encoding: %s", toolsettest.Text(t, got))
	}
}

func TestRead_ImageContent(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.png": picture(t, 0)})
	got := toolsettest.Call(t, p, "read_file", `{"path":"a.png"}`)
	if len(got.Content) != 2 {
		t.Fatalf("got %d blocks", len(got.Content))
	}
	shown, ok := got.Content[1].(mcp.ImageContent)
	if !ok || shown.MIMEType != "image/png" || string(shown.Data) != picture(t, 0) {
		t.Errorf("the second block is %+v", got.Content[1])
	}
	if s := toolsettest.Text(t, got); !strings.HasPrefix(s, "[a.png: image, ") || !strings.Contains(s, "image/png") {
		t.Errorf("the text is %q", s)
	}
	if s := toolsettest.Structured[fs.ReadResult](t, got); s.Content != "" || s.MIMEType != "image/png" {
		t.Errorf("the structured content repeats the image: %+v", s)
	}
}

func TestTools_Definitions(t *testing.T) {
	p := newProject(t, setup{}, nil)
	total := 0
	for _, st := range p.Features().Tools {
		tool := st.Tool()
		if tool.Annotations == nil || tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s lacks annotations, an output schema or a description", tool.Name)
			continue
		}
		verb, _, _ := strings.Cut(tool.Name, "_")
		changes := slices.Contains([]string{"write", "edit", "create", "move", "delete"}, verb)
		if readOnly := tool.Annotations.ReadOnly != nil && *tool.Annotations.ReadOnly; readOnly == changes {
			t.Errorf("%s: read-only is %v", tool.Name, readOnly)
		}
		// Hosts give these three members to models.
		size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema)
		if total += size; size > 800 {
			t.Errorf("%s takes %d bytes of every conversation", tool.Name, size)
		}
	}
	if n := len(p.Features().Tools); n != 12 || total > n*480 {
		t.Errorf("%d tools take %d bytes of every conversation", n, total)
	}
}

func TestTools_SchemaDefaults(t *testing.T) {
	p := newProject(t, setup{maxFile: 1000, options: fs.Options{CreateDirectories: true}}, nil)
	for tool, defaults := range map[string]map[string]any{
		"read_file":      {"encoding": "auto", "maxSize": 1000.},
		"write_file":     {"encoding": "auto", "createDirectories": true, "createBackup": false, "overwrite": true},
		"list_directory": {"path": ".", "recursive": false, "includeHidden": false, "maxEntries": 500.},
	} {
		var schema struct {
			Properties map[string]struct{ Default any }
		}
		if err := json.Unmarshal(toolsettest.Tool(t, p, tool).Tool().InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for name, want := range defaults {
			if got := schema.Properties[name].Default; got != want {
				t.Errorf("%s: the default of %s is %v, want %v", tool, name, got, want)
			}
		}
	}
	if got := toolsettest.Call(t, p, "write_file", `{"path":"a/b","content":"x"}`); got.IsError {
		t.Errorf("directories are not made: %s", toolsettest.Text(t, got))
	}
}

func TestTools_ProfileDefaults(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "old"})
	srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, nil)
	in, err := tools.Install(srv, "files", tools.Profile{
		Defaults: map[string]map[string]any{"write_file": {"createBackup": true}},
		Enums:    map[string]map[string][]any{"read_file": {"encoding": {"auto", "utf-8", "binary"}}},
		Aliases:  map[string]string{"readFile": "read_file"},
	}, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Error(err)
	}
	changed := toolsettest.Tool(t, p, "write_file").With(mcp.ToolOptions{Defaults: map[string]any{"createBackup": true}})
	got, err := changed.Call(t.Context(), json.RawMessage(`{"path":"f","content":"new"}`))
	if err != nil || toolsettest.Structured[fs.WriteResult](t, got).BackupPath == "" {
		t.Errorf("no backup: %v, %v", got, err)
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	if _, err := fs.New(tools.Env{}, fs.Options{}); err == nil {
		t.Error("there is no root, and nobody says so")
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, encoding := range []string{"binary", "morse"} {
		if _, err := fs.New(tools.Env{Root: root}, fs.Options{NewFileEncoding: encoding}); err == nil || !strings.Contains(err.Error(), encoding) {
			t.Errorf("new files in %s: %v", encoding, err)
		}
	}
}

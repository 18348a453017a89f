package fs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestSearchTools_JSON(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"src/main.go": "package main\n\nfunc main() {}\n", "README.md": "main\n", "src/big/a": "", "src/big/b": ""})
	p.age(t, "src/main.go", "README.md", "src/big")

	content := toolsettest.Call(t, p, "search_content", `{"pattern":"main","context":1,"glob":["*.go"]}`)
	if got := toolsettest.Text(t, content); got != "[2 matching lines in 1 file]\nsrc/main.go\n1: package main\n2- \n3: func main() {}\n" {
		t.Errorf("search_content says %q", got)
	}
	if got := string(content.Structured); got != `{"files":[{"path":"src/main.go","matches":2,"lines":[{"line":1,"text":"package main"},{"line":2,"text":"","context":true},`+
		`{"line":3,"text":"func main() {}"}]}],"totalMatches":2,"totalFiles":1,"truncated":false}` {
		t.Errorf("search_content answers %s", got)
	}
	if got := string(toolsettest.Call(t, p, "search_content", `{"pattern":"main","outputMode":"files","caseSensitive":true}`).Structured); got !=
		`{"files":[{"path":"src/main.go","matches":2},{"path":"README.md","matches":1}],"totalMatches":3,"totalFiles":2,"truncated":false}` {
		t.Errorf("search_content answers %s", got)
	}
	if got := toolsettest.Structured[fs.SearchContentResult](t, toolsettest.Call(t, p, "search_content", `{"pattern":"none"}`)); got.Files == nil || got.Note == "" {
		t.Errorf("search_content answers %+v", got)
	}

	files := toolsettest.Call(t, p, "search_files", `{"pattern":"*.go","includeIgnored":false,"maxResults":10,"fileType":"file"}`)
	if got := toolsettest.Structured[fs.SearchFilesResult](t, files); got.TotalCount != 1 || got.Files[0].Path != "src/main.go" || *got.Files[0].Size != 29 {
		t.Errorf("search_files answers %+v", got)
	}

	tree := toolsettest.Call(t, p, "get_workspace_structure", `{"maxDepth":2,"excludePatterns":["README*"]}`)
	if got := toolsettest.Text(t, tree); got != "[.: 3 files, 2 directories]\nsrc/\n  big/ … 2 files\n  main.go\n[… is folded; ask for a directory with path to see more of it, or raise maxBytes]\n" {
		t.Errorf("get_workspace_structure says %q", got)
	}
	if got := toolsettest.Structured[fs.WorkspaceStructure](t, tree); got.TotalFiles != 3 || got.TotalDirectories != 2 || len(got.Root.Children) != 1 || got.Root.Children[0].Children[0].Folded.Files != 2 {
		t.Errorf("get_workspace_structure answers %+v", got)
	}

	project := toolsettest.Call(t, p, "get_project_info", `{}`)
	if got := toolsettest.Structured[fs.ProjectInfo](t, project); got.Language != "Go" || got.RootPath == "" || got.Settings == nil || !strings.HasPrefix(toolsettest.Text(t, project), "project: "+got.Name+"\n") {
		t.Errorf("get_project_info answers %+v", got)
	}
}

func TestSearchTools_InvalidArguments(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "x"})
	for _, tt := range []struct{ tool, args, says string }{
		{"search_content", `{}`, "pattern"},
		{"search_content", `{"pattern":"x","maxResults":0}`, "maxResults"},
		{"search_content", `{"pattern":"x","maxResults":1001}`, "maxResults"},
		{"search_content", `{"pattern":"x","context":21}`, "context"},
		{"search_content", `{"pattern":"x","outputMode":"lines"}`, "outputMode"},
		{"search_content", `{"pattern":"x(","path":"f"}`, "INVALID_PATTERN"},
		{"search_files", `{}`, "pattern"},
		{"search_files", `{"pattern":""}`, "pattern"},
		{"search_files", `{"pattern":"x","fileType":"link"}`, "fileType"},
		{"search_files", `{"pattern":"x","maxResults":1001}`, "maxResults"},
		{"get_workspace_structure", `{"maxDepth":11}`, "maxDepth"},
		{"get_workspace_structure", `{"maxDepth":0}`, "maxDepth"},
		{"get_workspace_structure", `{"maxBytes":10}`, "maxBytes"},
		{"get_project_info", `{"path":"."}`, "path"},
	} {
		got := toolsettest.Call(t, p, tt.tool, tt.args)
		if !got.IsError || !strings.Contains(toolsettest.Text(t, got), tt.says) || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
			t.Errorf("%s(%s): %s", tt.tool, tt.args, toolsettest.Text(t, got))
		}
	}
}

func TestSearchTools_DefinitionSize(t *testing.T) {
	p := newProject(t, setup{}, nil)
	var names []string
	for _, st := range p.Features().Tools {
		most, ok := map[string]int{"search_content": 800, "search_files": 500, "get_workspace_structure": 500, "get_project_info": 500, "list_directory": 500}[st.Tool().Name]
		if !ok {
			continue
		}
		tool := st.Tool()
		names = append(names, tool.Name)
		if size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema); size > most {
			t.Errorf("%s takes %d bytes of every conversation", tool.Name, size)
		}
		if a := tool.Annotations; a == nil || a.ReadOnly == nil || !*a.ReadOnly || !json.Valid(tool.OutputSchema) {
			t.Errorf("%s lacks annotations or an output schema", tool.Name)
		}
	}
	if got := strings.Join(names, " "); got != "list_directory search_content search_files get_workspace_structure get_project_info" {
		t.Errorf("the tools are %s", got)
	}
}

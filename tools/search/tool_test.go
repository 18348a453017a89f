package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// TestTools_Definitions checks the tools, their parameters, defaults and limits.
func TestTools_Definitions(t *testing.T) {
	p := newProject(t, nil, search.Options{})
	type property struct {
		Type                      string
		Default, Minimum, Maximum any
		MinLength, MaxLength      any
		Enum                      []string
		Description               string
		Properties                map[string]json.RawMessage
		AdditionalProperties      *bool
	}
	want := map[string]string{
		"getProjectContext": "includeFiles:boolean=false includeGitStatus:boolean=true includeIssues:boolean=true maxResults:integer=50[1,500]",
		"searchDocuments":   "cursor:string filters:object includeContent:boolean=true limit:integer=20[1,100] maxBytes:integer[1000,<nil>] mode:string=auto query:string!",
		"searchIssues":      "assignee:string labels:array limit:integer=10[1,50] query:string! repo:string state:string=open",
		"createIssue":       "allowDuplicate:boolean assignees:array body:string dryRun:boolean labels:array milestone:string title:string!",
		"findSimilarCode":   "code:string! language:string limit:integer=10[1,50] similarity:number=0.7[0,1]",
		"get_index_status":  "path:string",
		"refresh_index":     "full:boolean=false path:string waitMs:integer=40000[1,600000]",
	}
	var names []string
	for _, tool := range p.Features().Tools {
		names = append(names, tool.Tool().Name)
		var schema struct {
			Properties           map[string]property
			Required             []string
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(tool.Tool().InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		var parts []string
		for name, p := range schema.Properties {
			part := name + ":" + p.Type
			if p.Default != nil {
				part += fmt.Sprint("=", p.Default)
			}
			if p.Minimum != nil || p.Maximum != nil {
				part += fmt.Sprintf("[%v,%v]", p.Minimum, p.Maximum)
			}
			if slices.Contains(schema.Required, name) {
				part += "!"
			}
			parts = append(parts, part)
		}
		slices.Sort(parts)
		if got := strings.Join(parts, " "); got != want[tool.Tool().Name] {
			t.Errorf("%s has\n     %s\nwant %s", tool.Tool().Name, got, want[tool.Tool().Name])
		}
		if schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s takes anything", tool.Tool().Name)
		}
		if len(tool.Tool().OutputSchema) == 0 {
			t.Errorf("%s has no output schema", tool.Tool().Name)
		}
	}
	if want := []string{"getProjectContext", "searchDocuments", "searchIssues", "createIssue", "findSimilarCode", "get_index_status", "refresh_index"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}
	if schema := string(toolsettest.Tool(t, p, "findSimilarCode").Tool().InputSchema); !strings.Contains(schema, `"enum":["typescript","javascript","python","go","rust","java","`) || !strings.Contains(schema, `"kotlin"`) {
		t.Errorf("languages in %s", schema)
	}
}

// texts returns the text blocks of a result.
func texts(r *mcp.ToolResult) []string {
	var all []string
	for _, block := range r.Blocks() {
		if text, ok := block.(mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return all
}

// TestTools_ResultBlocks checks that a client receives one block per result and the same structured content. Numbers may be
// sent as 3.0.
func TestTools_ResultBlocks(t *testing.T) {
	k := newTracker()
	p := newProject(t, nil, search.Options{}, newShelf(t, library()), k)

	got := toolsettest.Call(t, p, "searchDocuments", `{"query":"Stack","limit":2.0,"filters":{"fileTypes":["go"],"path":"stack/"}}`)
	blocks := texts(got)
	if len(blocks) != 3 || !strings.HasPrefix(blocks[0], "stack/stack.go:9-10 ") || !strings.HasPrefix(blocks[2], "[2 of ") {
		t.Errorf("blocks %q", blocks)
	}
	if r := toolsettest.Structured[search.DocumentsResult](t, got); len(r.Results) != 2 || r.Metadata.TotalResults < 2 || r.NextCursor == "" {
		t.Errorf("%+v", r)
	}

	got = toolsettest.Call(t, p, "searchIssues", `{"query":"crash"}`)
	var issues []plugin.Issue
	if err := json.Unmarshal([]byte(texts(got)[0]), &issues); err != nil || len(issues) != 1 || issues[0].Title != "crash on start" {
		t.Errorf("%q: %v", texts(got), err)
	}

	got = toolsettest.Call(t, p, "createIssue", `{"title":"New"}`)
	link, ok := got.Blocks()[1].(mcp.ResourceLink)
	if text := texts(got)[0]; text != "Issue created: https://example.com/4" || !ok || link.URI != "https://example.com/4" || link.Name != "New" {
		t.Errorf("%q, %+v", text, link)
	}
	if got = toolsettest.Call(t, p, "createIssue", `{"title":"twice"}`); got.IsError || !strings.Contains(texts(got)[0], "not created") || !strings.Contains(texts(got)[0], "#3 twice") {
		t.Errorf("%q", texts(got))
	}

	got = toolsettest.Call(t, p, "getProjectContext", `{"includeFiles":true,"includeGitStatus":false}`)
	if c := toolsettest.Structured[search.ProjectContext](t, got); len(c.Files) != 3 || c.Project.Name == "" || len(c.Issues) != 4-1 {
		t.Errorf("%+v", c)
	}
	if text := texts(got)[0]; !strings.Contains(text, "  stack/stack.go, 542 bytes\n") || !strings.Contains(text, "  o/r#1 crash on start\n") {
		t.Errorf("%q", text)
	}

	for name, args := range map[string]string{
		"searchDocuments":   `{"query":""}`,
		"searchIssues":      `{"query":"x","limit":51}`,
		"createIssue":       `{"title":"x","surprise":1}`,
		"findSimilarCode":   `{"code":"too short"}`,
		"getProjectContext": `{"maxResults":0}`,
	} {
		if got := toolsettest.Call(t, p, name, args); !got.IsError || got.ErrorCode() != "INVALID_PARAMS" {
			t.Errorf("%s(%s): %q", name, args, texts(got))
		}
	}
}

// TestTools_AnswerBudget checks that results of all tools stay within their size limits.
func TestTools_AnswerBudget(t *testing.T) {
	files := make(map[string]string)
	for i := range 60 {
		files[fmt.Sprintf("f%02d.md", i)] = "# Common\n\n" + strings.Repeat("common words in a long line, "+strings.Repeat("語", 50)+"\n", 60)
	}
	k := newTracker()
	for i := range 500 {
		k.issues = append(k.issues, plugin.Issue{Number: i, State: "open", Title: "crash " + strings.Repeat("x", 200), Body: strings.Repeat("y", 300)})
	}
	p := newProject(t, nil, search.Options{}, newShelf(t, files), k)
	for name, args := range map[string]string{
		"searchDocuments":   `{"query":"common","limit":100}`,
		"searchIssues":      `{"query":"crash","limit":50}`,
		"getProjectContext": `{"includeFiles":true,"maxResults":500}`,
	} {
		size := 0
		for _, text := range texts(toolsettest.Call(t, p, name, args)) {
			size += len(text)
		}
		if size < 4000 || size > 42<<10 {
			t.Errorf("%s returns %d bytes", name, size)
		}
	}
}

// TestTools_ThroughServer calls the set through a server that renames the tools.
func TestTools_ThroughServer(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	client := mcptest.Connect(t, mcptest.Server(t, p.Features()), nil)
	r, err := mcp.Call[search.DocumentsResult](t.Context(), client, "searchDocuments", search.DocumentsArgs{Query: "Push"})
	if err != nil || len(r.Results) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// writer is a set with one tool that has arguments with usual names.
type writer struct{}

type replaceArgs struct {
	FilePath string `json:"filePath"`
	ChunkID  string `json:"chunkId,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	Max      int    `json:"maxResults,omitempty"`
	Edits    []struct {
		OldText string `json:"oldText"`
	} `json:"edits,omitempty"`
}

func (writer) Features() mcp.Features {
	return mcp.Features{Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "replace"}, func(_ context.Context, args replaceArgs) (string, error) {
		parts := []string{args.FilePath, args.ChunkID}
		for _, e := range args.Edits {
			parts = append(parts, e.OldText)
		}
		return strings.Join(parts, " "), nil
	})}}
}

func (writer) Close(context.Context) error { return nil }

func TestProfile_Arguments(t *testing.T) {
	plain := tools.Profile{}
	tolerant := tools.Profile{OtherSpelling: true}
	named := tools.Profile{OtherSpelling: true, ArgumentNames: map[string]string{"filePath": "path", "chunkId": "path", "maxResults": "limit", "absent": "x"}}
	for _, tc := range []struct {
		name    string
		profile tools.Profile
		args    string
		want    string
	}{
		{"own name", plain, `{"filePath":"a"}`, "a "},
		{"other name without the profile's leave", plain, `{"file_path":"a"}`, "filePath: required"},
		{"other spelling", tolerant, `{"file_path":"a","chunk_id":"b"}`, "a b"},
		{"usual name", tolerant, `{"file":"a","id":"b"}`, "a b"},
		{"usual name inside a list", tolerant, `{"path":"a","edits":[{"old_string":"c"}]}`, "a  c"},
		{"usual name at a higher level", tolerant, `{"path":"a","old_string":"c"}`, `did you mean "edits[].oldText"?`},
		{"name that two arguments could have", tolerant, `{"path":"a","max_count":1}`, `unknown argument "max_count"`},
		{"same argument twice", tolerant, `{"path":"a","filePath":"b"}`, "given twice"},
		{"name of the profile, which the first of two gets", named, `{"path":"b","filePath":"a"}`, "a b"},
		{"name of the profile beside the own one", named, `{"path":"b","chunkId":"a","filePath":"a"}`, `argument "path" is given twice`},
		{"own name beside that of the profile", named, `{"chunkId":"b","filePath":"a"}`, "a b"},
		{"typo", named, `{"filePth":"a"}`, "unknown argument"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
			installed, err := tools.Install(srv, "test", tc.profile, writer{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = installed.Close(context.Background()) })
			if got := call(srv, "replace", tc.args); !strings.Contains(got, tc.want) {
				t.Errorf("%s: %q, want %q", tc.args, got, tc.want)
			}
		})
	}
}

func TestProfile_ArgumentNamesAreListed(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	installed, err := tools.Install(srv, "test", tools.Profile{OtherSpelling: true, ArgumentNames: map[string]string{"filePath": "path", "maxResults": "limit"}}, writer{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = installed.Close(context.Background()) })
	input := string(srv.Tools()[0].InputSchema)
	for part, want := range map[string]bool{`"path":`: true, `"filePath"`: false, `"limit":`: true, `"maxResults":`: true, `"required":["path"]`: true, "file_path": false} {
		if strings.Contains(input, part) != want {
			t.Errorf("%s: contains %s is not %v", input, part, want)
		}
	}
}

// changer is a set with tools that change files and processes, each with the arguments of its name.
type changer struct{}

func (changer) Features() mcp.Features {
	tool := func(name string, in string) mcp.ServerTool {
		schema := json.RawMessage(`{"type":"object","properties":{` + in + `},"additionalProperties":false}`)
		return mcp.NewRawTool(mcp.Tool{Name: name, InputSchema: schema}, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.Text(string(args)), nil
		})
	}
	return mcp.Features{Tools: []mcp.ServerTool{
		tool("delete", `"path":{},"recursive":{}`),
		tool("write", `"path":{},"content":{}`),
		tool("delete_lines", `"startLine":{},"endLine":{}`),
		tool("rename", `"line":{},"column":{},"newName":{}`),
		tool("delegate", `"prompt":{},"timeout_ms":{}`),
		tool("run", `"command":{},"cwd":{},"timeout":{},"waitMs":{}`),
		tool("note", `"text":{}`),
		tool("refactor", `"refactoringId":{},"name":{}`),
	}}
}

func (changer) Close(context.Context) error { return nil }

func TestProfile_ArgumentsOfOtherMeaning(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	installed, err := tools.Install(srv, "test", tools.Profile{OtherSpelling: true}, changer{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = installed.Close(context.Background()) })
	for tool, names := range map[string][]string{
		"delete":       {"cwd", "working_directory", "workdir", "projectPath"},
		"write":        {"newCode", "newBody", "new_body", "cwd"},
		"delete_lines": {"start", "end"},
		"rename":       {"character", "row", "name"},
		"delegate":     {"waitMs", "wait", "wait_ms"},
		"run":          {"script", "timeoutMs"},
		"note":         {"query", "search", "pattern", "input", "code"},
		"refactor":     {"symbol", "query", "identifier"},
	} {
		for _, name := range names {
			if got := call(srv, tool, `{"`+name+`":"x"}`); !strings.Contains(got, "unknown argument") {
				t.Errorf("%s %s: %q", tool, name, got)
			}
		}
	}
	for tool, args := range map[string]string{
		"delete":   `{"file_path":"x"}`,
		"write":    `{"file":"x","text":"y"}`,
		"run":      `{"cmd":"x","directory":"y"}`,
		"delegate": `{"task":"x","timeoutMs":1}`,
	} {
		if got := call(srv, tool, args); strings.Contains(got, "unknown argument") {
			t.Errorf("%s %s: %q", tool, args, got)
		}
	}
}

func TestProfile_UnlistedArguments(t *testing.T) {
	for _, tolerant := range []bool{false, true} {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		installed, err := tools.Install(srv, "test", tools.Profile{
			OtherSpelling: tolerant,
			ArgumentNames: map[string]string{"chunkId": "chunk"},
			Adapt: func(t mcp.ServerTool) mcp.ServerTool {
				return t.With(mcp.ToolOptions{UnlistedArguments: []string{"chunkId", "limit"}})
			},
		}, writer{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = installed.Close(context.Background()) })
		for args, want := range map[string]bool{
			`{"filePath":"a","chunk":"b"}`:               true,
			`{"filePath":"a","chunkId":"b"}`:             true,
			`{"filePath":"a","chunk_id":"b"}`:            tolerant,
			`{"filePath":"a","id":"b"}`:                  tolerant,
			`{"filePath":"a","count":1}`:                 false, // limit or maxResults
			`{"filePath":"a","chunk":"b","chunkId":"b"}`: false,
		} {
			if got := call(srv, "replace", args); strings.HasPrefix(got, "a ") != want {
				t.Errorf("tolerant %v, %s: %q", tolerant, args, got)
			}
		}
	}
}

func TestProfile_ArgumentsThatKeepTheirNames(t *testing.T) {
	sets := map[string]mcp.Features{
		"open":         {Tools: []mcp.ServerTool{rawTool(`{"type":"object","properties":{"filePath":{}}}`)}},
		"combinations": {Tools: []mcp.ServerTool{rawTool(`{"type":"object","properties":{"filePath":{},"c":{}},"additionalProperties":false,"anyOf":[{"required":["filePath"]},{"required":["c"]}]}`)}},
		"unlisted": {Tools: []mcp.ServerTool{rawTool(`{"type":"object","properties":{"filePath":{},"path":{}},"additionalProperties":false}`).
			With(mcp.ToolOptions{UnlistedArguments: []string{"path"}})}},
	}
	for name, features := range sets {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		installed, err := tools.Install(srv, "test", tools.Profile{OtherSpelling: true, ArgumentNames: map[string]string{"filePath": "path"}}, fixed{features})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Cleanup(func() { _ = installed.Close(context.Background()) })
		if got := call(srv, "raw", `{"filePath":1}`); got != `{"filePath":1}` || !strings.Contains(string(srv.Tools()[0].InputSchema), `"filePath"`) {
			t.Errorf("%s: %q of %s", name, got, srv.Tools()[0].InputSchema)
		}
	}
}

// fixed is a set with given features.
type fixed struct{ features mcp.Features }

func (f fixed) Features() mcp.Features { return f.features }

func (fixed) Close(context.Context) error { return nil }

// rawTool returns a tool "raw" that answers with its arguments.
func rawTool(schema string) mcp.ServerTool {
	return mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: json.RawMessage(schema)}, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.Text(string(args)), nil
	})
}

package tools_test

import (
	"context"
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

package strict_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
)

type lookArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"default=."`
	Depth int    `json:"depth,omitempty" jsonschema:"default=3"`
	N     int    `json:"n,omitempty"`
}

type lookResult struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
	N     int    `json:"n,omitempty"`
}

func look(_ context.Context, args lookArgs) (lookResult, error) { return lookResult(args), nil }

func TestInterface_Adapt(t *testing.T) {
	i, err := strict.Parse([]byte(`{"look": {
		"description": "Looks at a path.",
		"inputSchema": {"type": "object", "properties": {"path": {"type": "string", "enum": ["a", "b"]}, "n": {"type": "number"}}, "required": ["path"], "additionalProperties": false},
		"preset": {"depth": 9}
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	own := i["look"]
	own.Result = func(args, result strict.Object) {
		result.Rename("path", "place")
		result.Copy("depth", "levels")
		result["asked"] = args["path"]
	}
	i["look"] = own
	tool := mcp.NewTool(mcp.Tool{Name: "look", Description: "Looks."}, look)
	adapted := i.Adapt(tool)
	if got := adapted.Tool(); got.Description != "Looks at a path." || strings.Contains(string(got.InputSchema), "depth") || got.OutputSchema != nil {
		t.Errorf("listed as %+v", got)
	}
	for args, want := range map[string]string{
		`{"path":"a"}`:           `{"asked":"a","depth":9,"levels":9,"place":"a"}`,
		`{"path":"a","n":5.0}`:   `{"asked":"a","depth":9,"levels":9,"n":5,"place":"a"}`,
		`{"path":"a","n":5.5}`:   "INVALID_PARAMS",
		`{}`:                     "INVALID_PARAMS",
		`{"path":"c"}`:           "INVALID_PARAMS",
		`{"path":"a","depth":1}`: "INVALID_PARAMS",
	} {
		result, err := adapted.Call(t.Context(), json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(result.Structured) + result.ErrorCode(); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if other := i.Adapt(tool.Named("other")); other.Tool().Description != "Looks." {
		t.Errorf("a tool outside of the specification has changed: %+v", other.Tool())
	}
}

type page struct {
	Text      string `json:"text"`
	Truncated bool   `json:"truncated"`
}

func (p page) TextContent() string { return p.Text }

// The advice at the end of a truncated text goes if it names a parameter that the specification lacks. Text of a file stays.
func TestInterface_Continuation(t *testing.T) {
	i, err := strict.Parse([]byte(`{"page": {"inputSchema": {"type": "object", "properties": {}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		result page
		want   string
	}{
		{page{"one\n[more: continue with cursor=3]", true}, "one\n[truncated]"},
		{page{"one\n[… is folded; raise maxBytes]\n", true}, "one\n[truncated]"},
		{page{"one\n[section offset=3]", false}, "one\n[section offset=3]"},
		{page{"one", true}, "one"},
	} {
		tool := i.Adapt(mcp.NewTool(mcp.Tool{Name: "page"}, func(context.Context, struct{}) (page, error) { return test.result, nil }))
		result, err := tool.Call(t.Context(), json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := result.Blocks()[0].(mcp.TextContent); !ok || text.Text != test.want {
			t.Errorf("%+v: %+v, want %q", test.result, result.Blocks(), test.want)
		}
	}
}

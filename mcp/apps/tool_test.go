package apps_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// A tool gets its page, and is otherwise as it was.
func TestForTool(t *testing.T) {
	plain := answer("t").With(mcp.ToolOptions{Permissions: []string{"p"}, MaxResult: 1000, Unlisted: true}).Describe("d")
	for name, tc := range map[string]struct {
		uri        string
		visibility []apps.Visibility
		want       string
	}{
		"a page":            {"ui://a", nil, `{"com.example/x":1,"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://a"}`},
		"for pages":         {"ui://a", []apps.Visibility{apps.App}, `{"com.example/x":1,"ui":{"resourceUri":"ui://a","visibility":["app"]},"ui/resourceUri":"ui://a"}`},
		"for models, no UI": {"", []apps.Visibility{apps.Model}, `{"com.example/x":1,"ui":{"visibility":["model"]}}`},
	} {
		linked := must[mcp.ServerTool](t)(apps.ForTool(plain, tc.uri, tc.visibility...))
		got, want := linked.Tool(), plain.Tool()
		if raw, _ := json.Marshal(got.Meta); string(raw) != tc.want {
			t.Errorf("%s: %s; want %s", name, raw, tc.want)
		}
		got.Meta, want.Meta = nil, nil
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(linked.Options(), plain.Options()) {
			t.Errorf("%s: it has become %+v with %+v, and was %+v with %+v", name, got, linked.Options(), want, plain.Options())
		}
		for args, text := range map[string]string{`{}`: "here", `{"place":"there"}`: "there", `{"place":"nowhere"}`: "nowhere"} {
			result, err := linked.Call(t.Context(), json.RawMessage(args))
			before, _ := plain.Call(t.Context(), json.RawMessage(args))
			if err != nil || !reflect.DeepEqual(result.Content, before.Content) || !strings.Contains(result.Content[0].(mcp.TextContent).Text, text) {
				t.Errorf("%s: %s is answered by %+v, %v; was %+v", name, args, result, err, before)
			}
		}
	}
	if len(plain.Tool().Meta) != 1 {
		t.Errorf("the tool itself has become %v", plain.Tool().Meta)
	}
	// Later changes of the tool are kept, and a second page replaces the first.
	linked := must[mcp.ServerTool](t)(apps.ForTool(plain, "ui://a"))
	linked = must[mcp.ServerTool](t)(apps.ForTool(linked.With(mcp.ToolOptions{Defaults: map[string]any{"place": "there"}}), ""))
	if result, err := linked.Call(t.Context(), nil); err != nil || result.Content[0].(mcp.TextContent).Text != "there" {
		t.Errorf("%+v, %v", result, err)
	}
	if uri, ok := apps.URI(linked.Tool()); ok {
		t.Errorf("it still shows %q", uri)
	}
}

func TestForTool_Invalid(t *testing.T) {
	for name, tc := range map[string]struct {
		tool       mcp.ServerTool
		uri        string
		visibility []apps.Visibility
		want       string
	}{
		"no page":     {answer("t"), "https://example.com", nil, "not the URI of a page"},
		"nobody":      {answer("t"), "ui://a", []apps.Visibility{"everybody"}, `not for "everybody"`},
		"not a tool":  {answer(""), "ui://a", nil, "name"},
		"not a value": {mcp.NewRawTool(mcp.Tool{Name: "x"}, nil), "ui://a", nil, "x"},
	} {
		if _, err := apps.ForTool(tc.tool, tc.uri, tc.visibility...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Valid and invalid metadata of tools.
func TestVisibleTo_Metadata(t *testing.T) {
	for text, want := range map[string]struct {
		uri        string
		model, app bool
	}{
		`{}`:          {"", true, true},
		`{"ui":null}`: {"", true, true},
		`{"ui":{}}`:   {"", true, true},
		`{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://old"}`: {"ui://a", true, true},
		`{"ui/resourceUri":"ui://old"}`:                               {"ui://old", true, true},
		`{"ui":{"resourceUri":"https://a"}}`:                          {"", true, true},
		`{"ui":{"resourceUri":""},"ui/resourceUri":5}`:                {"", true, true},
		`{"ui":{"visibility":["model"]}}`:                             {"", true, false},
		`{"ui":{"visibility":["app","new"],"resourceUri":"ui://a"}}`:  {"ui://a", false, true},
		`{"ui":{"visibility":[]}}`:                                    {"", false, false},
		`{"ui":{"visibility":null}}`:                                  {"", true, true},
		`{"ui":{"visibility":"app"}}`:                                 {"", false, false},
		`{"ui":{"visibility":[1]}}`:                                   {"", false, false},
		`{"ui":5}`:                                                    {"", false, false},
	} {
		tool := mcp.Tool{Name: "t", Meta: meta(t, text)}
		uri, ok := apps.URI(tool)
		if uri != want.uri || ok != (want.uri != "") || apps.VisibleTo(tool, apps.Model) != want.model || apps.VisibleTo(tool, apps.App) != want.app {
			t.Errorf("%s: %q, for models %v, for pages %v", text, uri, apps.VisibleTo(tool, apps.Model), apps.VisibleTo(tool, apps.App))
		}
	}
}

func TestModelTools_AppTools(t *testing.T) {
	failed := errors.New("the list ends here")
	list := func(yield func(mcp.Tool, error) bool) {
		for name, text := range map[string]string{"both": `{}`, "model": `{"ui":{"visibility":["model"]}}`, "app": `{"ui":{"visibility":["app"]}}`} {
			if !yield(mcp.Tool{Name: name, Meta: meta(t, text)}, nil) {
				return
			}
		}
		yield(mcp.Tool{}, failed)
	}
	for want, of := range map[string]iter.Seq2[mcp.Tool, error]{"both,model": apps.ModelTools(list), "app,both": apps.AppTools(list)} {
		var names []string
		var last error
		for tool, err := range of {
			if last = err; err == nil {
				names = append(names, tool.Name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, ","); got != want || !errors.Is(last, failed) {
			t.Errorf("%s, %v; want %s", got, last, want)
		}
		for range of { // an early end is one
			break
		}
	}
}

// A schema that only the reference understands is still judged by it.
func TestForTool_Reference(t *testing.T) {
	tool := mcp.NewRawTool(mcp.Tool{Name: "t", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`)}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{}, nil
	}).With(mcp.ToolOptions{Reference: reference.Validator})
	linked := must[mcp.ServerTool](t)(apps.ForTool(tool, "ui://a"))
	for args, fails := range map[string]bool{`{}`: false, `{"a":1}`: false, `{"b":1}`: true} {
		if result, err := linked.Call(t.Context(), json.RawMessage(args)); err != nil || result.IsError != fails {
			t.Errorf("%s: %+v, %v", args, result, err)
		}
	}
}

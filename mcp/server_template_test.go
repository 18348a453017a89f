package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// template makes a template whose resources say what matched.
func template[In any](text string) mcp.ServerTemplate {
	return mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: text, Name: text, MIMEType: "text/plain"}, func(_ context.Context, _ string, in In) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{{Text: fmt.Sprintf("%s %+v", text, in)}}, nil
	})
}

type place struct {
	Dir  string   `json:"dir"`
	Name string   `json:"name" jsonschema:"pattern=^[a-z]+$"`
	Tags []string `json:"tags,omitempty" jsonschema:"maxItems=2,enum=a,enum=b"`
	Rev  *string  `json:"rev,omitempty" jsonschema:"default=head"`
}

// The resource itself comes first, then the template with the most literal
// text, then the one that was registered first.
func TestServerTemplate_Selection(t *testing.T) {
	srv := offering(t, nil, mcp.Features{
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "file:///a/fixed.txt", Name: "fixed"}, reads(hello, nil))},
		Templates: []mcp.ServerTemplate{
			template[map[string]string]("file:///{+path}"), template[map[string]string]("{+all}"), template[map[string]string]("file:///{+again}"),
			template[struct {
				Name string `json:"name"`
			}]("file:///a/{name}.txt").With(mcp.ResourceOptions{Unlisted: true}),
			template[struct{}]("file:///b/{name}.txt"),
		},
	})
	for uri, want := range map[string]string{
		"file:///a/fixed.txt": "hello",
		"file:///a/b.txt":     "file:///a/{name}.txt {Name:b}",
		"file:///b/b.txt":     "file:///b/{name}.txt {}",
		"file:///a/b/c.txt":   "file:///{+path} map[path:a/b/c.txt]",
		"other:x%20y":         "{+all} map[all:other:x y]",
		"other:x y":           "{+all} map[all:other:x y]", // as clients send it that encode nothing
	} {
		if got, err := dispatch(t, srv, "resources/read", `{"uri":"`+uri+`"}`); err != nil || !strings.Contains(got, `"text":"`+want+`"`) {
			t.Errorf("%s: %s, %v", uri, got, err)
		}
	}
	if n := len(srv.Templates()); n != 4 {
		t.Errorf("%d templates are listed", n)
	}
}

func TestServerTemplate_Variables(t *testing.T) {
	tmpl := template[place]("at:{dir}{/name}{?tags*,rev}")
	for uri, want := range map[string]string{
		"at:d/n":              "{Dir:d Name:n Tags:[] Rev:0x",
		"at:d/n?tags=a&rev=1": "{Dir:d Name:n Tags:[a] Rev:0x",
		"at:..%2F../n":        "{Dir:../.. Name:n Tags:[]",
	} {
		got, err := tmpl.Read(t.Context(), uri)
		if err != nil || !strings.Contains(got.Contents[0].Text, want) || got.Contents[0].URI != uri {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
	for uri, want := range map[string]string{
		"at:d/N":               `the URI "at:d/N": name: `,
		"at:d/n?tags=c":        "tags[0]: must be one of",
		"at:d/n?tags=a&tags=b": "",
		"at:d":                 "not found",
		"at:d/n?x=1":           "not found",
		"at:d/%00":             "not found",
	} {
		if _, err := tmpl.Read(t.Context(), uri); want != "" && (code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", uri, err, want)
		}
	}
	optional := template[struct {
		Q string `json:"q"`
	}]("at:{?q}")
	if _, err := optional.Read(t.Context(), "at:"); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "q: required") {
		t.Errorf("a variable that may be absent, and is required: %v", err)
	}
}

func TestNewTemplate_Problems(t *testing.T) {
	type name struct {
		Name string `json:"name"`
	}
	for _, tc := range []struct {
		tmpl mcp.ServerTemplate
		want string
	}{
		{template[name]("a:{name"), "not closed"},
		{template[name]("a:{name}{name2}"), "no text before {name2}"},
		{template[name]("a:{nam}"), `field "name" is no variable`},
		{template[struct {
			Name int `json:"name"`
		}]("a:{name}"), `field "name" is not text`},
		{template[name]("a:{/name*}"), `field "name" must be a list`},
		{template[struct {
			Name []string `json:"name"`
		}]("a:{name}"), `field "name" must be a list of text if`},
		{template[map[string]string]("a:{/name*}"), `variable "name" is a list`},
		{template[map[string]int]("a:{name}"), "neither a struct nor map[string]string"},
		{template[struct{ C chan int }]("a:{C}"), "chan"},
		{template[name]("a:{name}").Complete("nam", nil), `no variable "nam"`},
		{mcp.NewTemplate[name](mcp.ResourceTemplate{URITemplate: "a:{name}", Name: "n"}, nil), "no handler"},
		{mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "a:{name}"}, func(context.Context, string, name) ([]mcp.ResourceContents, error) { return nil, nil }), "1 to 256 bytes"},
	} {
		err := mcp.NewServer(mcp.Implementation{}, nil).Replace("o", mcp.Features{Templates: []mcp.ServerTemplate{tc.tmpl}})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.tmpl.Template().URITemplate, err, tc.want)
		}
		if _, err := tc.tmpl.Read(t.Context(), "a:b"); err == nil {
			t.Errorf("%s: it was read", tc.tmpl.Template().URITemplate)
		}
	}
	srv := mcp.NewServer(mcp.Implementation{}, nil)
	if err := mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "a:{name}", Name: "n"}, func(context.Context, string, name) ([]mcp.ResourceContents, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
}

func TestResourceTemplate_Expand(t *testing.T) {
	uri, err := mcp.ResourceTemplate{URITemplate: "db://{table}/{id}{?lang}"}.Expand(map[string]string{"table": "a b", "id": "1/2"})
	if err != nil || uri != "db://a%20b/1%2F2" {
		t.Errorf("%s, %v", uri, err)
	}
	if _, err := (mcp.ResourceTemplate{URITemplate: "{"}).Expand(nil); err == nil {
		t.Error("a template that is none was expanded")
	}
}

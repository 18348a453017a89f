package apps_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// A host reads the metadata of a page as the server sends them.
func TestRead(t *testing.T) {
	o := apps.Options{
		Name: "weather", Title: "Weather", CSP: apps.CSP{Connect: []string{"https://api.example.com"}},
		Permissions: apps.Permissions{Camera: true, ClipboardWrite: true}, Domain: "x.example", PrefersBorder: new(false),
	}
	page := must[mcp.ServerResource](t)(apps.Resource("ui://s/weather", "<!doctype html><p>天気", o))
	tool := must[mcp.ServerTool](t)(apps.ForTool(answer("weather"), "ui://s/weather"))
	srv := serve(t, mcp.Features{Tools: []mcp.ServerTool{tool, answer("plain")}, Resources: []mcp.ServerResource{page}})
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Rev20251125, protocol.Rev20260728} {
		o := mcp.ClientOptions{Revision: rev}
		apps.Declare(&o)
		client := connect(t, srv, o)
		got, err := apps.Read(t.Context(), client, tool.Tool())
		if err != nil {
			t.Fatal(err)
		}
		if got.HTML != "<!doctype html><p>天気" || got.URI != "ui://s/weather" || !strings.Contains(got.Policy, "connect-src https://api.example.com;") || got.Allow != "camera; clipboard-write" ||
			got.Domain != "x.example" || got.PrefersBorder == nil || *got.PrefersBorder || len(got.Refused) > 0 || !reflect.DeepEqual(got.CSP.Connect, []string{"https://api.example.com"}) {
			t.Errorf("%s: %+v", rev, got)
		}
		if _, err := apps.Read(t.Context(), client, mcp.Tool{Name: "plain"}); err == nil || !strings.Contains(err.Error(), "shows no page") {
			t.Errorf("%s: a tool without a page: %v", rev, err)
		}
		for r, err := range client.Resources(t.Context()) {
			if err != nil || r.MIMEType != apps.MIMEType || r.Size == nil || *r.Size != 24 || r.Name != "weather" {
				t.Errorf("%s: listed as %+v, %v", rev, r, err)
			}
		}
	}
	hidden := must[mcp.ServerResource](t)(apps.Resource("ui://s/x", "x", apps.Options{Unlisted: true}))
	if !hidden.Options().Unlisted || hidden.Resource().Name != "ui://s/x" {
		t.Errorf("%+v", hidden.Resource())
	}
}

// A host validates all data of a server.
func TestRead_UntrustedServer(t *testing.T) {
	listed := mcp.Resource{URI: "ui://a", Name: "a", MIMEType: apps.MIMEType}
	page := func(m string) mcp.ResourceContents {
		return mcp.ResourceContents{MIMEType: apps.MIMEType, Text: "<p>", Meta: meta(t, m)}
	}
	for name, tc := range map[string]struct {
		contents []mcp.ResourceContents
		listed   string // _meta in the list
		check    func(*apps.View) bool
		want     string
	}{
		"nothing said":      {[]mcp.ResourceContents{page(`{}`)}, `{}`, func(v *apps.View) bool { return v.Policy == nothing && v.Allow == "" }, ""},
		"said in the list":  {[]mcp.ResourceContents{page(`{}`)}, `{"ui":{"csp":{"frameDomains":["https://a.example"]}}}`, func(v *apps.View) bool { return len(v.CSP.Frame) == 1 }, ""},
		"said in both":      {[]mcp.ResourceContents{page(`{"ui":{}}`)}, `{"ui":{"csp":{"frameDomains":["https://a.example"]}}}`, func(v *apps.View) bool { return v.Policy == nothing }, ""},
		"bytes":             {[]mcp.ResourceContents{{MIMEType: "text/plain", Text: "no"}, {MIMEType: "Text/HTML; profile=mcp-app", Blob: []byte("<b>")}}, `{}`, func(v *apps.View) bool { return v.HTML == "<b>" }, ""},
		"too much wanted":   {[]mcp.ResourceContents{page(`{"ui":{"csp":{"connectDomains":["*","https://a.example; script-src *"],"resourceDomains":null}}}`)}, `{}`, func(v *apps.View) bool { return v.Policy == nothing && len(v.Refused) == 2 }, ""},
		"odd permissions":   {[]mcp.ResourceContents{page(`{"ui":{"permissions":{"camera":false,"geolocation":{},"microphone":null,"usb":{}}}}`)}, `{}`, func(v *apps.View) bool { return v.Allow == "geolocation" }, ""},
		"another type":      {[]mcp.ResourceContents{{MIMEType: "text/html", Text: "x"}}, `{}`, nil, "no contents of the type"},
		"an empty page":     {[]mcp.ResourceContents{{MIMEType: apps.MIMEType}}, `{}`, nil, "it is empty"},
		"no text":           {[]mcp.ResourceContents{{MIMEType: apps.MIMEType, Blob: []byte{0xff}}}, `{}`, nil, "not UTF-8"},
		"too large":         {[]mcp.ResourceContents{{MIMEType: apps.MIMEType, Text: strings.Repeat("x", 10_000_001)}}, `{}`, nil, "at most 10000000"},
		"not to be read":    {[]mcp.ResourceContents{page(`{"ui":{"csp":"*"}}`)}, `{}`, nil, "reading _meta.ui"},
		"not even a member": {[]mcp.ResourceContents{page(`{"ui":[5]}`)}, `{}`, nil, "reading _meta.ui"},
		"not there":         {nil, `{}`, nil, "reading ui://a"},
	} {
		resource := listed
		resource.Meta = meta(t, tc.listed)
		srv := serve(t, mcp.Features{Resources: []mcp.ServerResource{mcp.NewResource(resource, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return tc.contents, nil
		}).With(mcp.ResourceOptions{MaxResult: 20_000_000})}})
		view, err := apps.Read(t.Context(), connect(t, srv, mcp.ClientOptions{}), mcp.Tool{Name: "t", Meta: meta(t, `{"ui":{"resourceUri":"ui://a"}}`)})
		switch {
		case tc.want == "" && (err != nil || !tc.check(view)):
			t.Errorf("%s: %+v, %v", name, view, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v; want %q", name, err, tc.want)
		}
	}
}

// Pages can call only the tools for pages.
func TestCall(t *testing.T) {
	link := func(name string, v ...apps.Visibility) mcp.ServerTool {
		return must[mcp.ServerTool](t)(apps.ForTool(answer(name), "", v...))
	}
	srv := serve(t, mcp.Features{Tools: []mcp.ServerTool{
		link("both"), link("app", apps.App), link("model", apps.Model), answer("plain"), answer("hidden").With(mcp.ToolOptions{Unlisted: true}),
	}})
	client := connect(t, srv, mcp.ClientOptions{})
	for name, want := range map[string]bool{"both": true, "app": true, "plain": true, "model": false, "hidden": false, "none": false, "": false} {
		result, err := apps.Call(t.Context(), client, name, map[string]any{"place": "there"}, nil)
		var refused *protocol.Error
		switch {
		case want && (err != nil || result.Content[0].(mcp.TextContent).Text != "there"):
			t.Errorf("%s: %+v, %v", name, result, err)
		case !want && (!errors.As(err, &refused) || refused.Code != protocol.CodeInvalidParams):
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	var seen []string
	for tool, err := range apps.ModelTools(client.Tools(t.Context())) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, tool.Name)
	}
	if got := strings.Join(seen, ","); got != "both,model,plain" {
		t.Errorf("the model sees %s", got)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	fresh := connect(t, srv, mcp.ClientOptions{})
	if _, err := apps.Call(over, fresh, "both", json.RawMessage(`{}`), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up: %v", err)
	}
}

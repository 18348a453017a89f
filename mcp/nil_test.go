package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// errorText returns the text of an error; "" for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestServer_NilHandlers(t *testing.T) {
	greet := func(context.Context, struct{}) (string, error) { return "", nil }
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}}}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil })
	template := mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t"}, func(context.Context, string, map[string]string) ([]mcp.ResourceContents, error) { return nil, nil })
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"a typed handler":           {mcp.AddTool[struct{}, string](srv, mcp.Tool{Name: "greet"}, nil), `tool "greet": it has no handler`},
		"a raw handler":             {mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil).Err(), `tool "raw": it has no handler`},
		"a prompt":                  {mcp.AddPrompt[struct{}](srv, mcp.Prompt{Name: "p"}, nil), `prompt "p": it has no handler`},
		"a resource":                {mcp.AddResource(srv, mcp.Resource{URI: "a:b", Name: "b"}, nil), `resource "a:b": it has no handler`},
		"a template":                {mcp.AddTemplate[map[string]string](srv, mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t"}, nil), "it has no handler"},
		"middleware of a tool":      {mcp.NewTool(mcp.Tool{Name: "greet"}, greet).Wrap(nil).Err(), "a middleware is nil"},
		"a handler of middleware":   {mcp.NewTool(mcp.Tool{Name: "greet"}, greet).Wrap(func(mcp.RawHandler) mcp.RawHandler { return nil }).Err(), "has returned no handler"},
		"a completer of a prompt":   {prompt.Complete("a", nil).Err(), `the completer of the argument "a" is nil`},
		"a completer of a template": {template.Complete("b", nil).Err(), `the completer of the variable "b" is nil`},
		"a zero tool":               {srv.Replace("zero", mcp.Features{Tools: []mcp.ServerTool{{}}}), "the tool was not made by NewTool"},
		"a zero prompt":             {srv.Replace("zero", mcp.Features{Prompts: []mcp.ServerPrompt{{}}}), "it was not made by NewPrompt"},
		"a zero resource":           {srv.Replace("zero", mcp.Features{Resources: []mcp.ServerResource{{}}}), "it was not made by NewResource"},
		"a zero template":           {srv.Replace("zero", mcp.Features{Templates: []mcp.ServerTemplate{{}}}), "it was not made by NewTemplate"},
	} {
		if got := errorText(tc.err); !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if err := mcp.AddTool(srv, mcp.Tool{Name: "greet"}, greet); err != nil {
		t.Fatal(err)
	}
	srv.Use(nil)
	if _, err := dispatch(t, srv, "tools/call", `{"name":"greet"}`); !strings.Contains(errorText(err), "a middleware is nil") {
		t.Errorf("nil middleware: %v", err)
	}
}

func TestServer_Zero(t *testing.T) {
	for name, srv := range map[string]*mcp.Server{"zero": new(mcp.Server), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			const want = "the server was not made by NewServer"
			tool := mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "", nil })
			_, dispatched := srv.Dispatch(t.Context(), &protocol.Request{Method: "tools/list"})
			for call, err := range map[string]error{
				"Err": srv.Err(), "Replace": srv.Replace("o", mcp.Features{Tools: []mcp.ServerTool{tool}}), "Remove": srv.Remove("o"), "Dispatch": dispatched,
				"AddTool": mcp.AddTool(srv, mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "", nil }),
			} {
				if !strings.Contains(errorText(err), want) {
					t.Errorf("%s: %v", call, err)
				}
			}
			srv.Use(func(next mcp.Handler) mcp.Handler { return next })
			srv.SetInfo(mcp.Implementation{Name: "x"})
			srv.ListChanged("tools")
			srv.ResourceUpdated("a:b")
			srv.ForwardChange(&protocol.ListChangedNotification{List: "tools"})
			watch := srv.WatchAll(func() {})
			watch.Stop()
			if _, ok := srv.Watch(protocol.SubscriptionFilter{}, func() {}); ok || len(srv.Tools())+len(srv.Resources())+len(srv.Templates())+len(srv.Prompts())+len(srv.Permissions()) > 0 || len(watch.Take()) > 0 {
				t.Error("it has features or changes")
			}
			srv.Close()
		})
	}
}

func TestClient_NilArguments(t *testing.T) {
	var noContext context.Context
	tool := mcp.NewTool(mcp.Tool{Name: "t"}, func(ctx context.Context, _ struct{}) (string, error) { return "", nil })
	srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{tool}})
	client := mcptest.Connect(t, srv, nil)
	connect := func(ctx context.Context, transport protocol.Transport) error {
		_, err := mcp.Connect(ctx, transport, mcp.Implementation{Name: "c"}, nil)
		return err
	}
	errors := map[string]struct {
		err  error
		want string
	}{
		"a nil transport":            {connect(t.Context(), nil), "the transport is nil"},
		"a nil pointer to transport": {connect(t.Context(), (*transport.InMemory)(nil)), "the transport is nil"},
		"a transport without server": {connect(t.Context(), transport.InMemory{}), "the server is nil"},
		"a nil context":              {connect(noContext, transport.InMemory{Server: srv}), "the context is nil"},
	}
	for name, c := range map[string]struct {
		client *mcp.Client
		ctx    context.Context
		want   string
	}{
		"a nil client":      {nil, t.Context(), "the client was not made by Connect"},
		"a zero client":     {new(mcp.Client), t.Context(), "the client was not made by Connect"},
		"without a context": {client, noContext, "the context is nil"},
	} {
		record := func(method string, err error) {
			errors[method+" of "+name] = struct {
				err  error
				want string
			}{err, c.want}
		}
		_, err := mcp.Call[string](c.ctx, c.client, "t", nil)
		record("Call", err)
		_, err = c.client.ReadResource(c.ctx, "a:b", nil)
		record("ReadResource", err)
		_, err = c.client.GetPrompt(c.ctx, "p", nil, nil)
		record("GetPrompt", err)
		_, err = c.client.CompletePrompt(c.ctx, "p", "a", "", map[string]string{"b": "c"})
		record("CompletePrompt", err)
		_, err = c.client.Request(c.ctx, "ping", nil, nil)
		record("Request", err)
		_, err = c.client.Subscribe(c.ctx, protocol.SubscriptionFilter{}, nil)
		record("Subscribe", err)
		_, err = c.client.Answer(c.ctx, protocol.InputRequest{Method: "roots/list"})
		record("Answer", err)
		for _, err = range c.client.Tools(c.ctx) {
			break
		}
		record("Tools", err)
		record("Ping", c.client.Ping(c.ctx))
		if c.client != client {
			record("Close", c.client.Close())
		}
	}
	_, err := tool.Call(noContext, nil)
	errors["ServerTool.Call without a context"] = struct {
		err  error
		want string
	}{err, "the context is nil"}
	_, err = srv.Dispatch(noContext, &protocol.Request{Method: "tools/list"})
	errors["Dispatch without a context"] = struct {
		err  error
		want string
	}{err, "The context or the request is nil"}
	_, err = srv.Dispatch(t.Context(), nil)
	errors["Dispatch without a request"] = struct {
		err  error
		want string
	}{err, "The context or the request is nil"}
	for name, got := range errors {
		if !strings.Contains(errorText(got.err), got.want) {
			t.Errorf("%s: %v, want %q", name, got.err, got.want)
		}
	}
}

// Remove unregisters what a function Add has registered under the name, and an owner's features.
func TestServer_RemoveByName(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	none := func(context.Context, struct{}) (string, error) { return "", nil }
	for _, err := range []error{
		mcp.AddTool(srv, mcp.Tool{Name: "greet"}, none),
		mcp.AddTool(srv, mcp.Tool{Name: "kept"}, none),
		srv.Replace("owner", mcp.Features{Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "owned"}, none)}}),
		mcp.AddPrompt(srv, mcp.Prompt{Name: "greet"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return nil, nil }),
		mcp.AddResource(srv, mcp.Resource{URI: "a:b", Name: "b"}, func(context.Context, string) ([]mcp.ResourceContents, error) { return nil, nil }),
		mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t"}, func(context.Context, string, map[string]string) ([]mcp.ResourceContents, error) { return nil, nil }),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name                                 string
		tools, prompts, resources, templates int // that remain
	}{{"unknown", 3, 1, 1, 1}, {"owned", 3, 1, 1, 1}, {"greet", 2, 0, 1, 1}, {"a:b", 2, 0, 0, 1}, {"a:{b}", 2, 0, 0, 0}, {"owner", 1, 0, 0, 0}, {"kept", 0, 0, 0, 0}, {"kept", 0, 0, 0, 0}} {
		if err := srv.Remove(step.name); err != nil {
			t.Fatalf("removing %s: %v", step.name, err)
		}
		if len(srv.Tools()) != step.tools || len(srv.Prompts()) != step.prompts || len(srv.Resources()) != step.resources || len(srv.Templates()) != step.templates {
			t.Errorf("after %s: tools %v, prompts %v, resources %v, templates %v", step.name, srv.Tools(), srv.Prompts(), srv.Resources(), srv.Templates())
		}
	}
	if err := mcp.AddTool(srv, mcp.Tool{Name: "greet"}, none); err != nil {
		t.Errorf("a removed tool cannot be registered again: %v", err)
	}
}

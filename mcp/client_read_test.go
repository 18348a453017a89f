package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// echoParams answers with the params that have come, without their _meta, as the
// text of a resource.
func echoParams(t *testing.T, result string) mcp.Handler {
	return func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
		var params map[string]json.RawMessage
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil, err
		}
		delete(params, "_meta")
		text, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		quoted, err := json.Marshal(string(text))
		if err != nil {
			return nil, err
		}
		return protocol.RawResult(fmt.Sprintf(result, quoted)), nil
	}
}

func TestReadResource(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		client := mcptest.Connect(t, fake{
			"resources/read": echoParams(t, `{"contents":[{"uri":"a:1","mimeType":"text/plain","text":%s},{"uri":"a:2","blob":"AAE="}],"_meta":{"k":1}}`),
		}, &mcp.ClientOptions{Revision: rev})
		got, err := client.ReadResource(t.Context(), `file:///a "b"<é>`, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Contents) != 2 || got.Contents[0].MIMEType != "text/plain" || string(got.Contents[1].Blob) != "\x00\x01" || got.Meta["k"] != 1.0 {
			t.Errorf("read %+v", got)
		}
		var params struct{ URI string }
		if err := json.Unmarshal([]byte(got.Contents[0].Text), &params); err != nil || params.URI != `file:///a "b"<é>` {
			t.Errorf("asked with %s, %v", got.Contents[0].Text, err)
		}
	})
}

// What does not exist has one code since 2026-07-28 and another one before.
func TestIsResourceNotFound(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		client := mcptest.Connect(t, fake{"resources/read": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
			if uri := uriOf(req); uri != "a:broken" {
				return nil, mcp.ResourceNotFound(uri)
			}
			return nil, protocol.Errorf(protocol.CodeInternal, "broken")
		}}, &mcp.ClientOptions{Revision: rev})
		var e *protocol.Error
		_, err := client.ReadResource(t.Context(), "a:gone", nil)
		if !mcp.IsResourceNotFound(err) || !errors.As(err, &e) || (e.Code == protocol.CodeInvalidParams) != rev.Modern() || !strings.Contains(string(e.Data), "a:gone") {
			t.Errorf("a missing resource: %v", err)
		}
		if _, err := client.ReadResource(t.Context(), "a:broken", nil); err == nil || mcp.IsResourceNotFound(err) {
			t.Errorf("a broken resource: %v", err)
		}
	})
	for err, want := range map[error]bool{
		nil:               false,
		errors.New("any"): false,
		fmt.Errorf("reading: %w", protocol.Errorf(protocol.CodeResourceNotFoundOld, "no")):                          true,
		protocol.Errorf(protocol.CodeMethodNotFound, "no"):                                                          false,
		protocol.Errorf(protocol.CodeInvalidParams, "no such argument"):                                             false,
		protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the URI is malformed"):                         false,
		protocol.Errorf(protocol.CodeInvalidParams, "resource not found: a:b"):                                      true,
		protocol.Errorf(protocol.CodeInvalidParams, "Resource a:b not found"):                                       true,
		protocol.Errorf(protocol.CodeInvalidParams, "handler not found for resource URI 'a:b': resource not found"): true,
		protocol.Errorf(protocol.CodeInvalidParams, "the resource's parameter folder is too long"):                  false,
		&protocol.Error{Code: protocol.CodeInvalidParams, Message: "no", Data: json.RawMessage(`{"uri":"a:b"}`)}:    true,
		&protocol.Error{Code: protocol.CodeInvalidParams, Message: "no", Data: json.RawMessage(`{"uri":1}`)}:        false,
		&protocol.Error{Code: protocol.CodeInvalidParams, Message: "no", Data: json.RawMessage(`["uri"]`)}:          false,
		&protocol.Error{Code: protocol.CodeInternal, Message: "no", Data: json.RawMessage(`{"uri":"a:b"}`)}:         false,
		context.DeadlineExceeded: false,
	} {
		if mcp.IsResourceNotFound(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}

func TestGetPrompt(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		client := mcptest.Connect(t, fake{
			"prompts/get": echoParams(t, `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":%s}},{"role":"assistant","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]}`),
		}, &mcp.ClientOptions{Revision: rev})
		for want, args := range map[string]map[string]string{
			`{"name":"p"}`: nil,
			`{"arguments":{"a":"1","b":"\"2\""},"name":"p"}`: {"a": "1", "b": `"2"`},
		} {
			got, err := client.GetPrompt(t.Context(), "p", args, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text := got.Messages[0].Content.(mcp.TextContent).Text; text != want || got.Messages[0].Role != mcp.RoleUser || got.Description != "d" {
				t.Errorf("asked with %s, want %s; got %+v", text, want, got)
			}
			if image, ok := got.Messages[1].Content.(mcp.ImageContent); !ok || got.Messages[1].Role != mcp.RoleAssistant || image.MIMEType != "image/png" {
				t.Errorf("got %+v", got.Messages[1])
			}
		}
		if _, err := client.GetPrompt(t.Context(), "p", nil, &mcp.CallOptions{Meta: mcp.Meta{"x": func() {}}}); err == nil {
			t.Error("a _meta that cannot be encoded was sent")
		}
	})
}

// What else is known helps to complete a value; servers before 2025-06-18 have no
// place for it.
func TestComplete(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		client := mcptest.Connect(t, fake{
			"completion/complete": echoParams(t, `{"completion":{"values":[%s],"total":7,"hasMore":true}}`),
		}, &mcp.ClientOptions{Revision: rev})
		known := map[string]string{"other": "x"}
		context := ""
		if rev >= protocol.Rev20250618 {
			context = `"context":{"arguments":{"other":"x"}},`
		}
		for want, complete := range map[string]func() (mcp.Completion, error){
			`{"argument":{"name":"a","value":"v"},` + context + `"ref":{"name":"p","type":"ref/prompt"}}`: func() (mcp.Completion, error) {
				return client.CompletePrompt(t.Context(), "p", "a", "v", known)
			},
			`{"argument":{"name":"a","value":""},"ref":{"type":"ref/resource","uri":"a:{a}"}}`: func() (mcp.Completion, error) {
				return client.CompleteResource(t.Context(), "a:{a}", "a", "", nil)
			},
		} {
			got, err := complete()
			if err != nil {
				t.Fatal(err)
			}
			var sorted map[string]any
			if err := json.Unmarshal([]byte(got.Values[0]), &sorted); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(sorted)
			if err != nil || string(text) != want || got.Total != 7 || !got.HasMore {
				t.Errorf("asked with %s, want %s; got %+v", text, want, got)
			}
		}
	})
	client := mcptest.Connect(t, fake{}, nil)
	var e *protocol.Error
	if _, err := client.CompletePrompt(t.Context(), "p", "a", "v", nil); !errors.As(err, &e) || e.Code != protocol.CodeMethodNotFound {
		t.Errorf("a server that cannot complete: %v", err)
	}
}

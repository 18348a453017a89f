package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// asked is a client of a session that agrees to everything and remembers it.
type asked struct{ params []string }

func (a *asked) Ask(_ context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	answers := make(map[string]json.RawMessage)
	for key, q := range questions {
		a.params = append(a.params, string(q.Params))
		answers[key] = json.RawMessage(`{"action":"accept"}`)
	}
	return answers, nil
}

// In 2025-11-25 a question that sends the user to a page has an id, by which the
// client learns that the user is done there.
func TestElicitationDone(t *testing.T) {
	var early, done, again error
	srv := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "t"}, func(ctx context.Context, _ struct{}) (mcp.None, error) {
		early = mcp.ElicitationDone(ctx, "login")
		for _, key := range []string{"login", "other"} {
			if _, err := mcp.ElicitURL(ctx, key, "Log in", "https://example.com/"); err != nil {
				return mcp.None{}, err
			}
		}
		done, again = mcp.ElicitationDone(ctx, "login"), mcp.ElicitationDone(ctx, "login")
		return mcp.None{}, nil
	}))
	caps := protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapability{URL: new(struct{})}}
	ids := map[string]bool{}
	call := func(rev protocol.Revision) (client *asked, notes []string) {
		t.Helper()
		client = new(asked)
		_, err := srv.Dispatch(t.Context(), &protocol.Request{
			ID: "1", Method: "tools/call", Params: []byte(`{"name":"t"}`), Asker: client, Meta: protocol.RequestMeta{Revision: rev}.WithSession(&protocol.SessionMeta{Capabilities: caps}),
			Notify: func(_ context.Context, n protocol.Notification) error {
				notes = append(notes, n.Method()+" "+string(n.AppendParams(nil, rev)))
				return nil
			},
		})
		if err != nil || len(client.params) != 2 {
			t.Fatalf("%s: %v; asked %q", rev, err, client.params)
		}
		return client, notes
	}
	for range 2 {
		client, notes := call(protocol.Rev20251125)
		for _, params := range client.params {
			var p struct {
				Mode, URL, Message, ElicitationID string
			}
			if err := json.Unmarshal([]byte(params), &p); err != nil || p.Mode != "url" || p.URL != "https://example.com/" || p.Message != "Log in" || len(p.ElicitationID) < 20 || ids[p.ElicitationID] {
				t.Errorf("asked %s, %v", params, err)
			}
			ids[p.ElicitationID] = true
		}
		_, id, _ := strings.Cut(client.params[0], `"elicitationId":`)
		if len(notes) != 1 || notes[0] != `notifications/elicitation/complete {"elicitationId":`+id || done != nil || early == nil || again == nil {
			t.Errorf("notified %q; %v, %v, %v", notes, early, done, again)
		}
	}
	client, notes := call(protocol.Latest) // as a task would be asked
	if len(notes) != 0 || strings.Contains(client.params[0], "elicitationId") || early != nil || done != nil {
		t.Errorf("2026-07-28: asked %q, notified %q; %v, %v", client.params, notes, early, done)
	}
	if err := mcp.ElicitationDone(t.Context(), "login"); err != nil {
		t.Errorf("without a call: %v", err)
	}
}

// What a client can be asked is what it declares in this very request; an
// elicitation capability without modes is for forms alone.
func TestElicit_UndeclaredCapability(t *testing.T) {
	ask := func(ctx context.Context, mode string) error {
		if mode == "url" {
			_, err := mcp.ElicitURL(ctx, "k", "?", "https://example.com/")
			return err
		}
		return mcp.Confirm(ctx, "k", "?")
	}
	mode := func(p string) mcp.ServerPrompt {
		return mcp.NewPrompt(mcp.Prompt{Name: p}, func(ctx context.Context, _ struct{}) (*mcp.PromptResult, error) { return nil, ask(ctx, p) })
	}
	srv := offering(t, nil, mcp.Features{
		Prompts:   []mcp.ServerPrompt{mode("form"), mode("url")},
		Resources: []mcp.ServerResource{note("url", func(ctx context.Context, _ string) ([]mcp.ResourceContents, error) { return nil, ask(ctx, "url") })},
	})
	for _, tc := range []struct{ caps, method, params, needs string }{
		{`{}`, "prompts/get", `{"name":"form"}`, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{}}`, "prompts/get", `{"name":"form"}`, ``},
		{`{"elicitation":{"form":{}}}`, "prompts/get", `{"name":"form"}`, ``},
		{`{"elicitation":{"url":{}}}`, "prompts/get", `{"name":"form"}`, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{}}`, "prompts/get", `{"name":"url"}`, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"form":{}}}`, "resources/read", `{"uri":"note:url"}`, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"url":{}}}`, "resources/read", `{"uri":"note:url"}`, ``},
	} {
		meta, err := protocol.ReadMeta([]byte(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + tc.caps + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		result, err := srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: tc.method, Params: json.RawMessage(tc.params), Meta: meta})
		_, waits := result.(*protocol.InputRequired)
		var refused *protocol.Error
		switch {
		case tc.needs == "" && (err != nil || !waits):
			t.Errorf("%+v: %v, %v", tc, result, err)
		case tc.needs != "" && (!errors.As(err, &refused) || refused.Code != protocol.CodeMissingCapability || string(refused.Data) != `{"requiredCapabilities":`+tc.needs+`}`):
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
)

// asked is a client of a session that agrees to everything and remembers it.
type asked struct{ params []string }

func (a *asked) Ask(_ context.Context, questions map[string]mcp.InputRequest) (map[string]json.RawMessage, error) {
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
	caps := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{URL: new(struct{})}}
	ids := map[string]bool{}
	call := func(rev mcp.Revision) (client *asked, notes []string) {
		t.Helper()
		client = new(asked)
		_, err := srv.Dispatch(t.Context(), &mcp.Request{
			ID: "1", Method: "tools/call", Params: []byte(`{"name":"t"}`), Asker: client, Meta: mcp.RequestMeta{Revision: rev}.WithSession(&mcp.SessionMeta{Capabilities: caps}),
			Notify: func(_ context.Context, n mcp.Notification) error {
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
		client, notes := call(mcp.Rev20251125)
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
	client, notes := call(mcp.Latest) // as a task would be asked
	if len(notes) != 0 || strings.Contains(client.params[0], "elicitationId") || early != nil || done != nil {
		t.Errorf("2026-07-28: asked %q, notified %q; %v, %v", client.params, notes, early, done)
	}
	if err := mcp.ElicitationDone(t.Context(), "login"); err != nil {
		t.Errorf("without a call: %v", err)
	}
}

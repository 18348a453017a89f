package legacy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

// A session has the requested revision, or the newest legacy revision. It keeps
// the client capabilities that its revision defines.
func TestOpen(t *testing.T) {
	const caps = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true},"extensions":{"com.example/x":{"a":1}},"other":5}`
	for asked, want := range map[string]struct {
		rev       protocol.Revision
		form, url bool
	}{
		"2024-11-05": {protocol.Rev20241105, false, false}, "2025-03-26": {protocol.Rev20250326, false, false}, "2025-06-18": {protocol.Rev20250618, true, false},
		"2025-11-25": {protocol.Rev20251125, true, true}, "2026-07-28": {protocol.Rev20251125, true, true}, "1999-01-01": {protocol.Rev20251125, true, true},
	} {
		s, err := legacy.Open(fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"c","version":"1"}}`, asked, caps))
		if err != nil {
			t.Fatal(err)
		}
		meta := s.Fill(protocol.RequestMeta{})
		got := meta.Capabilities()
		form := got.Elicitation != nil && (got.Elicitation.Form != nil || got.Elicitation.URL == nil)
		url := got.Elicitation != nil && got.Elicitation.URL != nil
		if s.Revision != want.rev || meta.Revision != want.rev || form != want.form || url != want.url || meta.Client().Name != "c" {
			t.Errorf("%s: %s with %+v", asked, s.Revision, got)
		}
		rest, err := json.Marshal(got)
		sampling := `"sampling":{"tools":{}}`
		if want.rev < protocol.Rev20251125 {
			sampling = `"sampling":{}`
		}
		for _, member := range []string{sampling, `"roots":{"listChanged":true}`, `"extensions":{"com.example/x":{"a":1}}`, `"other":5`} {
			if err != nil || !strings.Contains(string(rest), member) {
				t.Errorf("%s: %s lacks %s, %v", asked, rest, member, err)
			}
		}
	}
	for _, params := range []string{``, `{}`, `[]`, `{"protocolVersion":5}`, `{"protocolVersion":null}`, `{"protocolVersion":"2025-11-25","capabilities":5}`} {
		if _, err := legacy.Open(json.RawMessage(params)); err == nil {
			t.Errorf("%s opens a session", params)
		}
	}
}

// The result of initialize has the form of the session's revision, without
// members that the revision does not define.
func TestInitialized(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1", Title: "S", Description: "d"}, &mcp.ServerOptions{
		Instructions: "\u2028", Extensions: map[string]json.RawMessage{"com.example/x": json.RawMessage(`{}`)},
	})
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct {
		A string `json:"a" jsonschema:"enum=x"`
	}) (*mcp.PromptResult, error) {
		return nil, nil
	})
	if err := srv.Replace("o", mcp.Features{Prompts: []mcp.ServerPrompt{prompt}}); err != nil {
		t.Fatal(err)
	}
	for _, rev := range protocol.Revisions()[1:] {
		result, err := open(t, rev).Initialized(t.Context(), srv, protocol.Peer{})
		if err != nil {
			t.Fatal(err)
		}
		wire, err := result.AppendJSON(nil, rev)
		got := string(wire)
		if err != nil || !json.Valid(wire) || !strings.HasPrefix(got, `{"protocolVersion":"`+string(rev)+`"`) || !strings.Contains(got, `"extensions":{"com.example/x":{}}`) || !strings.Contains(got, `"instructions":"`+"\u2028"+`"`) {
			t.Errorf("%s: %s, %v", rev, got, err)
		}
		for member, since := range map[string]protocol.Revision{`"completions":{}`: protocol.Rev20250326, `"title":"S"`: protocol.Rev20250618, `"description":"d"`: protocol.Rev20251125, "ttlMs": protocol.Rev20260728, "resultType": protocol.Rev20260728} {
			if strings.Contains(got, member) != (rev >= since) {
				t.Errorf("%s: %s in %s", rev, member, got)
			}
		}
	}
	broken := dispatcher(func(context.Context, *protocol.Request) (protocol.Result, error) {
		return nil, protocol.Errorf(7, "seven")
	})
	if _, err := open(t, protocol.Rev20250618).Initialized(t.Context(), broken, protocol.Peer{}); err == nil {
		t.Error("a server that cannot be discovered was described")
	}
}

// A server is asked for the session, so that it can refuse its client; then ping
// is refused too, until the session is opened after all.
func TestSession_RefusedInitialize(t *testing.T) {
	var refusal error = protocol.Errorf(7, "not you")
	picky := dispatcher(func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
		if client := req.Meta.Client().Name; client != "c" || req.Meta.Session() == nil || req.Method != "server/discover" {
			t.Errorf("%s is asked by %q", req.Method, client)
		}
		return &protocol.DiscoverResult{}, refusal
	})
	s := open(t, protocol.Rev20250618)
	for range 2 {
		if _, err := s.Initialized(t.Context(), picky, protocol.Peer{}); !errors.Is(err, refusal) || !errors.Is(s.Refused(), refusal) {
			t.Errorf("initialized: %v, refused: %v", err, s.Refused())
		}
		if err := ask(t.Context(), s, picky, "ping", ``); !errors.Is(err, refusal) {
			t.Errorf("ping: %v", err)
		}
		refusal = nil
	}
}

func TestSession_OwnMethods(t *testing.T) {
	srv, s := library(t), open(t, protocol.Rev20250618)
	if got := s.Fill(protocol.RequestMeta{}).LogLevel; got != protocol.LevelInfo {
		t.Errorf("the level at first is %q", got)
	}
	if err := ask(t.Context(), s, srv, "logging/setLevel", `{"level":"error"}`); err != nil || s.Fill(protocol.RequestMeta{}).LogLevel != protocol.LevelError {
		t.Errorf("setting the level: %v", err)
	}
	for _, params := range []string{``, `{}`, `{"level":"loud"}`, `{"level":5}`} {
		if err := ask(t.Context(), s, srv, "logging/setLevel", params); err == nil || s.Fill(protocol.RequestMeta{}).LogLevel != protocol.LevelError {
			t.Errorf("the level %s was set", params)
		}
	}
	var none *legacy.Session
	for _, session := range []*legacy.Session{s, none} {
		if err := ask(t.Context(), session, srv, "ping", ``); err != nil {
			t.Errorf("ping: %v", err)
		}
		if _, _, own := session.Answer(t.Context(), srv, &protocol.Request{Method: "tools/list"}); own {
			t.Error("a session answers tools/list")
		}
	}
	if _, _, own := none.Answer(t.Context(), srv, &protocol.Request{Method: "logging/setLevel"}); own {
		t.Error("a level was set without a session")
	}
	for method, want := range map[string]bool{"server/discover": false, "subscriptions/listen": false, "tools/list": true, "initialize": true} {
		if err := s.Check(method); (err == nil) != want {
			t.Errorf("%s: %v", method, err)
		}
	}
	if !legacy.Immediate("ping") || !legacy.Immediate("logging/setLevel") || legacy.Immediate("resources/subscribe") {
		t.Error("the wrong methods are answered at once")
	}
}

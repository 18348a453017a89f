package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func complete(t *testing.T, srv *mcp.Server, ref, argument, value string) (string, error) {
	t.Helper()
	return dispatch(t, srv, "completion/complete", fmt.Sprintf(`{"ref":%s,"argument":{"name":%q,"value":%q},"context":{"arguments":{"code":"x"}}}`, ref, argument, value))
}

func TestCompletion(t *testing.T) {
	prompt := mcp.NewPrompt(mcp.Prompt{Name: "review"}, review)
	own := prompt.Complete("focus", func(ctx context.Context, value string, others map[string]string) (mcp.Completion, error) {
		_, err := mcp.Elicit[struct{}](ctx, "k", "?")
		return mcp.Completion{Values: []string{value, others["code"], fmt.Sprint(err)}}, nil
	})
	srv := offering(t, nil, mcp.Features{
		Prompts:   []mcp.ServerPrompt{prompt},
		Templates: []mcp.ServerTemplate{template[place]("at:{dir}{/name}{?tags*,rev}")},
	})
	other := offering(t, nil, mcp.Features{Prompts: []mcp.ServerPrompt{own}})
	const ref, at = `{"type":"ref/prompt","name":"review"}`, `{"type":"ref/resource","uri":"at:{dir}{/name}{?tags*,rev}"}`
	for _, tc := range []struct {
		srv                  *mcp.Server
		ref, argument, value string
		want                 string
	}{
		{srv, ref, "focus", "s", `{"values":["Speed","Safety","Style"],"total":3}`},
		{srv, ref, "focus", "SA", `{"values":["Safety"],"total":1}`},
		{srv, ref, "focus", "Safety first", `{"values":[]}`},
		{srv, ref, "focus", "\u017f", `{"values":[]}`},
		{srv, ref, "code", "", `{"values":[]}`},
		{srv, at, "tags", "", `{"values":["a","b"],"total":2}`},
		{srv, at, "dir", "", `{"values":[]}`},
		{other, ref, "focus", "v", `{"values":["v","x","completion/complete cannot ask its client: only tools/call, prompts/get and resources/read can"]}`},
	} {
		got, err := complete(t, tc.srv, tc.ref, tc.argument, tc.value)
		if err != nil || !strings.Contains(got, `"completion":`+tc.want+`,"_meta"`) {
			t.Errorf("%s %q: %s, %v; want %s", tc.argument, tc.value, got, err, tc.want)
		}
	}
	if got := prompt.Err(); got != nil {
		t.Error(got)
	}
}

// Nothing may ask its client but what the protocol allows, in sessions too.
func TestCompletion_QuestionInSession(t *testing.T) {
	srv := offering(t, nil, mcp.Features{Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, review).
		Complete("code", func(ctx context.Context, _ string, _ map[string]string) (mcp.Completion, error) {
			return mcp.Completion{}, mcp.Confirm(ctx, "k", "?")
		})}})
	req := &protocol.Request{ID: "1", Method: "completion/complete", Params: []byte(`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"code","value":""}}`), Asker: patient{}}
	req.Meta = protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(&protocol.SessionMeta{Capabilities: protocol.ClientCapabilities{Elicitation: new(protocol.ElicitationCapability)}})
	if _, err := srv.Dispatch(t.Context(), req); code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "cannot ask") {
		t.Errorf("%v", err)
	}
}

// The capability exists if anything completes, and the method with it.
func TestCompletion_Capability(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	offers := func() bool {
		got, err := dispatch(t, srv, "server/discover", `{}`)
		_, notFound := complete(t, srv, `{"type":"ref/prompt","name":"p"}`, "a", "")
		if has := strings.Contains(got, `"completions":{}`); err != nil || has == (code(notFound) == protocol.CodeMethodNotFound) {
			t.Errorf("%s; completing: %v", got, notFound)
		}
		return strings.Contains(got, `"completions":{}`)
	}
	replace := func(f mcp.Features) {
		if err := srv.Replace("o", f); err != nil {
			t.Fatal(err)
		}
	}
	if offers() {
		t.Error("a server without anything completes")
	}
	replace(mcp.Features{Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{ A string }) (*mcp.PromptResult, error) { return nil, nil })}})
	if offers() {
		t.Error("a prompt without completers completes")
	}
	replace(mcp.Features{Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, review)}})
	if !offers() {
		t.Error("an enum does not complete")
	}
	replace(mcp.Features{Templates: []mcp.ServerTemplate{template[map[string]string]("a:{b}").Complete("b", func(context.Context, string, map[string]string) (mcp.Completion, error) {
		return mcp.Completion{}, nil
	})}})
	if !offers() {
		t.Error("a template does not complete")
	}
	replace(mcp.Features{})
	if offers() {
		t.Error("what is gone completes")
	}
}

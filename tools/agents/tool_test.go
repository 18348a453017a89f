package agents_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// Names, parameters and results match the specification of the tools.
func TestTools_JSON(t *testing.T) {
	c := newFixture(t, agents.Options{})
	members := func(tool, args string) map[string]any {
		t.Helper()
		r := toolsettest.Call(t, c, tool, args)
		if r.IsError {
			t.Fatalf("%s(%s): %s", tool, args, toolsettest.Text(t, r))
		}
		return decode[map[string]any](t, r.Structured)
	}
	has := func(tool string, got map[string]any, want ...string) {
		t.Helper()
		for _, name := range want {
			if _, ok := got[name]; !ok {
				t.Errorf("%s does not answer %s: %v", tool, name, got)
			}
		}
	}
	group := members("create_group", `{"description":"認証機能の実装・テスト・レビュー"}`)
	has("create_group", group, "groupId", "description", "createdAt", "status")
	run := members("run_agent", `{"groupId":"`+group["groupId"].(string)+`","role":"impl-code","prompt":"do it","workingDirectory":".","timeout_ms":60000}`)
	has("run_agent", run, "agentId", "groupId", "role", "model", "status")
	id := run["agentId"].(string)
	has("wait_agent", members("wait_agent", `{"agentIds":["`+id+`"],"timeout_ms":60000,"mode":"all"}`), "completed", "pending", "timedOut")
	list := members("list_agents", `{"status":"completed"}`)
	has("list_agents", list, "agents", "total")
	has("list_agents", list["agents"].([]any)[0].(map[string]any), "agentId", "groupId", "role", "model", "status", "startedAt", "elapsed_ms", "toolCallCount")
	has("get_agent_status", members("get_agent_status", `{"agentId":"`+id+`","sinceSeq":0}`), "agentId", "groupId", "role", "model", "status", "startedAt", "elapsed_ms", "toolCallCount", "lastAssistantMessage", "recentToolCalls", "result")
	has("report_result", members("report_result", `{"agentId":"`+id+`","status":"success","summary":"s","editedFiles":[],"createdFiles":["a"],"errorMessage":""}`), "registered", "agentId")
	has("list_roles", members("list_roles", `{}`)["roles"].([]any)[0].(map[string]any), "id", "name", "model", "available", "healthCheck", "modelValidation")
	has("get_agent_output", members("get_agent_output", `{"agentId":"`+id+`","kind":"text"}`), "text", "nextOffset", "size")
	has("cancel_agent", members("cancel_agent", `{"agentId":"`+id+`","reason":"x"}`), "cancelled", "alreadyEnded")
	has("send_followup", members("send_followup", `{"agentId":"`+id+`","prompt":"x"}`), "agentId", "follows")
	has("delete_group", members("delete_group", `{"groupId":"`+group["groupId"].(string)+`","force":true}`), "deleted", "groupId")
}

func TestTools_InvalidArguments(t *testing.T) {
	c := newFixture(t, agents.Options{})
	for _, tc := range []struct{ tool, args, says string }{
		{"create_group", `{}`, "description"},
		{"create_group", `{"description":""}`, "description"},
		{"run_agent", `{"groupId":"g","role":"impl-code"}`, "prompt"},
		{"run_agent", `{"groupId":"g","role":"impl-code","prompt":"x","model":"gpt-5"}`, "model"},
		{"run_agent", `{"groupId":"g","role":"impl-code","prompt":"x","timeout_ms":0}`, "timeout_ms"},
		{"run_agent", `{"groupId":"g","role":"impl-code","prompt":"x","isolation":"moon"}`, "isolation"},
		{"wait_agent", `{"agentIds":[]}`, "agentIds"},
		{"wait_agent", `{"agentIds":["a"],"mode":"some"}`, "mode"},
		{"list_agents", `{"status":"lost"}`, "status"},
		{"report_result", `{"agentId":"a","status":"fine","summary":"s"}`, "status"},
		{"report_result", `{"agentId":"a","status":"success"}`, "summary"},
		{"get_agent_output", `{"agentId":"a","kind":"smell"}`, "kind"},
		{"list_roles", `{"all":true}`, "all"},
	} {
		got := toolsettest.Call(t, c, tc.tool, tc.args)
		if !got.IsError || !strings.Contains(toolsettest.Text(t, got), tc.says) || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
			t.Errorf("%s(%s): %s", tc.tool, tc.args, toolsettest.Text(t, got))
		}
	}
}

// The definitions stay within a size, because each request of a model contains them.
func TestTools_DefinitionSize(t *testing.T) {
	c := newFixture(t, agents.Options{})
	want := []string{"create_group", "delete_group", "run_agent", "list_agents", "get_agent_status", "wait_agent", "report_result", "list_roles", "cancel_agent", "send_followup", "get_agent_output"}
	if got := names(c); !slices.Equal(got, want) {
		t.Errorf("the tools are %q", got)
	}
	total := 0
	for _, tool := range c.Features().Tools {
		shown := tool.Tool()
		shown.OutputSchema = nil
		definition, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", shown.Name, len(definition))
		total += len(definition)
	}
	if total > 500*len(want) {
		t.Errorf("%d bytes for %d tools", total, len(want))
	}
}

// Answers stay within the answer budget for any number of agents.
func TestList_Pages(t *testing.T) {
	c := newFixture(t, agents.Options{MaxConcurrent: 50, MaxQueued: 300})
	group := c.group(t)
	var ids []string
	for range 130 {
		ids = append(ids, c.run(t, agents.RunArgs{GroupID: group}))
	}
	for part := range slices.Chunk(ids, 100) {
		c.end(t, part...)
	}
	seen := make(map[string]bool)
	for args := (agents.ListArgs{GroupID: group, Limit: 200}); ; {
		r, err := c.List(t.Context(), args)
		if err != nil || r.Total != 130 {
			t.Fatalf("%+v, %v", r, err)
		}
		text, _ := json.Marshal(r)
		if len(text) > 32<<10 {
			t.Errorf("a page has %d bytes", len(text))
		}
		for _, agent := range r.Agents {
			seen[agent.AgentID] = true
		}
		if args.Offset = r.NextOffset; args.Offset == 0 {
			break
		}
	}
	if len(seen) != 130 {
		t.Errorf("%d agents were seen", len(seen))
	}
	if r, err := c.List(t.Context(), agents.ListArgs{Status: "running"}); err != nil || r.Total != 0 || r.TextContent() != "[no agents]\n" {
		t.Errorf("%+v, %v", r, err)
	}
	w, err := c.Wait(t.Context(), agents.WaitArgs{AgentIDs: ids[:100]})
	if text, _ := json.Marshal(w); err != nil || len(text) > 32<<10 {
		t.Errorf("waiting answers %d bytes, %v", len(text), err)
	}
}

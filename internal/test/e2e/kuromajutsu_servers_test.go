package e2e

import (
	"net"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// testRoleFile changes the roles while the server runs.
func testRoleFile(h *house) {
	role := func(model string) string {
		return "# mine\nroles:\n  - id: docs\n    name: Writer\n    model: " + model + "\n    systemPrompt: You write.\n"
	}
	const name = "kuromajutsu.config.yaml"
	h.write(name, role("composer-2.5"))
	m := h.begin()
	is := func(model string, available bool) {
		h.t.Helper()
		m.until("the role with "+model, func() bool {
			all := do[agents.RolesResult](m, "list_roles", nil).Roles
			return len(all) == 1 && all[0].ID == "docs" && all[0].Model == model && all[0].Available == available && all[0].Done()
		})
	}
	run := agents.RunArgs{GroupID: m.group(), Role: "docs", Prompt: "x"}
	is("composer-2.5", true)
	h.write(name, role("auto"))
	is("auto", true)
	if r := do[agents.RunResult](m, "run_agent", run); r.Model != "auto" {
		h.t.Errorf("it runs as %+v", r)
	}
	h.write(name, role("claude-5-sonet"))
	is("claude-5-sonet", false)
	m.refuses("run_agent", run, "ROLE_UNAVAILABLE", "モデル 'claude-5-sonet' は利用できません", "claude-4-sonnet")
	h.write(name, role("auto"))
	is("auto", true)
	h.write(name, "roles: [\n") // an incomplete file, as an editor may write it
	h.write(name, role("gpt-5.5-high"))
	is("gpt-5.5-high", true)
	m.end()
	h.has(name, "# mine\n")
}

// testTwoServers runs two servers in one project. Each sees the agents of the other and does not change them.
func testTwoServers(h *house) {
	first := h.begin("-port", freePort(h.t))
	_, port, err := net.SplitHostPort(strings.Trim(strings.TrimPrefix(first.dashboard, "http://"), "/"))
	if err != nil {
		h.t.Fatal(err)
	}
	second := h.begin("-port", port)
	if first.dashboard == second.dashboard {
		h.t.Errorf("both are at %s", first.dashboard)
	}
	second.stderr.said(h.t, "the port of the dashboard is in use")
	group := first.group()
	id := first.order(group, "stalled file=go")
	first.says(id, "I think about it.")
	second.until("the news of it", func() bool { return second.status(id).Status == record.Running })
	second.refuses("cancel_agent", agents.CancelArgs{AgentID: id}, "AGENT_RUNNING", "another server")
	second.end()
	third := h.begin()
	if s := third.status(id); s.Status != record.Running {
		h.t.Errorf("a server that starts later sees %+v", s)
	}
	h.write("go", "")
	third.ended(id, record.Completed)
	first.ended(id, record.Completed)
	third.end()
	first.end()
}

// testRestart restarts the server, which loads its agents again.
func testRestart(h *house) {
	m := h.begin()
	group := m.group()
	id := m.order(group, "edits")
	before := m.ended(id, record.Completed)
	stays := m.order(group, "silent")
	m.says(stays, "I think about it.")
	m.end()
	m = h.begin()
	if s := m.status(id); s.Result == nil || s.Result.Summary != before.Result.Summary || !s.EndedAt.Equal(before.EndedAt) || len(s.RecentToolCalls) != 5 {
		h.t.Errorf("it was %+v, and is %+v", before, s)
	}
	if out := do[agents.OutputResult](m, "get_agent_output", agents.OutputArgs{AgentID: id}); !strings.Contains(out.Text, "The greeting is there.") {
		h.t.Errorf("its words are %+v", out)
	}
	m.ended(stays, record.Cancelled)
	again := do[agents.RunResult](m, "send_followup", agents.FollowupArgs{AgentID: id, Prompt: "Go on."})
	if s := m.ended(again.AgentID, record.Completed); s.SessionID != before.SessionID {
		h.t.Errorf("it goes on with %s, and not %s", s.SessionID, before.SessionID)
	}
	m.end()
}

// testMany starts more agents than may run concurrently.
func testMany(h *house) {
	const many = 200
	m := h.begin("-agent-max-concurrent", "20")
	group := m.group()
	ids := make([]string, many)
	for i := range ids {
		ids[i] = m.order(group, "ok")
	}
	for part := range slices.Chunk(ids, 100) {
		for _, ended := range m.await(part...) {
			if ended.Status != record.Completed {
				h.t.Errorf("%+v", ended)
			}
		}
	}
	if list := do[agents.ListResult](m, "list_agents", agents.ListArgs{Limit: 200}); list.Total != many || len(list.Agents) == 0 || list.NextOffset != len(list.Agents) {
		h.t.Errorf("the list has %d of %d agents, and goes on at %d", len(list.Agents), list.Total, list.NextOffset)
	}
	m.end()

	m = h.begin("-agent-max-concurrent", "1", "-agent-max-queued", "2")
	group = m.group()
	first := m.order(group, "silent")
	m.says(first, "I think about it.")
	m.order(group, "ok")
	m.order(group, "ok")
	m.refuses("run_agent", agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x"}, "LIMIT_REACHED", "yourself")
	m.end()
}

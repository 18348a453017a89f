package e2e

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// TestKuromajutsu runs recorded agents as processes with the example, and checks the results from outside.
func TestKuromajutsu(t *testing.T) {
	t.Parallel()
	programs := [2]string{build(t, examples+"/kuromajutsu"), build(t, "../../../tools/agents/replay/fakeagent")}
	tests := map[string]func(h *house){
		"Flow": testFlow, "Dependencies": testDependencies, "Failures": testFailures, "Cancel": testCancel, "Followup": testFollowup,
		"Nested": testNested, "NestedDeeper": testNestedDeeper, "NoDashboard": testNoDashboard, "RoleFile": testRoleFile,
		"TwoServers": testTwoServers, "Restart": testRestart, "Many": testMany, "Hostile": testHostileArguments, "GivenUp": testGivenUp,
		"Worktree": testWorktree, "NoGit": testNoGit, "NoHome": testNoHome, "NoCursor": testNoCursor, "NotLoggedIn": testNotLoggedIn, "Damaged": testDamaged,
	}
	for name, test := range processTests {
		tests[name] = test
	}
	t.Run("Clients", func(t *testing.T) {
		t.Parallel()
		testClients(t, programs)
	})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newHouse(t, programs))
		})
	}
}

// testClients runs agents with real clients. Clients pass few variables, so env sets them.
func testClients(t *testing.T, programs [2]string) {
	node := needNode(t)
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip("there is no program env")
	}
	home := t.TempDir()
	command := []string{
		env, "FAKEAGENT_SPEED=0", "HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "KUROMAJUTSU_AGENT_CURSOR_PROGRAM=" + programs[1], programs[0],
	}
	survey(t, node, command...)
	t.Run("agents", func(t *testing.T) {
		t.Parallel()
		runSuite(t, node, command, "kuromajutsu", []string{
			"offered", "roles", "group", "run", "wait", "status", "nested-report", "review", "progress", "cancel", "timeout", "refused", "list", "delete",
			"only-messages-on-stdout", "ends-with-its-input",
		})
	})
}

// testFlow is the example of the specification.
func testFlow(h *house) {
	m := h.begin()
	m.until("the roles", func() bool {
		all := do[agents.RolesResult](m, "list_roles", nil).Roles
		return len(all) == 4 && !slices.ContainsFunc(all, func(r health.State) bool { return !r.Available })
	})
	group := m.group()
	first := m.order(group, "edits")
	second := m.order(group, "report", func(args *agents.RunArgs) { args.Role = "impl-test" })
	if ended := m.await(first, second); ended[0].Status != record.Completed || ended[1].Result != record.Success {
		h.t.Errorf("they have ended as %+v", ended)
	}
	s := m.status(first)
	if s.Result == nil || !slices.Equal(s.Result.CreatedFiles, []string{"src/greet.go"}) || s.ToolCallCount != 5 || s.Model != "claude-4-sonnet" || s.Result.ToolCallCount != 5 {
		h.t.Errorf("the first has done %+v", s)
	}
	h.has("src/greet.go", "good morning")
	third := m.order(group, "normal", after(first), func(args *agents.RunArgs) { args.Role = "code-review" })
	m.ended(third, record.Completed)
	if out := do[agents.OutputResult](m, "get_agent_output", agents.OutputArgs{AgentID: first}); !strings.Contains(out.Text, "The greeting is there.") || out.Running {
		h.t.Errorf("the first has said %+v", out)
	}
	if list := do[agents.ListResult](m, "list_agents", agents.ListArgs{GroupID: group, Status: "completed"}); list.Total != 3 {
		h.t.Errorf("the group has %+v", list)
	}
	for path, want := range map[string]string{"": "<div id=", "api/history": third, "api/agents/" + first: "src/greet.go", "api/agents/" + first + "/output?kind=text": "The greeting is there."} {
		if code, body := m.get(path); code != http.StatusOK || !strings.Contains(body, want) {
			h.t.Errorf("the dashboard has for /%s: %d, %.500s", path, code, body)
		}
	}
	if r := do[agents.DeleteGroupResult](m, "delete_group", agents.DeleteGroupArgs{GroupID: group}); !r.Deleted {
		h.t.Errorf("deleted: %+v", r)
	}
	m.refuses("run_agent", agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x"}, "UNKNOWN_GROUP", "create_group")
	m.end()
}

// testDependencies makes an agent wait for another one. It receives the other's result.
func testDependencies(h *house) {
	m := h.begin()
	group := m.group()
	first := m.order(group, "stalled file=go")
	second := m.order(group, "normal", after(first))
	if s := m.status(second); s.Status != record.Blocked {
		h.t.Errorf("the second is %s", s.Status)
	}
	m.says(first, "I think about it.")
	r := do[agents.WaitResult](m, "wait_agent", agents.WaitArgs{AgentIDs: []string{second, first}, Mode: "any", TimeoutMs: 1})
	if len(r.Pending) != 2 || !r.TimedOut || r.Slice || !strings.Contains(r.Pending[0].Progress, first) {
		h.t.Errorf("after a millisecond: %+v", r)
	}
	h.write("go", "")
	m.ended(second, record.Completed)
	if out := do[agents.OutputResult](m, "get_agent_output", agents.OutputArgs{AgentID: second, Kind: "log"}); !strings.Contains(out.Text, "I have thought.") {
		h.t.Errorf("the second was not told of the first:\n%s", out.Text)
	}
	failed := m.order(group, "failure")
	m.ended(failed, record.Failed)
	m.refuses("run_agent", agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x", DependsOn: []string{failed}}, "BAD_DEPENDENCY", "failed")
	m.end()
}

// testFailures tests the ways in which agents fail.
func testFailures(h *house) {
	m := h.begin()
	group := m.group()
	soon := func(args *agents.RunArgs) { args.TimeoutMs = 400 }
	late := m.order(group, "silent", soon)
	waits := m.order(group, "normal", after(late))
	ids := make(map[string]string)
	for recording := range map[string]string{"failure": "", "crash": "", "noresult": "", "plainerror": "", "nomodel": "", "nologin": "", "garbage": ""} {
		ids[recording] = m.order(group, recording)
	}
	for recording, words := range map[string]string{
		"failure": "there are no tests to run", "crash": "The server is not there", "noresult": "without a result", "plainerror": "usage limit",
		"nomodel": "Cannot use this model", "nologin": "agent login",
	} {
		s := m.ended(ids[recording], record.Failed)
		if s.Result.Status != record.Failure || !strings.Contains(s.ErrorMessage+s.Result.ErrorMessage, words) {
			h.t.Errorf("%s has failed with %q, %+v", recording, s.ErrorMessage, s.Result)
		}
	}
	m.ended(ids["garbage"], record.Completed)
	if s := m.ended(late, record.TimedOut); s.Result.Status != record.TimeoutEnded || s.Result.Summary != "I think about it." && s.LastAssistantMessage != "" {
		h.t.Errorf("the time of it was over, and it is %+v", s.Result)
	}
	if s := m.ended(waits, record.Failed); !strings.Contains(s.ErrorMessage, late) || s.ToolCallCount != 0 {
		h.t.Errorf("what has waited for it is %+v", s)
	}
	m.end()
}

// testCancel cancels a running agent, a waiting one, and a group.
func testCancel(h *house) {
	m := h.begin("-agent-max-concurrent", "1")
	group := m.group()
	first, second, third := m.order(group, "silent"), m.order(group, "normal"), m.order(group, "normal")
	m.says(first, "I think about it.")
	m.refuses("delete_group", agents.DeleteGroupArgs{GroupID: group}, "GROUP_BUSY", first)
	if r := do[agents.CancelResult](m, "cancel_agent", agents.CancelArgs{AgentID: second}); !slices.Equal(r.Cancelled, []string{second}) {
		h.t.Errorf("cancelled: %+v", r)
	}
	if r := do[agents.CancelResult](m, "cancel_agent", agents.CancelArgs{AgentID: first, Reason: "it is too slow"}); !slices.Equal(r.Cancelled, []string{first}) || len(r.Ending) > 0 {
		h.t.Errorf("cancelled: %+v", r)
	}
	if s := m.ended(first, record.Cancelled); !strings.Contains(s.ErrorMessage, "it is too slow") || s.Result.Status != record.CancelEnded {
		h.t.Errorf("it is %+v", s)
	}
	m.ended(third, record.Completed)
	fourth, fifth := m.order(group, "silent"), m.order(group, "normal")
	if r := do[agents.CancelResult](m, "cancel_agent", agents.CancelArgs{GroupID: group}); len(r.Cancelled) != 2 {
		h.t.Errorf("cancelled of the group: %+v", r)
	}
	m.ended(fourth, record.Cancelled)
	m.ended(fifth, record.Cancelled)
	sixth := m.order(group, "silent")
	if r := do[agents.DeleteGroupResult](m, "delete_group", agents.DeleteGroupArgs{GroupID: group, Force: true}); !r.Deleted || !slices.Equal(r.Cancelled, []string{sixth}) {
		h.t.Errorf("deleted: %+v", r)
	}
	m.end()
}

// testFollowup continues a session.
func testFollowup(h *house) {
	m := h.begin()
	group := m.group()
	first, never := m.order(group, "normal"), m.order(group, "plainerror")
	session := m.ended(first, record.Completed).SessionID
	r := do[agents.RunResult](m, "send_followup", agents.FollowupArgs{AgentID: first, Prompt: "And now? [fake:edits]"})
	if s := m.ended(r.AgentID, record.Completed); r.Follows != first || s.Follows != first || s.SessionID != session || session == "" {
		h.t.Errorf("it goes on as %+v, %+v; the session was %s", r, s, session)
	}
	m.await(never)
	m.refuses("send_followup", agents.FollowupArgs{AgentID: never, Prompt: "x"}, "NO_SESSION", "run_agent")
	busy := m.order(group, "silent")
	m.refuses("send_followup", agents.FollowupArgs{AgentID: busy, Prompt: "x"}, "AGENT_RUNNING")
	m.end()
}

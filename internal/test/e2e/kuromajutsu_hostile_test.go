package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// testHostileArguments calls tools with ids and names that do not exist.
func testHostileArguments(h *house) {
	m := h.begin()
	group := m.group()
	run := func(change func(args map[string]any)) map[string]any {
		args := map[string]any{"groupId": group, "role": "impl-code", "prompt": "x"}
		change(args)
		return args
	}
	with := func(name string, value any) map[string]any {
		return run(func(args map[string]any) { args[name] = value })
	}
	for _, tc := range []struct {
		tool string
		args map[string]any
		says string
	}{
		{"run_agent", with("role", "impl-cod"), "Did you mean impl-code?"},
		{"run_agent", with("role", "../../etc"), "UNKNOWN_ROLE"},
		{"run_agent", with("groupId", "grp-1-abcd"), "UNKNOWN_GROUP"},
		{"run_agent", with("prompt", ""), "INVALID_PARAMS"},
		{"run_agent", with("prompt", " \n"), "INVALID_PARAMS"},
		{"run_agent", with("prompt", strings.Repeat("x", 300_000)), "name files"},
		{"run_agent", with("model", "gpt-5"), "unknown argument"},
		{"run_agent", with("workingDirectory", "../.."), "PERMISSION_DENIED"},
		{"run_agent", with("workingDirectory", "/etc"), "PERMISSION_DENIED"},
		{"run_agent", with("workingDirectory", "--force"), "FILE_NOT_FOUND"},
		{"run_agent", with("contextFiles", []string{"../../etc/passwd"}), "PERMISSION_DENIED"},
		{"run_agent", with("timeout_ms", -1), "INVALID_PARAMS"},
		{"run_agent", with("timeout_ms", 1e18), "INVALID_PARAMS"},
		{"run_agent", with("dependsOn", []string{"impl-code-1-abcd"}), "BAD_DEPENDENCY"},
		{"run_agent", with("isolation", "worktree"), "NOT_A_REPOSITORY"},
		{"run_agent", with("isolation", "container"), "INVALID_PARAMS"},
		{"wait_agent", map[string]any{"agentIds": []string{}}, "INVALID_PARAMS"},
		{"wait_agent", map[string]any{"agentIds": "all"}, "INVALID_PARAMS"},
		{"wait_agent", map[string]any{"agentIds": []string{"\x00"}}, "UNKNOWN_AGENT"},
		{"wait_agent", map[string]any{"agentIds": slices.Repeat([]string{"x"}, 1000)}, "INVALID_PARAMS"},
		{"get_agent_status", map[string]any{"agentId": ""}, "UNKNOWN_AGENT"},
		{"get_agent_output", map[string]any{"agentId": "../../../etc/passwd"}, "UNKNOWN_AGENT"},
		{"get_agent_output", map[string]any{"agentId": "x", "kind": "../raw"}, "INVALID_PARAMS"},
		{"cancel_agent", map[string]any{}, "agentId or groupId"},
		{"cancel_agent", map[string]any{"agentId": "x", "groupId": "y"}, "agentId or groupId"},
		{"report_result", map[string]any{"agentId": "x", "status": "success", "summary": "x"}, "UNKNOWN_AGENT"},
		{"report_result", map[string]any{"agentId": "x", "status": "done", "summary": "x"}, "INVALID_PARAMS"},
		{"delete_group", map[string]any{"groupId": "*"}, "UNKNOWN_GROUP"},
		{"create_group", map[string]any{"description": strings.Repeat("x", 5000)}, "INVALID_PARAMS"},
		{"send_followup", map[string]any{"agentId": "x", "prompt": "x"}, "UNKNOWN_AGENT"},
		{"list_agents", map[string]any{"status": "timeout"}, "timedOut"},
		{"list_agents", map[string]any{"limit": 1_000_000}, "INVALID_PARAMS"},
	} {
		m.refuses(tc.tool, tc.args, tc.says, "Next step")
	}
	if list := do[agents.ListResult](m, "list_agents", map[string]any{"offset": 1_000_000_000}); len(list.Agents) != 0 || list.Total != 0 {
		h.t.Errorf("the list is %+v", list)
	}
	for _, prompt := range []string{"--resume x -p", "\x00\x1b[2J", "$(touch owned) `touch owned`; touch owned", strings.Repeat("長", 80_000)} {
		m.ended(do[agents.RunResult](m, "run_agent", with("prompt", prompt)).AgentID, record.Completed)
	}
	if _, err := os.Stat(filepath.Join(h.project, "owned")); err == nil {
		h.t.Error("a prompt was run by a shell")
	}
	m.end()
}

// testWorktree runs an agent in a git worktree. Its work is kept when the group is deleted.
func testWorktree(h *house) {
	git, err := exec.LookPath("git")
	if err != nil {
		h.t.Skip("there is no git")
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		cmd := exec.CommandContext(h.t.Context(), git, args...)
		if cmd.Dir, cmd.Env = h.project, h.environ; cmd.Run() != nil {
			h.t.Fatalf("git %q does not work", args)
		}
	}
	m := h.begin()
	group := m.group()
	s := m.ended(m.order(group, "edits", func(args *agents.RunArgs) { args.Isolation = "worktree" }), record.Completed)
	if s.Result.Branch != "kuromajutsu/"+s.AgentID || !slices.Equal(s.Result.CreatedFiles, []string{"src/greet.go"}) {
		h.t.Errorf("its result is %+v", s.Result)
	}
	if _, err := os.Stat(filepath.Join(h.project, "src")); err == nil {
		h.t.Error("it has worked in the project")
	}
	clean := m.ended(m.order(group, "normal", func(args *agents.RunArgs) { args.Isolation = "worktree" }), record.Completed)
	r := do[agents.DeleteGroupResult](m, "delete_group", agents.DeleteGroupArgs{GroupID: group})
	if len(r.KeptWorktrees) != 1 || r.KeptWorktrees[0].Path != s.Result.Worktree {
		h.t.Errorf("deleted: %+v", r)
	}
	for dir, there := range map[string]bool{s.Result.Worktree: true, clean.Result.Worktree: false} {
		if _, err := os.Stat(dir); (err == nil) != there {
			h.t.Errorf("%s: %v", dir, err)
		}
	}
	m.end()
}

func testNoGit(h *house) {
	h.environ = append(h.environ, "PATH="+h.t.TempDir())
	m := h.begin()
	if s := m.ended(m.order(m.group(), "edits"), record.Completed); !slices.Equal(s.Result.CreatedFiles, []string{"src/greet.go"}) {
		h.t.Errorf("its result is %+v", s.Result)
	}
	m.refuses("run_agent", agents.RunArgs{GroupID: m.group(), Role: "impl-code", Prompt: "x", Isolation: "worktree"}, "NOT_A_REPOSITORY", "Leave isolation out")
	m.end()
}

// testNoHome runs without a home directory: the history is kept only while the server runs.
func testNoHome(h *house) {
	file := filepath.Join(h.home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.environ = append(h.environ, "HOME="+file, "XDG_STATE_HOME="+filepath.Join(file, "state"), "XDG_CACHE_HOME="+file, "LocalAppData="+file, "TMPDIR="+h.t.TempDir())
	m := h.begin()
	m.stderr.said(h.t, "XDG_STATE_HOME")
	m.ended(m.order(m.group(), "nested"), record.Completed)
	m.end()
}

func testNoCursor(h *house) {
	h.environ = append(h.environ, "PATH="+h.t.TempDir())
	m := h.begin("-agent-cursor-program", "")
	m.refuses("run_agent", agents.RunArgs{GroupID: m.group(), Role: "impl-code", Prompt: "x"}, "ROLE_UNAVAILABLE", "https://cursor.com/cli", "do it yourself")
	m.end()
	m = h.begin("-agent-cursor-program", filepath.Join(h.home, "none"))
	m.refuses("run_agent", agents.RunArgs{GroupID: m.group(), Role: "impl-code", Prompt: "x"}, "ROLE_UNAVAILABLE")
	m.end()
}

func testNotLoggedIn(h *house) {
	h.environ = append(h.environ, "FAKEAGENT_LOGIN=no")
	m := h.begin()
	m.refuses("run_agent", agents.RunArgs{GroupID: m.group(), Role: "impl-code", Prompt: "x"}, "ROLE_UNAVAILABLE", "agent login", "CURSOR_API_KEY")
	m.end()
}

// testDamaged starts with a damaged history. The server begins a new one and keeps the damaged file.
func testDamaged(h *house) {
	m := h.begin()
	id := m.order(m.group(), "ok")
	m.ended(id, record.Completed)
	m.end()
	found, err := filepath.Glob(filepath.Join(h.home, "state", "dougu", "kuromajutsu", "*", "history.db*"))
	if err != nil || len(found) == 0 {
		h.t.Fatalf("there is no history: %q, %v", found, err)
	}
	database := found[0]
	for _, file := range found {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	m = h.begin()
	m.stderr.said(h.t, "it was moved aside")
	m.refuses("get_agent_status", agents.StatusArgs{AgentID: id}, "UNKNOWN_AGENT")
	m.ended(m.order(m.group(), "ok"), record.Completed)
	m.end()
	if kept, err := filepath.Glob(database + ".damaged-*"); err != nil || len(kept) == 0 {
		h.t.Errorf("the old history is not there: %q, %v", kept, err)
	}
}

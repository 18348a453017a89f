package kuromajutsu

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

var toolNames = []string{
	"cancel_agent", "create_group", "delete_group", "get_agent_output", "get_agent_status", "list_agents", "list_roles",
	"report_result", "run_agent", "send_followup", "wait_agent",
}

// A model pays for definitions with every request.
func TestTools_Size(t *testing.T) {
	dir := t.TempDir()
	const most, mostInAll = 1000, 5000 // bytes
	total := 0
	var names []string
	for line := range strings.Lines(in().MustRun(t, "tools", "-json", "-root", dir)) {
		var tool struct{ Name, Description string }
		apptest.Must(t, json.Unmarshal([]byte(line), &tool))
		if names = append(names, tool.Name); len(line) > most || tool.Description == "" {
			t.Errorf("%s is defined in %d bytes, of %d: %s", tool.Name, len(line), most, line)
		}
		total += len(line)
	}
	if slices.Sort(names); !slices.Equal(names, toolNames) {
		t.Errorf("the tools are %q", names)
	}
	if total > mostInAll {
		t.Errorf("all definitions have %d bytes, of %d", total, mostInAll)
	}
	if got := in().Tools(t, "-root", dir, "-output-schemas"); !slices.Equal(got, toolNames) {
		t.Errorf("with the schemas of results the tools are %q", got)
	}
}

// Commands other than serve create no files and start no agents.
func TestCall(t *testing.T) {
	dir := t.TempDir()
	call := func(args ...string) (code int, out string) {
		code, out, _ = in().Run(t, append([]string{"call", "-root", dir, "-agent-cursor-program", fakeCursor(t)}, args...)...)
		return code, out
	}
	code, out := call("list_roles")
	if code != 0 || strings.Count(out, "model claude-4-sonnet: available") != 4 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	apptest.Contains(t, out, "impl-code (コード実装者)", "code-review (コードレビュワー)", "text-review (文章レビュワー)", "impl-test (テスト実装者)")
	if code, out := call("create_group", "description=認証機能の実装"); code != 0 || !strings.HasPrefix(out, "group grp-") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for says, args := range map[string][]string{
		"UNKNOWN_AGENT": {"get_agent_status", "agentId=impl-code-1-abcd"},
		"UNKNOWN_GROUP": {"run_agent", "groupId=grp-1-abcd", "role=impl-code", "prompt=x"},
	} {
		if code, out := call(args...); code != 1 || !strings.Contains(out, says) || !strings.Contains(out, "Next step") {
			t.Errorf("%q: exit code %d\n%s", args, code, out)
		}
	}
}

// The server of an agent forwards the tools of its parent and has none of its own.
// Otherwise agents could start agents without end.
func TestServer_OfAgent(t *testing.T) {
	dir := t.TempDir()
	agent := in("KUROMAJUTSU_AGENT_ID=health", "KUROMAJUTSU_DEPTH=1")
	if names := agent.Tools(t, "-root", dir); len(names) != 0 {
		t.Errorf("without a parent it offers %q", names)
	}
	_, out, _ := agent.Run(t, "doctor", "-root", dir)
	apptest.Contains(t, out, "this server was started by an agent")
	agent.MustFail(t, 1, "an agent runs this", "dashboard", "-root", dir)
	lost := in("KUROMAJUTSU_AGENT_ID=impl-code-1-abcd", "KUROMAJUTSU_DEPTH=1", "KUROMAJUTSU_TOKEN=t", "KUROMAJUTSU_PARENT_URL=http://127.0.0.1:1/mcp")
	lost.MustFail(t, 1, "connecting to the server that started this agent", "tools", "-root", dir)
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	apptest.Contains(t, in().MustRun(t, "install", "cursor", "-dry-run", "--", "-root", dir), `"kuromajutsu"`, dir)
}

func TestDoctor(t *testing.T) {
	dir := t.TempDir()
	doctor := func(p apptest.Program, args ...string) string {
		_, out, _ := p.Run(t, append([]string{"doctor", "-root", dir, "-port", "0"}, args...)...)
		return out
	}
	apptest.Contains(t, doctor(withState(t), "-agent-cursor-program", fakeCursor(t)), "roles: 4 built-in roles", "cursor: 8 models", "history: ", "worktrees: ", "dashboard: http://127.0.0.1:0/ is free")
	apptest.Contains(t, doctor(withState(t), "-agent-cursor-program", script(t, "exit 3"), "-dashboard-enabled=false"), "✗ cursor: ", "agent login", "kuromajutsu demo", "dashboard.enabled is false")
	apptest.Contains(t, doctor(withState(t), "-agent-cursor-program", "/none/agent"), "✗ cursor: ", "/none/agent")
	apptest.Contains(t, doctor(in(), "-agent-cursor-program", "/none/agent"), "! history: ", "XDG_STATE_HOME")
	apptest.Contains(t, doctor(withState(t), "-log-level", "loud"), "✗ settings: ", "Correct ")
	plain := filepath.Join(dir, "agent")
	apptest.Write(t, dir, map[string]string{"agent": "#!/bin/sh\n"})
	if runtime.GOOS != "windows" {
		apptest.Contains(t, doctor(withState(t), "-agent-cursor-program", plain), "✗ cursor: "+plain+" was found, but is not executable", "Make it executable")
	}
	apptest.Write(t, dir, map[string]string{"kuromajutsu.config.yaml": "agent:\n  acpProgram: /opt/agents/acp\n  executor: acp\n"})
	apptest.Contains(t, doctor(withState(t)), `✗ acp: "/opt/agents/acp" is named by agent.acpProgram`, "kuromajutsu.config.yaml, which you have not approved", `Approve it with "kuromajutsu trust"`)
}

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/test/agentmodel"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// agentProgram returns the path of a real agent program.
func agentProgram(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "agentclients", "programs", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(path)
	testrequire.Deep(t, err == nil, name, "run npm ci --prefix internal/test/agentclients/programs --ignore-scripts in the repository's root")
	return path
}

// theTask is part of the prompt of the test's agents.
const theTask = "Write new.txt and change old.txt."

// TestAgentPrograms runs agents with real agent programs and a fake model. The agents read, write, fail, and report to their server
// through the MCP server that it provides.
func TestAgentPrograms(t *testing.T) {
	t.Parallel()
	testrequire.Node(t, 20, "install a recent Node.js and put it on the PATH")
	codex, gemini := agentProgram(t, "codex"), agentProgram(t, "gemini")
	program := build(t, examples+"/kuromajutsu")
	report := agentmodel.Step{Server: "kuromajutsu", Tool: "report_result", Args: map[string]any{"status": "success", "summary": "Two files were written."}}
	end := agentmodel.Step{Text: "Done."}
	google := []agentmodel.Step{
		{Text: "I write.", Tool: "write_file", Args: map[string]string{"file_path": "new.txt", "content": "hello\n"}},
		{Tool: "replace", Args: map[string]string{"file_path": "old.txt", "old_string": "a", "new_string": "b", "instruction": "change a to b"}},
		{Tool: "run_shell_command", Args: map[string]string{"command": "exit 3", "description": "fail"}}, report, end,
	}
	for _, test := range []struct {
		name, model string
		steps       []agentmodel.Step
		flags       []string
		fails       bool // expected failure of the command, as the program reports it
	}{
		{"codex", "gpt-5.5", []agentmodel.Step{
			{Text: "I write.", Tool: "apply_patch", Patch: "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: old.txt\n@@\n-a\n+b\n*** End Patch"},
			{Tool: "exec_command", Args: map[string]string{"cmd": "exit 3"}}, report, end,
		}, []string{"-agent-codex-program", codex, "-agent-codex-sandbox", "danger-full-access"}, true},
		{"gemini", "gemini-2.5-pro", google, []string{"-agent-gemini-program", gemini}, false},
		{"acp", "gemini-2.5-pro", google, []string{"-agent-acp-program", gemini, "-agent-acp-args=--acp", "-agent-acp-args=--skip-trust"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHouse(t, [2]string{program, "no-cursor"})
			h.logsIn(agentmodel.Start(t, agentmodel.Play(theTask, test.steps)))
			h.write("old.txt", "a\n")
			h.write("kuromajutsu.config.yaml", fmt.Sprintf("roles:\n  - {id: coder, name: Coder, model: %[1]s, executor: %[2]s, systemPrompt: You write., healthCheckPrompt: Say OK}\n"+
				"  - {id: reader, name: Reader, model: %[1]s, executor: %[2]s, systemPrompt: You read., healthCheckPrompt: Say OK, readOnly: true}\n", test.model, test.name))
			m := h.begin(test.flags...)
			id := do[agents.RunResult](m, "run_agent", agents.RunArgs{GroupID: m.group(), Role: "coder", Prompt: theTask}).AgentID
			s := m.ended(id, record.Completed)
			if s.Status != record.ResultReported || s.Result.StatusSource != record.FromReport || s.Result.Summary != "Two files were written." {
				t.Errorf("it has reported %s, %+v\n%s", s.Status, s.Result, m.said())
			}
			if !slices.Equal(s.Result.CreatedFiles, []string{"new.txt"}) || !slices.Equal(s.Result.EditedFiles, []string{"old.txt"}) || s.Usage == nil || s.Usage.OutputTokens == 0 || s.SessionID == "" {
				log := do[agents.OutputResult](m, "get_agent_output", agents.OutputArgs{AgentID: id, Kind: "log"})
				t.Errorf("it is %+v with the result %+v\n%s", s, s.Result, log.Text)
			}
			h.has("new.txt", "hello")
			h.has("old.txt", "b")
			if out := do[agents.OutputResult](m, "get_agent_output", agents.OutputArgs{AgentID: id}); !strings.Contains(out.Text, "I write.") || !strings.Contains(out.Text, "Done.") {
				t.Errorf("it has said %q", out.Text)
			}
			failed := slices.ContainsFunc(s.RecentToolCalls, func(c record.ToolCall) bool { return c.Failed })
			if failed != test.fails {
				t.Errorf("its calls are %+v", s.RecentToolCalls)
			}
			h.write("old.txt", "a\n")
			if err := os.Remove(filepath.Join(h.project, "new.txt")); err != nil {
				t.Fatal(err)
			}
			m.await(do[agents.RunResult](m, "run_agent", agents.RunArgs{GroupID: m.group(), Role: "reader", Prompt: theTask}).AgentID)
			h.has("old.txt", "a\n")
			if _, err := os.Stat(filepath.Join(h.project, "new.txt")); err == nil {
				t.Error("an agent that was to read only has written a file")
			}
			m.end()
		})
	}
}

// logsIn writes settings of the programs that use the fake model.
func (h *house) logsIn(model string) {
	h.t.Helper()
	for name, content := range map[string]string{
		".codex/config.toml":    "model_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"" + model + "/v1\"\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\n",
		".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`,
	} {
		name = filepath.Join(h.home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	h.environ = append(h.environ, "FAKE_KEY=k", "GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL="+model, "CODEX_HOME="+filepath.Join(h.home, ".codex"), "NO_COLOR=1")
}

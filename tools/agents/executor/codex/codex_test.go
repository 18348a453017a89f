package codex_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

func TestRun_Events(t *testing.T) {
	exit, told := standin.Run(t, newExecutor(t, codex.Options{}), executor.Spec{Prompt: "normal"})
	if !exit.Finished || exit.Failed || exit.Code != 0 {
		t.Errorf("the exit is %+v", exit)
	}
	standin.Same(t, told,
		"init 01a20419-3ca9-71f3-aa5f-a1a182a2c438", "prompted", "thinking **Looking around**", "said I look at the files first.",
		"tool_started item_2 command_execution", "tool_completed item_2 command_execution",
		"tool_started item_3 file_change", "tool_completed item_3 file_change created /w/new.txt edited /w/old.txt",
		"tool_started item_4 command_execution", "tool_completed item_4 command_execution failed: exit code 3: FAIL",
		"tool_started item_5 mcp_tool_call kuromajutsu/report_result", "tool_completed item_5 mcp_tool_call kuromajutsu/report_result",
		"tool_started item_6 file_change", "tool_completed item_6 file_change deleted /w/old.txt",
		"said Done: new.txt says hello.", "finished Done: new.txt says hello.")
	end := told[len(told)-1]
	if got := fmt.Sprint(*end.Usage); got != "{1860 210 240 0 0 false}" || !end.Cumulative {
		t.Errorf("it cost %s", got)
	}
	args := make(map[string]string)
	for _, e := range told {
		if e.Kind == executor.ToolStarted {
			args[e.Tool.CallID] = string(e.Tool.Args)
		}
	}
	for id, want := range map[string]string{
		"item_2": `{"command":"/bin/bash -lc ls"}`, "item_5": `{"agentId":"a-1","status":"success","summary":"Done."}`,
		"item_6": `{"changes":[{"path":"/w/old.txt","kind":"delete"}]}`,
	} {
		if args[id] != want {
			t.Errorf("%s is given %s, want %s", id, args[id], want)
		}
	}
}

func TestDecoder_DeclinedTool(t *testing.T) {
	_, told := standin.Run(t, newExecutor(t, codex.Options{}), executor.Spec{Prompt: "unapproved"})
	const want = "tool_completed item_1 mcp_tool_call kuromajutsu/report_result failed: MCP tool call requires approval, but approval policy is never"
	if !slices.Contains(standin.Story(told), want) {
		t.Errorf("it told %q", standin.Story(told))
	}
}

// Other builds report calls without a start, plans, and agents that the agent has started.
func TestDecoder_OtherEvents(t *testing.T) {
	var told []executor.Event
	d := codex.NewDecoder()
	for _, line := range []string{
		`{"type":"item.completed","item":{"id":"a","type":"file_change","changes":[{"path":"/w/x","kind":"add"},{"path":"","kind":"add"},{"path":"/w/y","kind":"renamed"}],"status":"completed"}}`,
		`{"type":"item.started","item":{"id":"b","type":"web_search","id":"b","query":"go","action":{"type":"search"}}}`,
		`{"type":"item.updated","item":{"id":"b","type":"web_search","query":"go"}}`,
		`{"type":"item.completed","item":{"id":"b","type":"web_search","query":"go"}}`,
		`{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"rm","aggregated_output":"","status":"declined"}}`,
		`{"type":"item.completed","item":{"id":"d","type":"collab_tool_call","tool":"spawn_agent","prompt":"Help.","status":"failed"}}`,
		`{"type":"item.updated","item":{"id":"e","type":"todo_list","items":[{"text":"Look","completed":true},{"text":"Write","completed":false}]}}`,
		`{"type":"item.started","item":{"id":"f","type":"agent_message","text":""}}`,
		`{"type":"item.completed","item":{"id":"g","type":"hologram"}}`,
		`{"type":"item.plan.delta","item_id":"h","delta":"x"}`,
		`{"type":"turn.failed"}`,
	} {
		if !d.Decode([]byte(line), func(e executor.Event) { told = append(told, e) }) {
			t.Errorf("%s is no event", line)
		}
	}
	standin.Same(t, told, "tool_started a file_change", "tool_completed a file_change created /w/x", "tool_started b web_search", "tool_completed b web_search",
		"tool_started c command_execution", "tool_completed c command_execution failed: declined", "tool_started d collab_tool_call", "tool_completed d collab_tool_call failed: ",
		"thinking 1 of 2 steps are done. Write", `unknown {"type":"item.completed","item":{"id":"g","type":"hologram"}`,
		`unknown {"type":"item.plan.delta","item_id":"h","delta":"x"}`, "finished the turn has failed")
}

func TestContract(t *testing.T) {
	missing := func(t *testing.T) executor.Executor {
		return standin.New(t, codex.New, codex.Options{Program: filepath.Join(t.TempDir(), "codex")})
	}
	open := func(t *testing.T) executor.Executor { return newExecutor(t, codex.Options{}) }
	executortest.Run(t, standin.Harness(t, open, missing, "Done", "limit"))
}

func TestRun_Failures(t *testing.T) {
	for _, test := range []struct {
		stream, message string
		finished        bool
		cause           error
	}{
		{"login", "401 Unauthorized: Incorrect API key", true, executor.ErrUnauthenticated},
		{"model", "The model `nope` does not exist", true, executor.ErrUnknownModel},
		{"account", "The 'nope' model is not supported when using Codex", true, executor.ErrUnknownModel},
		{"limit", "usage limit", true, nil},
		{"no such stream", "no rollout found", false, nil},
	} {
		exit, told := standin.Run(t, newExecutor(t, codex.Options{}), executor.Spec{Prompt: test.stream})
		if exit.Finished != test.finished || !exit.Failed || !strings.Contains(exit.Message, test.message) || strings.HasPrefix(exit.Message, "{") || !errors.Is(exit.Cause, test.cause) {
			t.Errorf("%s: the exit is %+v", test.stream, exit)
		}
		for _, e := range told {
			if e.Kind == executor.Unknown {
				t.Errorf("%s: it does not know %s", test.stream, e.Text)
			}
		}
	}
}

func TestRun_Arguments(t *testing.T) {
	const always = "exec --json --skip-git-repo-check -C DIR "
	servers := []executor.Server{{Name: "kuromajutsu", Command: `/bin/my "server"`, Args: []string{"child", "a\\b\x7f<"}, Env: []string{"TOKEN=secret", "DEPTH=1"}}, {Name: "b", Command: "b", Env: []string{"DEPTH=1"}}}
	for _, test := range []struct {
		name string
		o    codex.Options
		s    executor.Spec
		args string
	}{
		{"trusted", codex.Options{}, executor.Spec{Trust: true, Model: "gpt-6-sol"}, always + "-m gpt-6-sol -s workspace-write -"},
		{"trusted with all", codex.Options{Sandbox: codex.FullAccess, Settings: []string{`model_reasoning_effort="high"`}}, executor.Spec{Trust: true, Model: "auto"}, always + `-s danger-full-access -c model_reasoning_effort="high" -`},
		{"not trusted", codex.Options{}, executor.Spec{}, always + "-"},
		{"read only", codex.Options{}, executor.Spec{ReadOnly: true, Trust: true}, always + "-s read-only -"},
		{"resumed, with servers", codex.Options{}, executor.Spec{Trust: true, Resume: "0-1", Servers: servers}, always + "-s workspace-write" +
			` -c mcp_servers.kuromajutsu={command="/bin/my \"server\"",args=["child","a\\b\u007f<"],env_vars=["TOKEN","DEPTH"],default_tools_approval_mode="approve"}` +
			` -c mcp_servers.b={command="b",args=[],env_vars=["DEPTH"],default_tools_approval_mode="approve"} resume 0-1 -`},
		{"not trusted, with a server", codex.Options{}, executor.Spec{Servers: servers[1:]}, always + `-c mcp_servers.b={command="b",args=[],env_vars=["DEPTH"]} -`},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.s.Prompt = "called"
			_, told := standin.Run(t, newExecutor(t, test.o), test.s)
			var called struct {
				Args  []string
				Token string
			}
			if err := json.Unmarshal([]byte(told[0].Text), &called); err != nil {
				t.Fatal(err)
			}
			if i := slices.Index(called.Args, "-C"); i >= 0 {
				called.Args[i+1] = "DIR"
			}
			if got := strings.Join(called.Args, " "); got != test.args || len(test.s.Servers) == 2 && called.Token != "secret" {
				t.Errorf("it was called with\n%s\nwant\n%s\nand the token %q", got, test.args, called.Token)
			}
		})
	}
}

func TestRun_InvalidSpec(t *testing.T) {
	x := newExecutor(t, codex.Options{})
	for name, s := range map[string]executor.Spec{
		"no prompt":                     {Dir: os.TempDir()},
		"a name that is no key":         {Servers: []executor.Server{{Name: "a.b"}}},
		"two values of one variable":    {Servers: []executor.Server{{Name: "a", Env: []string{"X=1"}}, {Name: "b", Env: []string{"X=2"}}}},
		"a session that is an argument": {Resume: "--last"},
	} {
		if name != "no prompt" {
			s.Prompt, s.Dir = "x", os.TempDir()
		}
		if _, err := x.Run(t.Context(), s, func(executor.Event) {}); err == nil {
			t.Errorf("%s: it was begun", name)
		}
	}
	if _, err := codex.New(codex.Options{Sandbox: "none"}); err == nil {
		t.Error("a sandbox that there is not")
	}
}

func TestModels(t *testing.T) {
	t.Setenv("CODEX_TEST_MODELS", `{"models":[{"slug":"b","display_name":"B","visibility":"list","priority":2},{"slug":"hidden","visibility":"hide","priority":0},{"slug":"a","display_name":"","visibility":"list","priority":1}]}`)
	ids := func(models []executor.Model) (all []string) {
		for _, m := range models {
			all = append(all, m.ID+"="+m.Name)
		}
		return all
	}
	known := codex.Options{Known: []executor.Model{{ID: "a", Name: "no"}, {ID: "mine", Name: "Mine"}}}
	models, err := newExecutor(t, known).Models(t.Context())
	if err != nil || fmt.Sprint(ids(models)) != "[auto=Auto a=a b=B mine=Mine]" {
		t.Errorf("the models are %v, %v", ids(models), err)
	}
	t.Setenv("CODEX_TEST_MODELS", "error: unrecognized subcommand 'models'")
	if models, err = newExecutor(t, codex.Options{}).Models(t.Context()); err != nil || len(models) != 1 {
		t.Errorf("an old build has the models %v, %v", models, err)
	}
	x, err := codex.New(codex.Options{Name: "mine", Program: filepath.Join(t.TempDir(), "codex")})
	if err != nil {
		t.Fatal(err)
	}
	if models, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) || x.Name() != "mine" {
		t.Errorf("a program that is not there has the models %v, %v", models, err)
	}
}

func FuzzDecoder(f *testing.F) {
	standin.Fuzz(f, "testdata/*.jsonl", func() command.Decoder { return codex.NewDecoder() }, standin.Valid)
}

package acp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

// checkStory fails the test unless the story equals want.
func checkStory(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("it told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRun_Turn(t *testing.T) {
	exit, events := run(t, newExecutor(t, "turn", nil), executor.Spec{Trust: true, Servers: []executor.Server{{Name: "kuromajutsu", Command: "/bin/server", Args: []string{"child"}, Env: []string{"TOKEN=x=y"}}}})
	if !exit.Finished || exit.Failed || exit.Leftover {
		t.Errorf("the exit is %+v", exit)
	}
	checkStory(t, story(events),
		"init s-1 gpt-6", "prompted", "thinking 1 of 3 steps are done. Write it", "thinking Let me see.", "delta I write ", "delta a file.", "said I write a file.",
		"delta Another message.", "said Another message.",
		"tool_started call-1 edit", "tool_completed call-1 edit created new.txt edited old.txt",
		"tool_started call-2 execute", "tool_completed call-2 execute failed: exit code 3",
		"tool_started call-3 other kuromajutsu/report_result", "tool_completed call-3 other kuromajutsu/report_result",
		"tool_started call-4 delete", "tool_completed call-4 delete deleted old.txt",
		"tool_started call-5 other", "tool_completed call-5 other",
		`unknown {"jsonrpc":"2.0","method":"session/update","params":{"sessio`, `unknown {"jsonrpc":"2.0","method":"_vendor/thing","params":{}}`,
		"delta Done.", "said Done.", "finished Done.")
	for _, e := range events {
		standin.Valid(t, e)
	}
	end := events[len(events)-1]
	if got := fmt.Sprint(*end.Usage); got != "{10 20 30 40 0.5 false}" {
		t.Errorf("it cost %s", got)
	}
	at := slices.IndexFunc(events, func(e executor.Event) bool { return e.Kind == executor.ToolCompleted })
	dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(events[at].Tool.Changes[0].Path)), "/")
	want := "--- /dev/null\n+++ b/" + dir + "/new.txt\n@@ -0,0 +1 @@\n+hello\n--- a/" + dir + "/old.txt\n+++ b/" + dir + "/old.txt\n@@ -1 +1 @@\n-a\n+b\n"
	if got := strings.ReplaceAll(events[at].Tool.Diff, `\`, "/"); got != want {
		t.Errorf("the diff is %q, want %q", got, want)
	}
	for _, e := range events {
		if e.Kind == executor.ToolStarted && e.Tool.Name == "report_result" && string(e.Tool.Args) != `{"agentId":"a-1","status":"success"}` {
			t.Errorf("the report is %s", e.Tool.Args)
		}
		if e.Kind == executor.ToolStarted && e.Tool.CallID == "call-2" && string(e.Tool.Args) != `{"input":{"command":"false"},"title":"false"}` {
			t.Errorf("the command is %s", e.Tool.Args)
		}
	}
}

func TestRun_GeminiCLI(t *testing.T) {
	exit, events := run(t, newExecutor(t, "gemini", nil), executor.Spec{Trust: true, Servers: []executor.Server{{Name: "kuromajutsu", Command: "node"}}})
	if !exit.Finished || exit.Failed {
		t.Errorf("the exit is %+v", exit)
	}
	all := story(events)
	for i, text := range all {
		kind, rest, _ := strings.Cut(text, "__")
		if _, after, ok := strings.Cut(rest, "_0 "); ok {
			all[i] = kind + " " + after
		} else if _, after, ok := strings.Cut(rest, "_1 "); ok {
			all[i] = kind + " " + after
		}
	}
	dir := filepath.Dir(events[slices.IndexFunc(events, func(e executor.Event) bool { return e.Tool != nil && len(e.Tool.Changes) > 0 })].Tool.Changes[0].Path)
	checkStory(t, all,
		all[0], "prompted", "thinking **Looking**\nAround the files.", "delta I write ", "delta a file.", "said I write a file.",
		"tool_started write_file edit", "tool_completed write_file edit created new.txt",
		"tool_started replace edit", "tool_completed replace edit edited old.txt",
		"tool_started run_shell_command execute", "tool_completed run_shell_command execute",
		"tool_started read_file read", "tool_completed read_file read failed: File not found: "+filepath.ToSlash(dir)+"/nothing.txt",
		"tool_started mcp_kuromajutsu_report_result other kuromajutsu/report_result", "tool_completed mcp_kuromajutsu_report_result other kuromajutsu/report_result",
		"delta Done: new.txt ", "delta says hello.", "said Done: new.txt says hello.", "finished Done: new.txt says hello.")
	if u := events[len(events)-1].Usage; u == nil || u.InputTokens != 1500 || u.OutputTokens != 150 {
		t.Errorf("it cost %+v", u)
	}
}

func TestRun_Failures(t *testing.T) {
	const initialized = `> "method":"initialize" & "clientInfo" & "terminal":false
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":[{"id":"oauth","name":"Log in"}]}}
`
	for _, test := range []struct {
		name, script, message string
		spec                  executor.Spec
		login                 string
		cause                 error
	}{
		{"another version", "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2}}` + "\n! end\n", "speaks version 2", executor.Spec{}, "", nil},
		{"no version", "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"result":"hello"}` + "\n! end\n", "reported no version", executor.Spec{}, "", nil},
		{"an error at once", "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":{"details":"no disk"}}}` + "\n! end\n", "refused to initialize: Internal error: no disk", executor.Spec{}, "", nil},
		{"not logged in", initialized + "> session/new\n" + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}` + "\n! end\n", "or set Login to one of its authentication methods: oauth", executor.Spec{}, "", executor.ErrUnauthenticated},
		{"a login that fails", initialized + "> \"method\":\"authenticate\" & \"methodId\":\"key\"\n" + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Bad key"}}` + "\n! end\n", "Bad key", executor.Spec{}, "key", executor.ErrUnauthenticated},
		{"not logged in any more", hello + `< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Token expired"}}` + "\n! end\n", "Token expired", executor.Spec{}, "", executor.ErrUnauthenticated},
		{"no session", initialized + "> session/new\n" + `< {"jsonrpc":"2.0","id":2,"result":{}}` + "\n! end\n", "without a usable ID", executor.Spec{}, "", nil},
		{"a session refused", initialized + "> session/new\n" + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such directory"}}` + "\n! end\n", "could not open a session: no such directory", executor.Spec{}, "", nil},
		{"no sessions of before", initialized + "! end\n", "cannot resume a session", executor.Spec{Resume: "s-0"}, "", nil},
		{"refused", hello + `< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"refusal"}}` + "\n! end\n", "refused to continue", executor.Spec{}, "", nil},
		{"an unknown end", hello + `< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"tired"}}` + "\n! end\n", `the agent ended with the stop reason "tired"`, executor.Spec{}, "", nil},
		{"an error", hello + `< {"jsonrpc":"2.0","id":3,"error":{"code":429,"message":"Rate limit"}}` + "\n! end\n", "Rate limit", executor.Spec{}, "", nil},
		{"no choice of models", initialized + "> session/new\n" + `< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}` + "\n! end\n", "cannot be selected", executor.Spec{Model: "gpt-7"}, "", executor.ErrUnknownModel},
	} {
		t.Run(test.name, func(t *testing.T) {
			exit, _ := run(t, newExecutor(t, test.script, func(o *acp.Options) { o.Login = test.login }), test.spec)
			if !exit.Finished || !exit.Failed || exit.Code != 0 || !strings.Contains(exit.Message, test.message) || !errors.Is(exit.Cause, test.cause) {
				t.Errorf("the exit is %+v", exit)
			}
		})
	}
}

func TestRun_Resume(t *testing.T) {
	for _, test := range []struct{ name, offer, method string }{
		{"without what was before", `"loadSession":true,"sessionCapabilities":{"resume":{}}`, "session/resume"},
		{"with what was before", `"loadSession":true,"sessionCapabilities":{"resume":null}`, "session/load"},
	} {
		t.Run(test.name, func(t *testing.T) {
			const past = `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-0","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Long ago."}}}}`
			script := "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{` + test.offer + `}}}` + "\n" +
				`> "method":"` + test.method + `" & "sessionId":"s-0" & "mcpServers":[]` + "\n" + past + "\n" + `< {"jsonrpc":"2.0","id":2,"result":null}` + "\n" +
				`> session/prompt & "sessionId":"s-0"` + bye
			_, events := run(t, newExecutor(t, script, nil), executor.Spec{Resume: "s-0"})
			checkStory(t, story(events), "init s-0", "prompted", "finished")
		})
	}
}

func TestModels(t *testing.T) {
	choices := `"configOptions":[{"id":"x","name":"X","type":"news"},7,{"id":"m","name":"Model","category":"model","type":"select","currentValue":"gpt-6","options":[{"group":"g","name":"G","options":[{"value":"gpt-6","name":"GPT 6"}]},{"value":"gpt-7","name":"GPT 7"}]}]`
	list := `"models":{"currentModelId":"auto","availableModels":[{"modelId":"auto","name":"Auto"},{"modelId":"flash","name":"Flash"}]}`
	for _, test := range []struct{ name, session, want string }{
		{"by choices", choices, "[auto gpt-6 gpt-7 mine]"},
		{"by a list", list, "[auto flash mine]"},
		{"none", `"x":1`, "[auto mine]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n> session/new\n" + `< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1",` + test.session + "}}\n! end\n"
			models, err := newExecutor(t, script, func(o *acp.Options) { o.Known = []executor.Model{{ID: "mine"}} }).Models(t.Context())
			var ids []string
			for _, m := range models {
				ids = append(ids, m.ID)
			}
			if err != nil || fmt.Sprint(ids) != test.want {
				t.Errorf("the models are %v, %v; want %s", ids, err, test.want)
			}
		})
	}
	for _, test := range []struct{ name, session, step string }{
		{"chosen by choices", choices, `> "method":"session/set_config_option" & "configId":"m" & "value":"gpt-7"`},
		{"chosen from a list", strings.ReplaceAll(list, "flash", "gpt-7"), `> "method":"session/set_model" & "modelId":"gpt-7"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n> session/new\n" + `< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1",` + test.session + "}}\n" +
				test.step + "\n" + `< {"jsonrpc":"2.0","id":3,"result":{}}` + "\n> session/prompt\n" + `< {"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}` + "\n! end\n"
			if exit, _ := run(t, newExecutor(t, script, nil), executor.Spec{Model: "gpt-7"}); exit.Failed {
				t.Errorf("the exit is %+v", exit)
			}
			exit, _ := run(t, newExecutor(t, script, nil), executor.Spec{Model: "gpt-8"})
			if !errors.Is(exit.Cause, executor.ErrUnknownModel) || !strings.Contains(exit.Message, "gpt-7") {
				t.Errorf("with a model that is not there the exit is %+v", exit)
			}
		})
	}
}

func TestModels_MissingProgram(t *testing.T) {
	for _, program := range []string{"", filepath.Join(t.TempDir(), "nothing")} {
		x, err := acp.New(acp.Options{Name: "mine", Program: program})
		if err != nil {
			t.Fatal(err)
		}
		if models, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) || x.Name() != "mine" {
			t.Errorf("%q has the models %v, %v", program, models, err)
		}
		if _, err := x.Run(t.Context(), executor.Spec{Dir: os.TempDir(), Prompt: "x"}, func(executor.Event) {}); !errors.Is(err, executor.ErrUnavailable) {
			t.Errorf("%q runs: %v", program, err)
		}
	}
	x := newExecutor(t, "> initialize\n"+`< {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`+"\n! end\n", nil)
	if _, err := x.Models(t.Context()); !errors.Is(err, executor.ErrUnavailable) {
		t.Errorf("a program that does not begin: %v", err)
	}
}

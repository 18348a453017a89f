package acp_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
)

const options = `"options":[{"optionId":"ever","kind":"allow_always"},{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"},{"optionId":"never","kind":"reject_always"}]`

func TestPermission_Rules(t *testing.T) {
	servers := []executor.Server{{Name: "kuromajutsu", Command: "/bin/server"}}
	const edits = `,"content":[{"type":"diff","path":"/w/a","oldText":"","newText":"x"}]`
	trusted, reads, asked := executor.Spec{Trust: true, Servers: servers}, executor.Spec{ReadOnly: true, Trust: true, Servers: servers}, executor.Spec{Servers: servers}
	some := executor.Spec{Trust: true, Tools: []string{"edit", "!fetch"}, Servers: servers}
	but := executor.Spec{Trust: true, Tools: []string{"!delete"}, Servers: servers}
	for _, test := range []struct {
		name    string
		spec    executor.Spec
		call    string
		allowed bool
	}{
		{"trusted, a command", trusted, `"kind":"execute"`, true},
		{"trusted, no kind", trusted, `"title":"Something"`, true},
		{"reading, a file", reads, `"kind":"read"`, true},
		{"reading, a search", reads, `"kind":"search"`, true},
		{"reading, a page", reads, `"kind":"fetch"`, true},
		{"reading, a command", reads, `"kind":"execute"`, false},
		{"reading, an edit", reads, `"kind":"edit"`, false},
		{"reading, an edit that calls itself a read", reads, `"kind":"read"` + edits, false},
		{"reading, a change of the mode", reads, `"kind":"switch_mode"`, false},
		{"reading, no kind", reads, `"title":"Something"`, false},
		{"reading, a kind of tomorrow", reads, `"kind":"teleport"`, false},
		{"reading, the server that it was given", reads, `"kind":"other","title":"mcp__kuromajutsu__report_result"`, true},
		{"reading, another server", reads, `"kind":"other","title":"mcp__strange__report_result"`, false},
		{"reading, a command named like the server", reads, `"kind":"execute","title":"kuromajutsu/x"`, false},
		{"reading, the server in other words", reads, `"kind":"other","title":"rm -rf kuromajutsu/x"`, false},
		{"not trusted, an edit", asked, `"kind":"edit"`, false},
		{"not trusted, a file", asked, `"kind":"read"`, true},
		{"with permissions, one that is named", some, `"kind":"edit"`, true},
		{"with permissions, one that is not", some, `"kind":"execute"`, false},
		{"with permissions, one that is denied", some, `"kind":"fetch"`, false},
		{"with a denial, that", but, `"kind":"delete"`, false},
		{"with a denial, another", but, `"kind":"execute"`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, ends := "no", "tool_completed call-1"
			if test.allowed {
				want = "yes"
			}
			script := hello + `< {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"call-1",` + test.call + `},` + options + `}}` + "\n" +
				`> "id":0 & "outcome":"selected" & "optionId":"` + want + `"` + "\n" +
				`< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call_update","toolCallId":"call-1","status":"completed"}}}` + bye
			exit, events := run(t, newExecutor(t, script, nil), test.spec)
			if exit.Failed {
				t.Fatalf("the exit is %+v", exit)
			}
			all := story(events)
			if len(all) != 5 || !strings.HasPrefix(all[2], "tool_started call-1") || !strings.HasPrefix(all[3], ends) || strings.Contains(all[3], "failed: refused: ") == test.allowed {
				t.Errorf("it told %q", all)
			}
		})
	}
}

func TestPermission_MissingOptions(t *testing.T) {
	for _, test := range []struct {
		name, options, want string
		spec                executor.Spec
	}{
		{"once", `[{"optionId":"yes","kind":"allow_once"}]`, `"outcome":"cancelled"`, executor.Spec{ReadOnly: true}},
		{"only for ever", `[{"optionId":"ever","kind":"allow_always"}]`, `"optionId":"ever"`, executor.Spec{Trust: true}},
		{"none", `[]`, `"outcome":"cancelled"`, executor.Spec{Trust: true}},
		{"no denial but for ever", `[{"optionId":"never","kind":"reject_always"}]`, `"optionId":"never"`, executor.Spec{}},
		{"nothing that can be read", `{}`, `-32602`, executor.Spec{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := hello + `< {"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c","kind":"edit"},"options":` + test.options + `}}` + "\n" +
				`> "id":"q" & ` + test.want + bye
			if exit, _ := run(t, newExecutor(t, script, nil), test.spec); exit.Failed {
				t.Errorf("the exit is %+v", exit)
			}
		})
	}
}

func TestReadOnlyModes(t *testing.T) {
	const modes = `"modes":{"currentModeId":"default","availableModes":[{"id":"yolo"},{"id":"plan"}]}`
	const choices = `"configOptions":[{"id":"md","category":"mode","type":"select","currentValue":"code","options":[{"value":"code"},{"value":"ask"}]}]`
	for _, test := range []struct{ name, session, step, answer string }{
		{"a mode", modes, `"method":"session/set_mode" & "modeId":"plan"`, `"result":{}`},
		{"a choice", choices, `"method":"session/set_config_option" & "configId":"md" & "value":"ask"`, `"result":{"configOptions":[]}`},
		{"a mode that cannot be set", modes, `"method":"session/set_mode"`, `"error":{"code":1,"message":"not now"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fails := strings.Contains(test.answer, "error")
			script := "> initialize & \"writeTextFile\":false\n" + `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n> session/new\n" + `< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1",` + test.session + "}}\n" +
				"> " + test.step + "\n" + `< {"jsonrpc":"2.0","id":3,` + test.answer + "}\n"
			if !fails {
				script += "> session/prompt\n" + `< {"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}` + "\n"
			}
			exit, _ := run(t, newExecutor(t, script+"! end\n", nil), executor.Spec{ReadOnly: true})
			if exit.Failed != fails || fails && !strings.Contains(exit.Message, "selecting a read-only mode failed: not now") {
				t.Errorf("the exit is %+v", exit)
			}
		})
	}
	t.Run("none is named", func(t *testing.T) {
		script := "> initialize\n" + `< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n> session/new\n" + `< {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1",` + modes + "}}\n" +
			"> session/prompt\n" + `< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}` + "\n! end\n"
		if exit, _ := run(t, newExecutor(t, script, func(o *acp.Options) { o.ReadOnlyModes = []string{"look"} }), executor.Spec{ReadOnly: true}); exit.Failed {
			t.Errorf("the exit is %+v", exit)
		}
	})
}

func TestPrompt_LeadingSlash(t *testing.T) {
	script := strings.ReplaceAll(hello, `"text":"Do it."`, `"text":"The task:\n/etc is a directory"`) + bye
	if exit, _ := run(t, newExecutor(t, script, nil), executor.Spec{Prompt: "/etc is a directory"}); exit.Failed {
		t.Errorf("the exit is %+v", exit)
	}
}

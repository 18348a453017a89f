package terminal_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

func TestTools_JSON(t *testing.T) {
	p := newProject(t, setup{})
	r := toolsettest.Call(t, p, "execute_command", `{"command":"echo out; echo err >&2; exit 2"}`)
	if got := toolsettest.Text(t, r); r.IsError || !strings.HasPrefix(got, "[exit code 2 after ") || !strings.HasSuffix(got, "]\nout\n[stderr]\nerr\n") {
		t.Errorf("execute_command says %q", got)
	}
	var members map[string]any
	if err := json.Unmarshal(r.Structured, &members); err != nil || members["exitCode"] != 2.0 || members["stdout"] != "out\n" || members["stderr"] != "err\n" || members["executionTime"] == nil {
		t.Errorf("execute_command answers %s", r.Structured)
	}
	var started terminal.CommandResult
	if err := json.Unmarshal(toolsettest.Call(t, p, "execute_command", `{"command":"cat","background":true,"waitMs":0}`).Structured, &started); err != nil || started.ProcessID == "" {
		t.Fatalf("it answers %+v, %v", started, err)
	}
	id := started.ProcessID
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "send_process_input", `{"processId":"`+id+`","input":"hello","waitMs":50000}`)); !strings.Contains(got, "has run for") || !strings.HasSuffix(got, "]\nhello\n") {
		t.Errorf("send_process_input says %q", got)
	}
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "read_process_output", `{"processId":"`+id+`","offset":-4}`)); !strings.HasSuffix(got, "]\nllo\n") {
		t.Errorf("read_process_output says %q", got)
	}
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "list_processes", `{}`)); !strings.HasPrefix(got, id+" has run for ") || !strings.HasSuffix(got, ", 6 bytes of output, in .: cat\n") {
		t.Errorf("list_processes says %q", got)
	}
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "kill_process", `{"processId":"`+id+`"}`)); !strings.Contains(got, "was ended by SIGTERM after") {
		t.Errorf("kill_process says %q", got)
	}
}

func TestTools_InvalidArguments(t *testing.T) {
	p := newProject(t, setup{})
	for _, tt := range []struct{ tool, args, says string }{
		{"execute_command", `{}`, "command"},
		{"execute_command", `{"command":""}`, "command"},
		{"execute_command", `{"command":"true","timeout":0}`, "timeout"},
		{"execute_command", `{"command":"true","waitMs":50001}`, "waitMs"},
		{"execute_command", `{"command":"true","args":"x"}`, "args"},
		{"execute_command", `{"command":"true","env":{"A":1}}`, "env"},
		{"execute_command", `{"command":"true","shell":"x"}`, "shell"},
		{"read_process_output", `{}`, "processId"},
		{"read_process_output", `{"processId":"p1","stream":"stdin"}`, "stream"},
		{"send_process_input", `{"processId":"p1"}`, "input"},
		{"kill_process", `{"processId":"p1","signal":"SEGV"}`, "signal"},
		{"kill_process", `{"processId":"p1"}`, "p1"},
		{"list_processes", `{"all":true}`, "all"},
		{"execute_build", `{"buildType":"ant"}`, "buildType"},
		{"execute_build", `{"waitMs":-1}`, "waitMs"},
	} {
		got := toolsettest.Call(t, p, tt.tool, tt.args)
		if !got.IsError || !strings.Contains(toolsettest.Text(t, got), tt.says) || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
			t.Errorf("%s(%s): %s", tt.tool, tt.args, toolsettest.Text(t, got))
		}
	}
}

// What every call of a model pays for.
func TestTools_DefinitionSize(t *testing.T) {
	p := newProject(t, setup{})
	var names []string
	total := 0
	for _, tool := range p.Features().Tools {
		shown := tool.Tool()
		names = append(names, shown.Name)
		shown.OutputSchema = nil
		definition, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", shown.Name, len(definition))
		total += len(definition)
	}
	want := []string{"execute_command", "read_process_output", "send_process_input", "list_processes", "kill_process", "execute_build"}
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %q", names)
	}
	if total > 600*len(names) {
		t.Errorf("%d bytes for %d tools", total, len(names))
	}
}

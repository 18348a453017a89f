package cursor_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

// decode returns the events of lines, and the lines that are not events.
func decode(lines ...string) (events []executor.Event, odd []string) {
	d := cursor.NewDecoder()
	for _, line := range lines {
		if !d.Decode([]byte(line), func(e executor.Event) { events = append(events, e) }) {
			odd = append(odd, line)
		}
	}
	return events, odd
}

func TestDecoder_Tools(t *testing.T) {
	s := spec(t, "[fake:kinds]")
	_, told := run(t, fake(t, longTimeouts()), s)
	got := map[string]string{}
	for _, e := range told.of(executor.ToolCompleted) {
		text := e.Tool.Type
		if e.Tool.Name != "" {
			text += " " + strings.TrimPrefix(e.Tool.Server+"/"+e.Tool.Name, "/")
		}
		if e.Tool.Failed {
			text += " failed: " + e.Tool.Error
		}
		for _, c := range e.Tool.Changes {
			text += " " + c.Kind + " " + strings.TrimPrefix(c.Path, s.Dir+"/")
		}
		if e.Tool.Diff != "" {
			text += " with a diff"
		}
		got[e.Tool.CallID] = text
	}
	want := map[string]string{
		"1":  "writeToolCall created new.txt",
		"2":  "writeToolCall edited new.txt", // the first call has created it
		"3":  "editToolCall created fresh.go with a diff",
		"4":  "editToolCall edited old.go with a diff",
		"5":  "editToolCall created bare.go",
		"6":  "editToolCall failed: rejected: User rejected the edit",
		"7":  "deleteToolCall deleted gone.txt",
		"8":  "readToolCall failed: error: File not found",
		"9":  "mcpToolCall github/search_issues",
		"10": "mcpToolCall github/search_issues failed: the tool answered with an error: q is empty",
		"11": "function todo_write",
		"12": "taskToolCall",
		"13": "semanticOracleToolCall",
		"14": "shellToolCall",
	}
	for id, text := range want {
		if got[id] != text {
			t.Errorf("call %s is %q, want %q", id, got[id], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there were %d calls, want %d", len(got), len(want))
	}
	var unknown []string
	for _, e := range told.of(executor.Unknown) {
		unknown = append(unknown, e.Text[:min(30, len(e.Text))])
	}
	if len(unknown) != 4 {
		t.Errorf("not known are %q", unknown)
	}
}

func TestDecoder_RejectedReport(t *testing.T) {
	summary := strings.Repeat("Wrote it. ", 2000)
	args, err := json.Marshal(map[string]any{"agentId": "a-1", "status": "success", "summary": summary})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range []string{`{"rejected":{"reason":"not approved"}}`, `{"success":{"content":[],"isError":false}}`} {
		events, odd := decode(`{"type":"tool_call","subtype":"completed","call_id":"1","tool_call":{"mcpToolCall":{"args":{"name":"kuromajutsu-report_result","args":` + string(args) +
			`,"toolName":"report_result","providerIdentifier":"kuromajutsu"},"result":` + result + `}}}`)
		if len(events) != 1 || len(odd) != 0 {
			t.Fatalf("told %+v, odd is %q", events, odd)
		}
		tool := events[0].Tool
		var read struct{ Summary string }
		if err := json.Unmarshal(tool.Args, &read); err != nil || read.Summary != summary {
			t.Errorf("of the report %d bytes are left: %v", len(tool.Args), err)
		}
		if tool.Server != "kuromajutsu" || tool.Name != "report_result" || tool.Failed != strings.Contains(result, "rejected") {
			t.Errorf("the call is %+v", tool)
		}
	}
}

func TestDecoder_MCPToolNames(t *testing.T) {
	for args, want := range map[string]string{
		`{"name":"a-b-c","toolName":"b-c","providerIdentifier":"a"}`:  "a/b-c",
		`{"name":"my-server-do_it","providerIdentifier":"my-server"}`: "my-server/do_it",
		`{"name":"server-do_it"}`:                                     "server/do_it",
		`{"name":"doit"}`:                                             "/doit",
	} {
		events, _ := decode(`{"type":"tool_call","subtype":"started","call_id":"1","tool_call":{"mcpToolCall":{"args":` + args + `}}}`)
		if got := events[0].Tool.Server + "/" + events[0].Tool.Name; got != want {
			t.Errorf("%s is %s, want %s", args, got, want)
		}
	}
}

func TestDecoder_MemberOrder(t *testing.T) {
	events, _ := decode(`{"usage":{"outputTokens":2,"inputTokens":1,"cacheReadTokens":3,"cacheWriteTokens":4},"session_id":"s","result":"bye","is_error":false,"subtype":"success","type":"result"}`,
		`{"tool_call":{"editToolCall":{"result":{"success":{"diffString":"--- /dev/null\n+++ b/x\n","path":"x"}},"args":{"path":"x"}}},"subtype":"completed","type":"tool_call","call_id":"c"}`)
	if len(events) != 2 || events[0].Text != "bye" || events[0].Failed || fmt.Sprint(*events[0].Usage) != "{1 2 3 4 0 false}" {
		t.Fatalf("told %+v", events)
	}
	if changes := events[1].Tool.Changes; len(changes) != 1 || changes[0] != (executor.FileChange{Path: "x", Kind: "created"}) {
		t.Errorf("changed are %v", changes)
	}
}

func TestDecoder_Limits(t *testing.T) {
	long := strings.Repeat("日本語 ", 40_000)
	encoded, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	events, odd := decode(
		`{"type":"tool_call","subtype":"started","call_id":`+string(encoded)+`,"tool_call":{"editToolCall":{"args":{"path":"x","streamContent":`+string(encoded)+`}}}}`,
		`{"type":"weather","forecast":`+string(encoded)+`}`,
		`{"type":"tool_call","subtype":"completed","call_id":"1","tool_call":{"shellToolCall":{"args":{"command":"x"},"result":{"failure":{"exitCode":1,"stderr":`+string(encoded)+`}}}}}`,
	)
	if len(events) != 3 || len(odd) != 0 {
		t.Fatalf("told %d events, odd are %d", len(events), len(odd))
	}
	if tool := events[0].Tool; len(tool.Args) > 16<<10+8 || !json.Valid(tool.Args) || len(tool.CallID) > 256 {
		t.Errorf("of the arguments %d bytes are left, of the name %d", len(tool.Args), len(tool.CallID))
	}
	if text := events[1].Text; len(text) > 4<<10+3 || !utf8.ValidString(text) {
		t.Errorf("of what is not known %d bytes are left", len(text))
	}
	if why := events[2].Tool.Error; len(why) > 2<<10 || !strings.HasPrefix(why, "exit code 1: 日本語") || !utf8.ValidString(why) {
		t.Errorf("of why it failed are left %d bytes: %.40q", len(why), why)
	}
}

func TestRun_GarbageOutput(t *testing.T) {
	exit, told := run(t, fake(t, longTimeouts()), spec(t, "[fake:garbage]"))
	if !exit.Finished || exit.Failed || exit.Message != "" {
		t.Errorf("the exit is %+v", exit)
	}
	if end := told.one(t, executor.Finished); end.Text != "Done." {
		t.Errorf("it finished as %+v", end)
	}
	if lines := told.of(executor.Line); len(lines) != 4 {
		t.Errorf("lines that are no events: %+v", lines)
	}
	if said := told.of(executor.Said); len(said) == 0 || said[0].Text != "\uFFFD" {
		t.Errorf("half a character was said as %+v", said)
	}
}

func FuzzDecoder(f *testing.F) {
	standin.Fuzz(f, "../../replay/recordings/*.jsonl", func() command.Decoder { return cursor.NewDecoder() }, check)
}

// check fails the test if an event violates the contract of executor.Event.
func check(t testing.TB, e executor.Event) {
	kinds := []executor.Kind{executor.Init, executor.Prompted, executor.Thinking, executor.Delta, executor.Said, executor.ToolStarted, executor.ToolCompleted, executor.Finished, executor.Unknown}
	if !slices.Contains(kinds, e.Kind) {
		t.Errorf("told an event of kind %q", e.Kind)
	}
	if !utf8.ValidString(e.Text + e.Session + e.Model) {
		t.Errorf("told what is no text: %+v", e)
	}
	if (e.Tool != nil) != (e.Kind == executor.ToolStarted || e.Kind == executor.ToolCompleted) && e.Kind != executor.Unknown {
		t.Errorf("told a tool, or none: %+v", e)
	}
	if e.Tool == nil {
		return
	}
	if len(e.Tool.Args) > 64<<10+8 || len(e.Tool.Args) > 0 && !json.Valid(e.Tool.Args) || len(e.Tool.CallID) > 256 {
		t.Errorf("told the tool %+v", e.Tool)
	}
	if e.Kind == executor.ToolStarted && (e.Tool.Failed || e.Tool.Changes != nil) {
		t.Errorf("a call that has begun has a result: %+v", e.Tool)
	}
}

func TestModels(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []executor.Model
	}{
		{"as it is", "Available models\n\nauto - Auto  (current)\ncomposer-2.5 - Composer 2.5  (default)\ngpt-5.5-high - GPT-5.5 High\n\nTip: use --model <id> (or /model <id> in interactive mode) to switch.\n",
			[]executor.Model{{ID: "auto", Name: "Auto", Current: true}, {ID: "composer-2.5", Name: "Composer 2.5", Default: true}, {ID: "gpt-5.5-high", Name: "GPT-5.5 High"}}},
		{"in colours", "\x1b[2K\x1b[G\x1b[1mAvailable models\x1b[22m\r\n\r\n\x1b[36mauto\x1b[39m - Auto \x1b[2m(current, default)\x1b[22m\r\n", []executor.Model{{ID: "auto", Name: "Auto", Current: true, Default: true}}},
		{"a name with parentheses", "claude-4.6-opus - Claude 4.6 Opus (Thinking) (default)", []executor.Model{{ID: "claude-4.6-opus", Name: "Claude 4.6 Opus (Thinking)", Default: true}}},
		{"a name with a hyphen", "gpt-5 - GPT-5 - the large one", []executor.Model{{ID: "gpt-5", Name: "GPT-5 - the large one"}}},
		{"identifiers alone", "Models:\n- gpt-5\n* auto (current)\n• sonnet-4", []executor.Model{{ID: "gpt-5", Name: "gpt-5"}, {ID: "auto", Name: "auto", Current: true}, {ID: "sonnet-4", Name: "sonnet-4"}}},
		{"twice the same", "auto - Auto\nauto - Again", []executor.Model{{ID: "auto", Name: "Auto"}}},
		{"none", "No models available for this account.\n", nil},
		{"a notice", "A new version is available: run agent update\nhttps://cursor.com - the site\nLoading…\n", nil},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := cursor.ParseModels(test.text); !slices.Equal(got, test.want) {
				t.Errorf("the models are %+v, want %+v", got, test.want)
			}
		})
	}
}

func FuzzModels(f *testing.F) {
	f.Add("auto - Auto (current)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range cursor.ParseModels(text) {
			if m.ID == "" || m.Name == "" || strings.ContainsAny(m.ID, " \n\x1b") {
				t.Errorf("%q has the model %+v", text, m)
			}
		}
	})
}

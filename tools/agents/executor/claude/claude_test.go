package claude_test

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
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

func TestRun_Events(t *testing.T) {
	exit, told := standin.Run(t, newExecutor(t), executor.Spec{Prompt: "normal"})
	if !exit.Finished || exit.Failed || exit.Code != 0 {
		t.Errorf("the exit is %+v", exit)
	}
	standin.Same(t, told,
		"init s-1 claude-sonnet-4-6", "thinking Let me see.", "thinking Let me see.", "delta I write ", "delta a file.", "said I write a file.",
		"tool_started toolu_1 Write", "tool_completed toolu_1 Write created /w/new.go",
		"tool_started toolu_2 Edit", "tool_started toolu_3 Bash", "tool_completed toolu_3 Bash failed: Exit code 1\nFAIL", "tool_completed toolu_2 Edit edited /w/old.go",
		"tool_started toolu_4 Task", "tool_completed toolu_4 Task",
		"tool_started toolu_5 mcp__kuromajutsu__report_result kuromajutsu/report_result", "tool_completed toolu_5 mcp__kuromajutsu__report_result kuromajutsu/report_result failed: No such tool",
		`unknown {"type":"rate_limit_event","rate_limit_info":{"status":"allo`, "said Done.", "finished Done.")
	end := told[len(told)-1]
	if got := fmt.Sprint(*end.Usage); got != "{10 20 30 40 0.0123 false}" {
		t.Errorf("it cost %s", got)
	}
	edit := told[slices.IndexFunc(told, func(e executor.Event) bool { return e.Tool != nil && e.Tool.Diff != "" })].Tool
	if edit.Diff != "--- a/w/old.go\n+++ b/w/old.go\n@@ -1,1 +1,1 @@\n-a\n+b\n" {
		t.Errorf("the diff is %q", edit.Diff)
	}
	report := told[slices.IndexFunc(told, func(e executor.Event) bool { return e.Tool != nil && e.Tool.Name == "report_result" })].Tool
	if string(report.Args) != `{"agentId":"a-1","status":"success","summary":"Done."}` {
		t.Errorf("the report is %s", report.Args)
	}
}

func TestContract(t *testing.T) {
	missing := func(t *testing.T) executor.Executor {
		return standin.New(t, claude.New, claude.Options{Program: filepath.Join(t.TempDir(), "claude")})
	}
	open := func(t *testing.T) executor.Executor { return newExecutor(t) }
	executortest.Run(t, standin.Harness(t, open, missing, "Done", "turns"))
}

func TestRun_Failures(t *testing.T) {
	for _, test := range []struct {
		stream, message string
		finished        bool
		cause           error
	}{
		{"turns", "the agent reached its limit of turns", true, nil},
		{"execution", "API Error: 529 overloaded", true, nil},
		{"login", "Please run /login", true, executor.ErrUnauthenticated},
		{"no such stream", "issue with the selected model", false, executor.ErrUnknownModel},
	} {
		exit, _ := standin.Run(t, newExecutor(t), executor.Spec{Prompt: test.stream})
		if exit.Finished != test.finished || !exit.Failed || !strings.Contains(exit.Message, test.message) || !errors.Is(exit.Cause, test.cause) {
			t.Errorf("%s: the exit is %+v", test.stream, exit)
		}
	}
}

func TestRun_Arguments(t *testing.T) {
	const always = "-p --output-format stream-json --verbose --include-partial-messages"
	t.Setenv("CLAUDECODE", "1")
	servers := []executor.Server{{Name: "kuromajutsu", Command: "/bin/server", Args: []string{"child"}, Env: []string{"TOKEN=x"}}}
	for _, test := range []struct {
		name string
		s    executor.Spec
		args string
	}{
		{"trusted", executor.Spec{Trust: true, Model: "opus"}, always + " --model opus --permission-mode bypassPermissions"},
		{"not trusted", executor.Spec{}, always},
		{"read only", executor.Spec{ReadOnly: true, Trust: true}, always + " --permission-mode plan"},
		{"with permissions", executor.Spec{Trust: true, Tools: []string{"Bash(git:*)", "!WebFetch"}}, always + " --permission-mode acceptEdits --allowedTools Bash(git:*) --disallowedTools WebFetch"},
		{"resumed, with servers", executor.Spec{ReadOnly: true, Trust: true, Resume: "s-1", Servers: servers}, always + " --permission-mode plan --resume s-1 --allowedTools mcp__kuromajutsu --mcp-config"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.s.Prompt = "called"
			_, told := standin.Run(t, newExecutor(t), test.s)
			var called struct {
				Args            []string
				Inside, Servers string
			}
			if err := json.Unmarshal([]byte(told[0].Text), &called); err != nil {
				t.Fatal(err)
			}
			if test.s.Servers != nil {
				file := called.Args[len(called.Args)-1]
				called.Args = called.Args[:len(called.Args)-1]
				if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s is still there: %v", file, err)
				}
				if !strings.Contains(called.Servers, `"TOKEN": "x"`) {
					t.Errorf("the servers are %s", called.Servers)
				}
			}
			if got := strings.Join(called.Args, " "); got != test.args || called.Inside != "" {
				t.Errorf("it was called with %q, want %q; inside %q", got, test.args, called.Inside)
			}
		})
	}
}

func TestModels_Installed(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x, err := claude.New(claude.Options{Program: self})
	if err != nil {
		t.Fatal(err)
	}
	if models, err := x.Models(t.Context()); err != nil || len(models) == 0 || x.Name() != claude.Name {
		t.Errorf("%s has the models %v, %v", x.Name(), models, err)
	}
}

func FuzzDecoder(f *testing.F) {
	standin.Fuzz(f, "testdata/*.jsonl", func() command.Decoder { return claude.NewDecoder() }, standin.Valid)
}

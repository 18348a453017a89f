package cursor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
)

func TestContract(t *testing.T) {
	executortest.Run(t, executortest.Harness{
		New:  func(t *testing.T) executor.Executor { return fake(t, cursor.Options{}) },
		Spec: executor.Spec{Trust: true, Env: []string{"FAKEAGENT_SPEED=0", "GORACE=atexit_sleep_ms=0"}},
		Answers: map[string]string{
			"Look around.": "Nothing was changed.", "Say OK. [fake:ok]": "OK", "[fake:strays]": "I am gone", "[fake:garbage]": "Done.",
		},
		Failure: "[fake:crash]", Endless: "[fake:demo-timeout]", Resumes: true, UnknownModel: "no-such-model",
		Missing: func(t *testing.T) executor.Executor {
			return fake(t, cursor.Options{Program: filepath.Join(t.TempDir(), "cursor-agent")})
		},
	})
}

func TestRun_Events(t *testing.T) {
	exit, told := run(t, fake(t, longTimeouts()), spec(t, "Look around."))
	if !exit.Finished || exit.Failed || exit.Code != 0 || exit.Message != "" || exit.Leftover {
		t.Errorf("the exit is %+v", exit)
	}
	begin := told.one(t, executor.Init)
	if begin.Session == "" || begin.Model != "Auto" {
		t.Errorf("the session began as %+v", begin)
	}
	told.one(t, executor.Prompted)
	if call := told.one(t, executor.ToolCompleted); call.Tool.Type != "readToolCall" || !call.Tool.Failed || !strings.Contains(call.Tool.Error, "README.md") {
		t.Errorf("the call ended as %+v", call.Tool)
	}
	end := told.one(t, executor.Finished)
	if end.Failed || !strings.HasSuffix(end.Text, "Nothing was changed.") || end.Usage == nil || end.Usage.OutputTokens == 0 {
		t.Errorf("it finished as %+v", end)
	}
}

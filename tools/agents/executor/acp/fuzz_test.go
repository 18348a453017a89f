package acp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

// FuzzTalk checks, for any output of a program: each line sent is a valid message, no event
// follows Finished, and each completed tool call was started.
func FuzzTalk(f *testing.F) {
	turn, err := os.ReadFile("testdata/turn.acp")
	if err != nil {
		f.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(turn)) {
		if text, ok := strings.CutPrefix(line, "< "); ok {
			lines = append(lines, text)
		}
	}
	f.Add(strings.Join(lines, ""))
	f.Add(lines[0] + lines[2] + `{"jsonrpc":"2.0","id":1.5,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c","content":[{"type":"diff","path":"/a"}]},"options":[{"optionId":"x","kind":"reject_once"}]}}`)
	f.Add(lines[0] + lines[2] + `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"refusal"}}`)
	f.Fuzz(func(t *testing.T, script string) {
		talk := acp.Talk(t.Context(), executor.Spec{Prompt: "Do it.", Dir: "/w", ReadOnly: true, Servers: []executor.Server{{Name: "kuromajutsu"}}})
		defer talk.Close()
		talk.Begin(func(line []byte) {
			if !json.Valid(line) || strings.Count(string(line), "\n") != 1 || line[len(line)-1] != '\n' {
				t.Errorf("it is told %q", line)
			}
		})
		begun, over := make(map[string]bool), false
		for line := range strings.Lines(script) {
			talk.Decode([]byte(strings.TrimRight(line, "\n")), func(e executor.Event) {
				standin.Valid(t, e)
				if over {
					t.Errorf("after the end it tells %+v", e)
				}
				over = e.Kind == executor.Finished
				if e.Kind == executor.ToolStarted {
					begun[e.Tool.CallID] = true
				}
				if e.Kind == executor.ToolCompleted && !begun[e.Tool.CallID] {
					t.Errorf("a call ends that has not begun: %+v", e.Tool)
				}
			})
		}
		talk.Cancel()
	})
}

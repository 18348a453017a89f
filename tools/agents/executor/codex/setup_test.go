package codex_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

func TestMain(m *testing.M) {
	standin.Main(m, "Error: thread/resume failed: no rollout found for thread id 0", answer)
}

// answer returns the list of models, or the command line of the test program.
func answer(args []string, prompt string) string {
	if slices.Contains(args, "models") {
		return os.Getenv("CODEX_TEST_MODELS")
	}
	if !strings.HasPrefix(prompt, "called") {
		return ""
	}
	text, _ := json.Marshal(map[string]any{"args": args, "token": os.Getenv("TOKEN")})
	message, _ := json.Marshal(map[string]any{"type": "item.completed", "item": map[string]string{"id": "1", "type": "agent_message", "text": string(text)}})
	return fmt.Sprintf("%s\n{\"type\":\"turn.completed\"}", message)
}

// newExecutor returns an executor whose program is the test program.
func newExecutor(t *testing.T, o codex.Options) *codex.Executor {
	t.Helper()
	o.Program, o.Args, o.Process = standin.Program(t)
	return standin.New(t, codex.New, o)
}

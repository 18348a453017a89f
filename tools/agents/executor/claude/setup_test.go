package claude_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

func TestMain(m *testing.M) {
	standin.Main(m, "There's an issue with the selected model (x). It may not exist or you may not have access to it.", answer)
}

// answer returns the command line of the test program.
func answer(args []string, prompt string) string {
	if !strings.HasPrefix(prompt, "called") {
		return ""
	}
	called := map[string]any{"args": args, "inside": os.Getenv("CLAUDECODE")}
	if at := len(args) - 1; args[at-1] == "--mcp-config" {
		servers, _ := os.ReadFile(args[at])
		called["servers"] = string(servers)
	}
	text, _ := json.Marshal(called)
	result, _ := json.Marshal(map[string]any{"type": "result", "subtype": "success", "result": string(text)})
	return string(result)
}

// newExecutor returns an executor whose program is the test program.
func newExecutor(t *testing.T) *claude.Executor {
	t.Helper()
	var o claude.Options
	o.Program, o.Args, o.Process = standin.Program(t)
	return standin.New(t, claude.New, o)
}

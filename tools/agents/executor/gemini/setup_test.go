package gemini_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

func TestMain(m *testing.M) { standin.Main(m, "Invalid auth method selected.", answer) }

// answer returns the command line of the test program.
func answer(args []string, prompt string) string {
	if !strings.Contains(prompt, "called") {
		return ""
	}
	text, _ := json.Marshal(called(args, prompt))
	message, _ := json.Marshal(map[string]any{"type": "message", "role": "assistant", "content": string(text)})
	return fmt.Sprintf("%s\n{\"type\":\"result\",\"status\":\"success\"}", message)
}

// call is the command line of the program.
type call struct {
	Args                   []string
	Prompt, Home, Settings string
	Links                  []string
}

func called(args []string, prompt string) call {
	c := call{Args: args, Prompt: prompt, Home: os.Getenv("GEMINI_CLI_HOME")}
	settings, _ := os.ReadFile(filepath.Join(c.Home, ".gemini", "settings.json"))
	c.Settings = string(settings)
	links, _ := filepath.Glob(filepath.Join(c.Home, ".gemini", "*"))
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil {
			c.Links = append(c.Links, to)
		}
	}
	return c
}

// newExecutor returns an executor whose program is the test program.
func newExecutor(t *testing.T, o gemini.Options) *gemini.Executor {
	t.Helper()
	o.Program, o.Args, o.Process = standin.Program(t)
	return standin.New(t, gemini.New, o)
}

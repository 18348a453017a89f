package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/standin"
)

func TestRun_Events(t *testing.T) {
	exit, told := standin.Run(t, newExecutor(t, gemini.Options{}), executor.Spec{Prompt: "normal"})
	if !exit.Finished || exit.Failed || exit.Code != 0 {
		t.Errorf("the exit is %+v", exit)
	}
	standin.Same(t, told,
		"init 1540ad9a-d840-4fbc-b873-9bb10d4246c1 gemini-2.5-flash", "prompted", "delta I write ", "delta a file.", "said I write a file.",
		"tool_started write_file__write_file_1795364627718_0 write_file", "tool_completed write_file__write_file_1795364627718_0 write_file created new.txt",
		"tool_started replace__replace_1795364628102_0 replace", "tool_started run_shell_command__run_shell_command_1795364628170_1 run_shell_command",
		"tool_completed replace__replace_1795364628102_0 replace edited old.txt", "tool_completed run_shell_command__run_shell_command_1795364628170_1 run_shell_command",
		"tool_started read_file__read_file_1795364628395_0 read_file", "tool_completed read_file__read_file_1795364628395_0 read_file failed: File not found: /w/nothing.txt",
		"tool_started mcp_kuromajutsu_report_result__mcp_kuromajutsu_report_result_1795364628498_0 mcp_kuromajutsu_report_result kuromajutsu/report_result",
		"tool_completed mcp_kuromajutsu_report_result__mcp_kuromajutsu_report_result_1795364628498_0 mcp_kuromajutsu_report_result kuromajutsu/report_result",
		"delta Done: new.txt ", "delta says hello.", "said Done: new.txt says hello.", "finished Done: new.txt says hello.")
	end := told[len(told)-1]
	if got := fmt.Sprint(*end.Usage); got != "{1300 150 200 0 0 false}" {
		t.Errorf("it cost %s", got)
	}
	for _, e := range told {
		if e.Kind == executor.ToolStarted && e.Tool.Name == "report_result" && string(e.Tool.Args) != `{"status":"success","summary":"Done."}` {
			t.Errorf("the report is %s", e.Tool.Args)
		}
	}
}

func TestDecoder_OtherEvents(t *testing.T) {
	var told []executor.Event
	d := gemini.NewDecoder()
	for _, line := range []string{
		`{"type":"message","role":"assistant","content":"Whole."}`,
		`{"type":"message","role":"assistant","content":""}`,
		`{"type":"error","severity":"warning","message":"Loop detected"}`,
		`{"type":"tool_use","tool_name":"read_file","tool_id":"a","parameters":{"file_path":"x"}}`,
		`{"type":"tool_result","tool_id":"a","status":"success"}`,
		`{"type":"tool_use","tool_name":"write_file","tool_id":"b","parameters":{"file_path":"x"}}`,
		`{"type":"tool_result","tool_id":"b","status":"success"}`,
		`{"type":"tool_result","tool_id":"c","status":"error"}`,
		`{"type":"dream"}`,
		`{"type":"error","severity":"error","message":"Maximum session turns exceeded"}`,
		`{"type":"result","status":"error","stats":null}`,
	} {
		if !d.Decode([]byte(line), func(e executor.Event) { told = append(told, e) }) {
			t.Errorf("%s is no event", line)
		}
	}
	standin.Same(t, told, "said Whole.", "line warning: Loop detected", "tool_started a read_file", "tool_completed a read_file", "tool_started b write_file",
		"tool_completed b write_file edited x", "tool_completed c failed: it ended with error", `unknown {"type":"dream"}`, "line error: Maximum session turns exceeded", "finished Maximum session turns exceeded")
}

func TestContract(t *testing.T) {
	missing := func(t *testing.T) executor.Executor {
		return standin.New(t, gemini.New, gemini.Options{Program: filepath.Join(t.TempDir(), "gemini")})
	}
	open := func(t *testing.T) executor.Executor { return newExecutor(t, gemini.Options{}) }
	executortest.Run(t, standin.Harness(t, open, missing, "Done", "model"))
}

func TestRun_Failures(t *testing.T) {
	for _, test := range []struct {
		stream, message string
		finished        bool
		cause           error
	}{
		{"login", "API key not valid", true, executor.ErrUnauthenticated},
		{"model", "models/nope is not found", true, executor.ErrUnknownModel},
		{"no such stream", "Invalid auth method", false, executor.ErrUnauthenticated},
	} {
		exit, _ := standin.Run(t, newExecutor(t, gemini.Options{}), executor.Spec{Prompt: test.stream})
		if exit.Finished != test.finished || !exit.Failed || !strings.Contains(exit.Message, test.message) || !errors.Is(exit.Cause, test.cause) {
			t.Errorf("%s: the exit is %+v", test.stream, exit)
		}
	}
}

// commandLine runs an agent that returns its command line.
func commandLine(t *testing.T, o gemini.Options, s executor.Spec) (c call) {
	t.Helper()
	if s.Prompt == "" {
		s.Prompt = "called"
	}
	_, told := standin.Run(t, newExecutor(t, o), s)
	if err := json.Unmarshal([]byte(told[0].Text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRun_Arguments(t *testing.T) {
	const always = "--output-format stream-json --approval-mode="
	t.Setenv("GEMINI_CLI_HOME", t.TempDir())
	for _, test := range []struct {
		name, args string
		s          executor.Spec
	}{
		{"trusted", always + "yolo --skip-trust --model=flash", executor.Spec{Trust: true, Model: "flash"}},
		{"not trusted", always + "default", executor.Spec{}},
		{"read only", always + "plan --skip-trust", executor.Spec{ReadOnly: true, Trust: true}},
		{"with permissions, resumed", always + "auto_edit --skip-trust --allowed-tools=run_shell_command(git) --resume=s-1", executor.Spec{Trust: true, Tools: []string{"run_shell_command(git)", "!web_fetch"}, Resume: "s-1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(commandLine(t, gemini.Options{}, test.s).Args, " "); got != test.args {
				t.Errorf("it was called with %q, want %q", got, test.args)
			}
		})
	}
	if got := commandLine(t, gemini.Options{}, executor.Spec{Prompt: " /called"}).Prompt; got != "The task:\n /called" {
		t.Errorf("a command is given as %q", got)
	}
	home := t.TempDir()
	if got := commandLine(t, gemini.Options{Home: home}, executor.Spec{}).Home; got != home {
		t.Errorf("its home is %q, want %q", got, home)
	}
}

func TestRun_ServerSettings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links cannot be made by everybody")
	}
	home := t.TempDir()
	dir := filepath.Join(home, ".gemini")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	readUserSettings := "{ // mine\n\"ui\": {\"theme\": \"a // b\\\"\"}, /* and\nmore */ \"mcpServers\": {\"other\": {\"command\": \"x\"}}}\n// end"
	for name, content := range map[string]string{"settings.json": readUserSettings, "oauth_creds.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := commandLine(t, gemini.Options{Home: home}, executor.Spec{Trust: true, Servers: []executor.Server{{Name: "kuromajutsu", Command: "/bin/server", Args: []string{"child"}, Env: []string{"TOKEN=x"}}}})
	var got struct {
		UI      struct{ Theme string }
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
			Trust   bool
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(c.Settings), &got); err != nil {
		t.Fatal(err, c.Settings)
	}
	if server := got.Servers["kuromajutsu"]; got.UI.Theme != `a // b"` || got.Servers["other"].Command != "x" || server.Env["TOKEN"] != "x" || !server.Trust {
		t.Errorf("the settings are %s", c.Settings)
	}
	if want := []string{filepath.Join(dir, "oauth_creds.json"), filepath.Join(dir, "tmp")}; !slices.Equal(c.Links, want) {
		t.Errorf("there are links to %q, want %q", c.Links, want)
	}
	if _, err := os.Stat(c.Home); c.Home == home || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", c.Home, err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "settings.json")); string(after) != readUserSettings {
		t.Errorf("the user's settings have become %s", after)
	}
}

func TestRun_UnreadableSettings(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".gemini", "settings.json")
	x := newExecutor(t, gemini.Options{Home: home})
	for _, content := range []string{"{", "[]", "{/*", `{"a":"\`} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := x.Run(t.Context(), executor.Spec{Prompt: "x", Dir: home, Servers: []executor.Server{{Name: "a"}}}, func(executor.Event) {})
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(t.Context(), executor.Spec{Prompt: "x", Dir: home, Servers: []executor.Server{{Name: "a"}}}, func(executor.Event) {}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := x.Run(t.Context(), executor.Spec{Dir: home}, func(executor.Event) {}); err == nil {
		t.Error("without a prompt it was begun")
	}
}

func TestModels(t *testing.T) {
	x := newExecutor(t, gemini.Options{})
	if models, err := x.Models(t.Context()); err != nil || len(models) == 0 || models[0].ID != "auto" || x.Name() != gemini.Name {
		t.Errorf("%s has the models %v, %v", x.Name(), models, err)
	}
}

func FuzzDecoder(f *testing.F) {
	standin.Fuzz(f, "testdata/*.jsonl", func() command.Decoder { return gemini.NewDecoder() }, standin.Valid)
}

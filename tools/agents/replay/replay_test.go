package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/agents/replay"
	"github.com/dougu-go/dougu/transport"
)

// serve is the argument that makes the test program an MCP server for reports.
const serve = "serve-reports"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serve {
		server := mcp.NewServer(mcp.Implementation{Name: "reports", Version: "1"}, nil)
		err := mcp.AddTool(server, mcp.Tool{Name: "report_result", Description: "Takes a report."}, take)
		if err == nil {
			err = transport.ServeStdio(context.Background(), server, nil)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type report struct {
	Status       string   `json:"status"`
	Summary      string   `json:"summary"`
	CreatedFiles []string `json:"createdFiles,omitempty"`
}

func take(_ context.Context, r report) (string, error) {
	text := fmt.Sprintf("%s %s %v of %s", r.Status, r.Summary, r.CreatedFiles, os.Getenv("REPORT_TEST_AGENT"))
	return text, os.WriteFile(os.Getenv("REPORT_TEST_FILE"), []byte(text), 0o600)
}

// play runs the program in a new directory without delays.
func play(t *testing.T, prompt string, args, environ []string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	code = replay.Main(args, strings.NewReader(prompt), &out, &errs, append([]string{"FAKEAGENT_SPEED=0"}, environ...))
	return out.String(), errs.String(), code
}

var stream = []string{"-p", "--force", "--trust", "--approve-mcps", "--output-format", "stream-json", "--stream-partial-output"}

// events decodes the lines of a stream.
func events(t *testing.T, stdout string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(stdout) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

func TestRecordings_Complete(t *testing.T) {
	ends := map[string]string{"demo-fail": "error", "demo-timeout": ""}
	n := 0
	for _, name := range replay.Names() {
		if !strings.HasPrefix(name, "demo-") || name == "demo-timeout" { // which does not end
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := play(t, "Do something. [fake:"+name+"]", stream, nil)
			all := events(t, stdout)
			begin, end := all[0], all[len(all)-1]
			want, ok := ends[name]
			if !ok {
				want = "success"
			}
			if begin["subtype"] != "init" || end["type"] != "result" || end["subtype"] != want || (code == 0) != (want == "success") || stderr != "" {
				t.Errorf("it begins with %v and ends with %v, %d, %q", begin, end, code, stderr)
			}
			if begin["session_id"] != end["session_id"] || begin["session_id"] == "" {
				t.Errorf("the session is %v, and then %v", begin["session_id"], end["session_id"])
			}
			if !strings.Contains(stdout, `"toolName":"report_result"`) {
				t.Error("it does not report")
			}
			if strings.Contains(stdout, "{{cwd}}") || strings.Contains(stdout, "{{ms}}") {
				t.Error("the name of a value stands for it")
			}
		})
	}
	if n < 11 {
		t.Errorf("there are %d performances", n)
	}
}

func TestMain_ChangesFiles(t *testing.T) {
	if _, stderr, code := play(t, "[fake:edits]", stream, nil); code != 0 {
		t.Fatal(code, stderr)
	}
	data, err := os.ReadFile(filepath.Join("src", "greet.go"))
	if err != nil || !strings.Contains(string(data), "good morning") {
		t.Errorf("the file is %q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join("src", "old.go")); !os.IsNotExist(err) {
		t.Errorf("the file that was deleted: %v", err)
	}
	for _, args := range [][]string{{"-p"}, append(slices.Clone(stream), "--mode", "ask")} {
		stdout, _, code := play(t, "[fake:edits]", args, nil)
		if files, err := os.ReadDir("."); err != nil || len(files) != 0 || code != 0 || !strings.Contains(stdout, `"rejected"`) {
			t.Errorf("with %q there are %v, %v", args, files, err)
		}
	}
}

func TestMain_Report(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	settings, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"kuromajutsu": map[string]any{
		"command": self, "args": []string{serve}, "env": map[string]string{"REPORT_TEST_FILE": file, "REPORT_TEST_AGENT": "agent-1"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, code := play(t, "[fake:nested]", stream, []string{"CURSOR_CONFIG_DIR=" + dir})
	const want = "success One file was written. [report.txt] of agent-1"
	if got, err := os.ReadFile(file); err != nil || string(got) != want || code != 0 {
		t.Errorf("the report is %q, %v", got, err)
	}
	if !strings.Contains(stdout, want) {
		t.Errorf("the stream does not have the answer: %s", stdout)
	}
	for _, recording := range []string{"report", "nested"} { // without a server
		if stdout, _, _ := play(t, "[fake:"+recording+"]", stream, nil); !strings.Contains(stdout, "is not approved") || !strings.Contains(stdout, "One file was written.") {
			t.Errorf("%s without a server: %s", recording, stdout)
		}
	}
}

func TestMain_Resume(t *testing.T) {
	stdout, _, _ := play(t, "go on", append(slices.Clone(stream), "--resume", "chat-1"), nil)
	for _, e := range events(t, stdout) {
		if e["session_id"] != "chat-1" {
			t.Errorf("%v is of another session", e)
		}
	}
}

func TestChooseRecording_Prompts(t *testing.T) {
	for _, test := range []struct {
		prompt, environ, result string
	}{
		{"Hello, respond with exactly: OK", "", "OK"},
		{"Anything", "", "Nothing was changed."},
		{"Anything", "FAKEAGENT=parallel", "Done."},
		{"[fake:ok] Anything", "FAKEAGENT=parallel", "OK"},
	} {
		stdout, _, code := play(t, test.prompt, stream, []string{test.environ})
		all := events(t, stdout)
		if result, _ := all[len(all)-1]["result"].(string); !strings.HasSuffix(result, test.result) || code != 0 {
			t.Errorf("%q with %q ends with %q", test.prompt, test.environ, result)
		}
	}
	if _, stderr, code := play(t, "[fake:demos]", stream, nil); code == 0 || !strings.Contains(stderr, "demo-cart") {
		t.Errorf("a recording that is not there: %d %q", code, stderr)
	}
	one, _, _ := play(t, "[fake:demo] Cart", stream, nil)
	again, _, _ := play(t, "[fake:demo] Cart", stream, nil)
	if len(events(t, one)) != len(events(t, again)) {
		t.Error("the same prompt has two performances")
	}
}

func TestMain_Commands(t *testing.T) {
	for _, test := range []struct {
		args          string
		environ       string
		code          int
		stdout, error string
	}{
		{"models", "", 0, "composer-2.5", ""},
		{"--list-models", "", 0, "Available models", ""},
		{"models", "FAKEAGENT_MODELS=one,two", 0, "two", ""},
		{"models", "FAKEAGENT_LOGIN=no", 0, "No models available", ""},
		{"about", "", 0, replay.Version, ""},
		{"--version", "", 0, replay.Version, ""},
		{"status", "", 0, "Logged in", ""},
		{"whoami", "FAKEAGENT_LOGIN=no", 0, "Not logged in", ""},
		{"create-chat", "", 0, "-", ""},
		{"login", "", 1, "", "the commands are"},
		{"-p --model gpt-0 hello", "", 1, "", "Cannot use this model: gpt-0. Available models: auto, "},
		{"-p hello", "FAKEAGENT_LOGIN=no", 1, "", "Authentication required"},
		{"-p", "", 1, "", "No prompt"},
		{"-p --wings", "", 1, "", "unknown option '--wings'"},
		{"-p --model", "", 1, "", "argument missing"},
	} {
		stdout, stderr, code := play(t, "", strings.Fields(test.args), []string{test.environ})
		if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.error) {
			t.Errorf("%s with %q: %d %q %q", test.args, test.environ, code, stdout, stderr)
		}
	}
}

package cursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
)

// seen is the command line and the settings that an agent receives.
type seen struct {
	dir             string
	args, names     []string
	config, servers map[string]any
	login           []byte
}

// spy is an environment variable. It makes the test program write its arguments and
// settings to the named file.
const spy = "CURSOR_TEST_SPY"

// recordSettings writes the arguments and settings of the process to a file.
func recordSettings(file string) {
	found := struct {
		Dir   string
		Args  []string
		Names []string
		Files map[string]string
	}{Dir: os.Getenv("CURSOR_CONFIG_DIR"), Args: os.Args[2:], Files: map[string]string{}}
	for _, name := range []string{"cli-config.json", "mcp.json", "auth.json"} {
		if data, err := os.ReadFile(filepath.Join(found.Dir, name)); err == nil && found.Dir != "" {
			found.Files[name] = string(data)
		}
	}
	if entries, err := os.ReadDir(found.Dir); err == nil {
		for _, entry := range entries {
			found.Names = append(found.Names, entry.Name())
		}
	}
	_ = os.WriteFile(filepath.Join(found.Dir, "chats", "session"), []byte("kept"), 0o600)
	data, _ := json.Marshal(found)
	_ = os.WriteFile(file, data, 0o600)
}

// settingsOf runs an agent and returns its arguments and settings.
func settingsOf(t *testing.T, o cursor.Options, s executor.Spec) seen {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seen.json")
	s.Env = append(s.Env, spy+"="+file)
	run(t, fake(t, o), s)
	return readSeen(t, file)
}

// readSeen reads a file that look has written.
func readSeen(t *testing.T, file string) seen {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Dir   string
		Args  []string
		Names []string
		Files map[string]string
	}
	if err := json.Unmarshal(data, &found); err != nil {
		t.Fatal(err)
	}
	firstText := seen{dir: found.Dir, args: found.Args, names: found.Names, login: []byte(found.Files["auth.json"])}
	for name, into := range map[string]*map[string]any{"cli-config.json": &firstText.config, "mcp.json": &firstText.servers} {
		if text := found.Files[name]; text != "" {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
	}
	return firstText
}

func TestRun_Arguments(t *testing.T) {
	const always = "-p --output-format stream-json --stream-partial-output"
	for _, test := range []struct {
		name string
		o    func(*cursor.Options)
		s    func(*executor.Spec)
		args string
	}{
		{"trusted", nil, func(s *executor.Spec) { s.Model = "auto" }, always + " --force --trust --approve-mcps --workspace DIR --model auto"},
		{"not trusted", nil, func(s *executor.Spec) { s.Trust = false }, always + " --workspace DIR"},
		{"read only", nil, func(s *executor.Spec) { s.ReadOnly = true }, always + " --mode ask --trust --approve-mcps --workspace DIR"},
		{"resumed", nil, func(s *executor.Spec) { s.Resume = "c-1" }, always + " --force --trust --approve-mcps --workspace DIR --resume c-1"},
		{"options", func(o *cursor.Options) { o.Sandbox, o.KeepMCPClosed, o.CompleteMessages = "enabled", true, true }, nil, "-p --output-format stream-json --force --trust --workspace DIR --sandbox enabled"},
		{"prompt as an argument", func(o *cursor.Options) { o.PromptInput = cursor.Argument }, func(s *executor.Spec) { s.Prompt = "-v" }, always + " --force --trust --approve-mcps --workspace DIR \n-v"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, s := longTimeouts(), spec(t, "Look around.")
			o.ConfigDir = t.TempDir()
			if test.o != nil {
				test.o(&o)
			}
			if test.s != nil {
				test.s(&s)
			}
			if got := strings.ReplaceAll(strings.Join(settingsOf(t, o, s).args, " "), s.Dir, "DIR"); got != test.args {
				t.Errorf("it was called with %q, want %q", got, test.args)
			}
		})
	}
}

func TestOptions_SharedConfig(t *testing.T) {
	t.Setenv("CURSOR_CONFIG_DIR", "/somewhere")
	o := longTimeouts()
	o.SharedConfig = true
	if got := settingsOf(t, o, spec(t, "x")); got.dir != "/somewhere" {
		t.Errorf("the settings are in %q", got.dir)
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	for _, o := range []cursor.Options{{PromptInput: "pigeon"}, {Sandbox: "maybe"}} {
		if x, err := cursor.New(o); err == nil {
			t.Errorf("%+v makes %+v", o, x)
		}
	}
	o := longTimeouts()
	o.PromptInput = cursor.Argument
	s := spec(t, strings.Repeat("long ", 40_000))
	if _, err := fake(t, o).Run(t.Context(), s, func(executor.Event) {}); err == nil || !strings.Contains(err.Error(), "standard input") {
		t.Errorf("a long prompt as an argument: %v", err)
	}
}

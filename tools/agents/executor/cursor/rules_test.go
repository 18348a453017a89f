package cursor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// speech returns the assistant's messages, with unfinished Delta events joined to a last
// one.
func speech(told *story) (messages []string) {
	current := ""
	for _, e := range told.of(executor.Delta, executor.Said) {
		if e.Kind == executor.Delta {
			current += e.Text
			continue
		}
		messages, current = append(messages, e.Text), ""
	}
	if current != "" {
		messages = append(messages, current)
	}
	return messages
}

func TestDecoder_PartialOutput(t *testing.T) {
	want := []string{"I read the file the file.\n", "It is a module."}
	_, told := run(t, fake(t, longTimeouts()), spec(t, "[fake:partial]"))
	if got := speech(told); !slices.Equal(got, want) {
		t.Errorf("with partial output it said %q, want %q", got, want)
	}
	deltas := ""
	for _, e := range told.of(executor.Delta) {
		deltas += e.Text
	}
	if deltas != strings.Join(want, "") {
		t.Errorf("bit by bit it said %q, want %q", deltas, want)
	}

	_, told = run(t, fake(t, longTimeouts()), spec(t, "[fake:whole]"))
	want[0] = "I read the file.\n"
	if got := speech(told); !slices.Equal(got, want) || len(told.of(executor.Delta)) != 0 {
		t.Errorf("without partial output it said %q, want %q", got, want)
	}

	o := longTimeouts()
	o.CompleteMessages = true // a timestamp alone no longer marks a part of a message
	if _, told = run(t, fake(t, o), spec(t, "[fake:partial]")); len(told.of(executor.Delta)) != 0 || len(told.of(executor.Said)) == 0 {
		t.Errorf("whole messages are told as %+v", told.events)
	}
}

func TestDecoder_ParallelCalls(t *testing.T) {
	_, told := run(t, fake(t, longTimeouts()), spec(t, "[fake:parallel]"))
	var order []string
	for _, e := range told.of(executor.ToolStarted, executor.ToolCompleted) {
		order = append(order, fmt.Sprintf("%s %q %s", e.Kind, e.Tool.CallID, e.Tool.Type))
		if e.Kind == executor.ToolCompleted && e.Tool.Type == "shellToolCall" && e.Tool.Error != "exit code 2: sleep: interrupted" {
			t.Errorf("the command failed with %q", e.Tool.Error)
		}
	}
	want := []string{
		`tool_started "toolu_A\nfc_A" shellToolCall`, `tool_started "toolu_B\nfc_B" grepToolCall`, `tool_started "toolu_C\nfc_C" lsToolCall`,
		`tool_completed "toolu_C\nfc_C" lsToolCall`, `tool_completed "toolu_A\nfc_A" shellToolCall`, `tool_completed "toolu_B\nfc_B" grepToolCall`,
	}
	if !slices.Equal(order, want) {
		t.Errorf("the calls were %s\nwant %s", strings.Join(order, "\n"), strings.Join(want, "\n"))
	}
}

func TestRun_LongLines(t *testing.T) {
	exit, told := run(t, fake(t, longTimeouts()), spec(t, "[fake:huge]"))
	if !exit.Finished || exit.Failed {
		t.Errorf("the exit is %+v", exit)
	}
	if line := told.one(t, executor.Line); !strings.HasPrefix(line.Text, "a line of 2") || len(line.Text) > 4<<10 {
		t.Errorf("of the line that is too long it tells %q", line.Text)
	}
	call := told.one(t, executor.ToolCompleted).Tool
	if len(call.Changes) != 1 || call.Changes[0].Kind != "edited" || !strings.Contains(call.Diff, "+new") {
		t.Errorf("of the line of 5 MB it tells %+v", call)
	}
}

func TestRun_Memory(t *testing.T) {
	for _, recording := range []string{"endless", "flood", "huge"} {
		t.Run(recording, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			printed, base := 0, live()
			every := 5 << 20
			if testing.Short() {
				every = 1 << 20
			}
			_, err := fake(t, longTimeouts()).Run(ctx, spec(t, "[fake:"+recording+"]"), func(e executor.Event) {
				before := printed
				if printed += len(e.Data); printed/every == before/every {
					return
				}
				if now := live(); now > base+1<<20 {
					t.Errorf("after %d bytes the run holds %d bytes", printed, now-base)
				}
				if printed > 6*every {
					cancel()
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if printed < 4*every {
				t.Errorf("only %d bytes were printed", printed)
			}
		})
	}
}

// live returns the size of the heap in use, in bytes, after a garbage collection.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestRun_OtherLines(t *testing.T) {
	exit, told := run(t, fake(t, longTimeouts()), spec(t, "[fake:notices]"))
	if exit.Failed {
		t.Errorf("the exit is %+v", exit)
	}
	var lines []string
	for _, e := range told.of(executor.Line) {
		lines = append(lines, e.Text)
	}
	want := []string{"A new version is available. Run 'agent update'.", "Warning: the configuration was repaired", `{"type":"assistant","message":`}
	if !slices.Equal(lines, want) {
		t.Errorf("the lines are %q, want %q", lines, want)
	}
	if end := told.one(t, executor.Finished); end.Text != "Done." {
		t.Errorf("standard error was read as events: %+v", end)
	}
}

func TestRun_Failures(t *testing.T) {
	for _, test := range []struct {
		recording string
		finished  bool
		code      int
		message   string
		cause     error
	}{
		{"plainerror", false, 1, "usage limit", nil},
		{"nomodel", false, 1, "Cannot use this model: gpt-0. Available models: auto, composer-2.5", executor.ErrUnknownModel},
		{"nologin", false, 1, "agent login", executor.ErrUnauthenticated},
		{"crash", false, 7, "ConnectError: [unavailable]", nil},
		{"noresult", false, 0, "the program ended with exit code 0 and without a result", nil},
		{"failure", true, 1, "there are no tests to run", nil},
		{"no-such-recording", false, 1, "there is no recording", nil},
	} {
		t.Run(test.recording, func(t *testing.T) {
			exit, _ := run(t, fake(t, longTimeouts()), spec(t, "[fake:"+test.recording+"]"))
			if exit.Finished != test.finished || !exit.Failed || exit.Code != test.code || !errors.Is(exit.Cause, test.cause) || !strings.Contains(exit.Message, test.message) {
				t.Errorf("the exit is %+v", exit)
			}
		})
	}
}

func TestRun_FinishedBeforeExitCode(t *testing.T) {
	o := longTimeouts()
	o.Process.Farewell = time.Millisecond
	exit, _ := run(t, fake(t, o), spec(t, "[fake:noexit]"))
	if !exit.Finished || exit.Failed || exit.Message != "" || exit.Cause != nil {
		t.Errorf("the exit is %+v", exit)
	}
}

// waitingSpec returns an agent that waits for a file, and a function that creates the file.
func waitingSpec(t *testing.T, recording string) (executor.Spec, func()) {
	file := filepath.Join(t.TempDir(), "go")
	return spec(t, "[fake:"+recording+" file="+file+"]"), func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

func TestRun_Silence(t *testing.T) {
	o := longTimeouts()
	o.Process.Silence = 20 * time.Millisecond
	s, goOn := waitingSpec(t, "stalled")
	told := &story{onEvent: func(e executor.Event) {
		if e.Kind == executor.Silence {
			goOn()
		}
	}}
	exit, err := fake(t, o).Run(t.Context(), s, told.tell)
	if err != nil || !exit.Finished || exit.Failed {
		t.Fatalf("the exit is %+v, %v", exit, err)
	}
	silence, heard := told.of(executor.Silence), told.of(executor.Heard)
	if len(silence) == 0 || len(heard) != len(silence) || silence[0].Silent < o.Process.Silence || heard[0].Silent < silence[0].Silent {
		t.Errorf("silence was told as %+v, and its end as %+v", silence, heard)
	}
}

func TestRun_SilenceDuringTool(t *testing.T) {
	o := longTimeouts()
	o.Process.Silence = 20 * time.Millisecond
	s, goOn := waitingSpec(t, "working")
	started := false
	told := &story{onEvent: func(e executor.Event) {
		switch e.Kind {
		case executor.ToolStarted:
			started = true
			time.AfterFunc(10*o.Process.Silence, goOn)
		case executor.ToolCompleted:
			started = false
		case executor.Silence:
			if started {
				t.Error("an agent whose tool is at work was said to be silent")
			}
		}
	}}
	exit, err := fake(t, o).Run(t.Context(), s, told.tell)
	if err != nil || !exit.Finished {
		t.Fatalf("the exit is %+v, %v", exit, err)
	}
}

func TestModels_List(t *testing.T) {
	models, err := fake(t, longTimeouts()).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(models) < 5 || models[0] != (executor.Model{ID: "auto", Name: "Auto", Current: true}) || models[1] != (executor.Model{ID: "composer-2.5", Name: "Composer 2.5", Default: true}) {
		t.Errorf("the models are %+v", models)
	}
	t.Setenv("FAKEAGENT_LOGIN", "no")
	if models, err := fake(t, longTimeouts()).Models(t.Context()); !errors.Is(err, executor.ErrUnauthenticated) {
		t.Errorf("without a login the models are %+v, %v", models, err)
	}
}

func TestRun_SettingsDirectory(t *testing.T) {
	home := t.TempDir()
	readUserFile := map[string]any{"version": 1, "editor": map[string]any{"vimMode": true}, "permissions": map[string]any{"allow": []string{"Shell(ls)"}, "deny": []string{"Shell(rm)"}}}
	data, err := json.Marshal(readUserFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cli-config.json": string(data), "auth.json": `{"accessToken":"secret"}`, "cli-config.json.tmp": "torn", "plugins/one": "a plugin",
		"mcp.json": `{"mcpServers":{"mine":{"url":"http://127.0.0.1:1"}}}`,
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := longTimeouts()
	o.ConfigDir = home
	s := spec(t, "show your settings")
	s.Tools = []string{"Shell(git)", "!Write(**/.env)"}
	s.Servers = []executor.Server{{Name: "kuromajutsu", Command: "/bin/server", Args: []string{"child"}, Env: []string{"TOKEN=a=b"}}}
	seen := settingsOf(t, o, s)

	if info, err := os.Stat(seen.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the settings are still there: %v, %v", info, err)
	}
	permissions := fmt.Sprint(seen.config["permissions"])
	if permissions != "map[allow:[Shell(git)] deny:[Write(**/.env) Shell(rm)]]" || seen.config["editor"] == nil {
		t.Errorf("the settings are %v", seen.config)
	}
	if got := fmt.Sprint(seen.servers["mcpServers"]); got != "map[kuromajutsu:map[args:[child] command:/bin/server env:map[TOKEN:a=b]] mine:map[url:http://127.0.0.1:1]]" {
		t.Errorf("the servers are %v", got)
	}
	if string(seen.login) != `{"accessToken":"secret"}` {
		t.Errorf("the login is %q", seen.login)
	}
	if want := []string{"auth.json", "chats", "cli-config.json", "mcp.json", "plugins"}; !slices.Equal(seen.names, want) {
		t.Errorf("the agent has %q, want %q", seen.names, want)
	}
	if chat, err := os.ReadFile(filepath.Join(home, "chats", "session")); err != nil || string(chat) != "kept" {
		t.Errorf("the session is %q, %v", chat, err)
	}
	if plugin, err := os.ReadFile(filepath.Join(home, "plugins", "one")); err != nil || string(plugin) != "a plugin" {
		t.Errorf("what was linked is %q, %v", plugin, err)
	}
	if after, err := os.ReadFile(filepath.Join(home, "cli-config.json")); err != nil || string(after) != string(data) {
		t.Errorf("the user's settings are %s, %v", after, err)
	}
}

func TestRun_BeginTimeout(t *testing.T) {
	o := longTimeouts()
	o.Process.Begin = 200 * time.Millisecond
	exit, _ := run(t, fake(t, o), spec(t, "[fake:neverstarts]"))
	if exit.Finished || !exit.Failed || !strings.Contains(exit.Message, "did not begin a session within 200ms") || exit.Signal == "" && runtime.GOOS != "windows" {
		t.Errorf("the exit is %+v", exit)
	}
	s, goOn := waitingSpec(t, "slowstart")
	goOn()
	if exit, told := run(t, fake(t, longTimeouts()), s); !exit.Finished || len(told.of(executor.Init)) != 1 {
		t.Errorf("one that begins late ended as %+v", exit)
	}
}

func TestRun_ContextCanceled(t *testing.T) {
	for _, recording := range []string{"silent", "stubborn", "endless", "flood"} {
		t.Run(recording, func(t *testing.T) {
			o := longTimeouts()
			o.Process.Grace = time.Millisecond
			ctx, cancel := context.WithCancelCause(t.Context())
			told := &story{}
			bytes := 0
			tell := func(e executor.Event) {
				if bytes += len(e.Data); e.Kind == executor.Said || bytes > 3<<20 {
					cancel(errors.New("nobody needs it any more"))
				}
				if e.Kind != executor.Thinking && e.Kind != executor.Output {
					told.tell(e)
				}
			}
			exit, err := fake(t, o).Run(ctx, spec(t, "[fake:"+recording+"]"), tell)
			if err != nil || exit.Finished || !exit.Failed || !strings.Contains(exit.Message, "nobody needs it any more") {
				t.Errorf("the exit is %+v, %v", exit, err)
			}
		})
	}
}

func TestRun_InvalidSpec(t *testing.T) {
	for name, change := range map[string]func(*executor.Spec){
		"no prompt":                func(s *executor.Spec) { s.Prompt = " " },
		"a relative directory":     func(s *executor.Spec) { s.Dir = "here" },
		"a directory that is gone": func(s *executor.Spec) { s.Dir = filepath.Join(s.Dir, "gone") },
	} {
		s := spec(t, "x")
		change(&s)
		if exit, err := fake(t, longTimeouts()).Run(t.Context(), s, func(executor.Event) {}); err == nil {
			t.Errorf("%s: %+v", name, exit)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fake(t, longTimeouts()).Run(ctx, spec(t, "x"), func(executor.Event) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

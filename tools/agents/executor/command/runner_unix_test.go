//go:build unix

package command_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// runScript runs a shell script as an agent to its end.
func runScript(t *testing.T, o command.Options, script, prompt string) (executor.Exit, []executor.Event) {
	t.Helper()
	r, err := command.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var told []executor.Event
	exit, err := r.Run(t.Context(), shell(script), executor.Spec{AgentID: "agent-1", Dir: t.TempDir(), Prompt: prompt}, func(e executor.Event) {
		e.Data = slices.Clone(e.Data)
		told = append(told, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return exit, told
}

func TestRun_PromptAndOrder(t *testing.T) {
	exit, told := runScript(t, command.Options{}, `
		read -r prompt; read -r more && exit 9
		echo "init: "; echo "said: $prompt"; echo "no event"; printf 'finished: well'`, "hello\n")
	var kinds []string
	for _, e := range told {
		if e.At.IsZero() {
			t.Errorf("%s has no time", e.Kind)
		}
		if e.Kind != executor.Output {
			kinds = append(kinds, string(e.Kind)+" "+e.Text)
		}
	}
	if want := []string{"init ", "said hello", "line no event", "finished well"}; !slices.Equal(kinds, want) {
		t.Errorf("it told %q, want %q", kinds, want)
	}
	if !exit.Finished || exit.Failed || exit.Code != 0 {
		t.Errorf("the exit is %+v", exit)
	}
}

func TestRun_FinishedTwice(t *testing.T) {
	exit, told := runScript(t, command.Options{}, `echo "finished: first"; echo "finished: second"; exit 3`, "")
	n := 0
	for _, e := range told {
		if e.Kind == executor.Finished {
			n++
		}
	}
	if n != 1 || !exit.Finished || exit.Failed || exit.Code != 3 {
		t.Errorf("it finished %d times, and the exit is %+v", n, exit)
	}
}

// When the server stops, an agent that ignores SIGTERM is killed after a short time,
// whatever Options.Grace is.
func TestRun_ServerStops(t *testing.T) {
	r, err := command.New(command.Options{Grace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	script := `trap "" TERM; echo "said: ready"; while :; do sleep 0.05; done`
	exit, err := r.Run(ctx, shell(script), executor.Spec{AgentID: "agent-1", Dir: t.TempDir()}, func(e executor.Event) {
		if e.Kind == executor.Said {
			stop(executor.ErrShutdown)
		}
	})
	if err != nil || exit.Finished || !strings.Contains(exit.Message, "the server was stopped") {
		t.Errorf("the exit is %+v, %v", exit, err)
	}
}

func TestRun_FailureMessage(t *testing.T) {
	for _, test := range []struct {
		script, message string
		cause           error
	}{
		{`echo "please login" >&2; exit 1`, "please login", executor.ErrUnauthenticated},
		{`echo "API_KEY=hunter2secret was refused" >&2; exit 1`, "API_KEY=[redacted] was refused", nil},
		{`echo "said on standard output"; exit 1`, "said on standard output", nil},
		{`exit 4`, "the program ended with exit code 4 and without a result", nil},
		{`kill -9 $$`, "the program ended with signal SIGKILL and without a result", nil},
		{`printf '\033[31mred\033[0m'; head -c 40000 /dev/zero | tr '\0' x >&2; echo end >&2; exit 1`, "xend", nil},
	} {
		exit, _ := runScript(t, command.Options{}, test.script, "a prompt that nobody reads")
		if exit.Finished || !exit.Failed || !strings.HasSuffix(exit.Message, test.message) || len(exit.Message) > 16<<10 || !errors.Is(exit.Cause, test.cause) {
			t.Errorf("%s: the exit is %+v", test.script, exit)
		}
	}
}

func TestRun_PromptNotRead(t *testing.T) {
	exit, _ := runScript(t, command.Options{}, `echo "finished: "`, strings.Repeat("a long prompt ", 1<<20))
	if !exit.Finished {
		t.Errorf("the exit is %+v", exit)
	}
}

func TestRun_Environment(t *testing.T) {
	t.Setenv("CURSOR_API_KEY", "secret")
	t.Setenv("DOUGU_SETTING", "ours")
	_, told := runScript(t, command.Options{}, `echo "said: $CURSOR_API_KEY/$DOUGU_SETTING/$PWD"; echo "finished: "`, "")
	said := told[slices.IndexFunc(told, func(e executor.Event) bool { return e.Kind == executor.Said })].Text
	if parts := strings.Split(said, "/"); parts[0] != "secret" || parts[1] != "" || !filepath.IsAbs(said[len("secret/"):]) {
		t.Errorf("an agent finds %q", said)
	}
	_, told = runScript(t, command.Options{Env: []string{"ONLY=this"}}, `echo "said: $CURSOR_API_KEY/$ONLY"; echo "finished: "`, "")
	if said := told[slices.IndexFunc(told, func(e executor.Event) bool { return e.Kind == executor.Said })].Text; said != "/this" {
		t.Errorf("an agent with an environment of its own finds %q", said)
	}
}

func TestAsk(t *testing.T) {
	r, err := command.New(command.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(script string, timeout time.Duration) (command.Answer, error) {
		return r.Ask(t.Context(), command.Call{Path: "/bin/sh", Args: []string{"-c", script}}, timeout)
	}
	answer, err := ask(`echo "\033[1mbold\033[0m"; echo why >&2; exit 2`, time.Minute)
	if err != nil || strings.TrimSpace(command.Plain(answer.Stdout)) == "" || answer.Stderr != "why\n" || answer.Code != 2 {
		t.Errorf("the answer is %+v, %v", answer, err)
	}
	if answer, err := ask(`yes`, time.Second); err == nil || len(answer.Stdout) > 2<<20 || !strings.Contains(err.Error(), "no response within 1s") {
		t.Errorf("who answers for ever: %d bytes, %v", len(answer.Stdout), err)
	}
	if _, err := r.Ask(t.Context(), command.Call{Path: "/nowhere/agent"}, time.Minute); err == nil {
		t.Error("a program that is not there has answered")
	}
}

func TestFind_ProjectProgram(t *testing.T) {
	project, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(project)
	for _, dir := range []string{project, filepath.Join(project, "node_modules", ".bin"), elsewhere} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "some-agent"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	inside := strings.Join([]string{".", "", project, filepath.Join(project, "node_modules", ".bin")}, string(os.PathListSeparator))
	t.Setenv("PATH", inside)
	path, err := command.Find([]string{"some-agent"})
	if refused, ok := errors.AsType[*executor.Refused](err); !ok || !errors.Is(err, executor.ErrUnavailable) || refused.Path != filepath.Join(project, "some-agent") {
		t.Errorf("found %s, %v", path, err)
	}
	for _, want := range []string{"was found, but is in the current directory", "set its path"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if got := command.Advise(err, "install it (https://agent.example)").Error(); strings.Contains(got, "https") {
		t.Errorf("the advice for a program that was found is %s", got)
	}
	if path, err := command.Find([]string{"other-agent", "some-agent"}, elsewhere); err != nil || path != filepath.Join(elsewhere, "some-agent") {
		t.Errorf("in a further place: %s, %v", path, err)
	}
	t.Setenv("HOME", project) // a home directory is not a project
	if path, err := command.Find([]string{"some-agent"}); err != nil || path != filepath.Join(project, "some-agent") {
		t.Errorf("for who works at home: %s, %v", path, err)
	}
	if path, err := command.Find([]string{filepath.Join(project, "some-agent")}); err != nil || path != filepath.Join(project, "some-agent") {
		t.Errorf("by its path: %s, %v", path, err)
	}
}

func TestFind_NotExecutable(t *testing.T) {
	elsewhere := t.TempDir()
	plain := filepath.Join(elsewhere, "some-agent")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", elsewhere)
	for name, want := range map[string]string{"some-agent": "not executable", plain: "not executable", elsewhere: "is a directory"} {
		_, err := command.Find([]string{name})
		if refused, ok := errors.AsType[*executor.Refused](err); !ok || !strings.Contains(refused.Why, want) || !strings.HasPrefix(refused.Path, elsewhere) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := command.Find([]string{"other-agent"}); err == nil || !strings.Contains(command.Advise(err, "install it").Error(), "the program other-agent was not found in PATH or in the usual installation directories; install it, or set its path in the settings") {
		t.Errorf("a program that is not there: %v", err)
	}
}

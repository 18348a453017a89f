package kuromajutsu

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

// parrot is an executor of a program that uses this package. Its agents repeat their prompts.
type parrot struct{ name string }

func (p parrot) Name() string { return p.name }

func (parrot) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "grey", Name: "Grey", Default: true}}, nil
}

func (parrot) Run(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Init, At: time.Now(), Session: "s-1"})
	tell(executor.Event{Kind: executor.Finished, At: time.Now(), Text: s.Prompt})
	return executor.Exit{Finished: true}, nil
}

func (parrot) Close() error { return nil }

// with returns the program with an executor named parrot.
func with(t *testing.T, open func(*slog.Logger) (executor.Executor, error)) apptest.Program {
	t.Helper()
	environ := []string{"XDG_STATE_HOME=" + t.TempDir()}
	return func() *app.App {
		return newApp(func() []string { return environ }, Options{Executors: map[string]func(*slog.Logger) (executor.Executor, error){"parrot": open}})
	}
}

func TestOptions_Executors(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{agentservice.DefaultFile: `roles:
  - {id: bird, model: grey, executor: parrot, systemPrompt: You repeat.}
  - {id: cat, model: grey, executor: parot, systemPrompt: You purr.}
`})
	p := with(t, func(*slog.Logger) (executor.Executor, error) { return parrot{"parrot"}, nil })
	_, out, _ := p.Run(t, "call", "-root", dir, "list_roles")
	apptest.Contains(t, out, "bird (bird), model grey: available", `did you mean "parrot"?`)
	_, out, _ = p.Run(t, "doctor", "-root", dir, "-port", "0", "-agent-executor", "parrot")
	apptest.Contains(t, out, "parrot: 1 models")
	p.MustFail(t, 1, "cursor, claude, codex, gemini, acp, parrot", "tools", "-root", dir, "-agent-executor", "parot")
}

func TestOptions_InvalidExecutors(t *testing.T) {
	for says, open := range map[string]func(*slog.Logger) (executor.Executor, error){
		"opening the executor parrot: no cage":      func(*slog.Logger) (executor.Executor, error) { return nil, errors.New("no cage") },
		"the executor parrot is nil":                func(*slog.Logger) (executor.Executor, error) { return nil, nil },
		`the executor parrot has the name "claude"`: func(*slog.Logger) (executor.Executor, error) { return parrot{"claude"}, nil },
	} {
		_, _, errs := with(t, open).Run(t, "tools", "-root", t.TempDir())
		apptest.Contains(t, errs, says)
	}
}

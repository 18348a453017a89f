package agentservice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
	"github.com/dougu-go/dougu/tools/app"
)

// Checks examines the project, the settings, the roles, the programs that run agents, git, the port
// of the dashboard and the directory of the history.
func (o *Options) Checks(ctx context.Context, a *app.App) []app.Check {
	all := a.CheckRoots([]string{o.Directory}, false)
	s, err := Open(ctx, o, Purpose{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, app.Check{Name: "settings", Status: app.Broken, Detail: app.Explain(err), Next: "Correct " + o.file() + ", the environment or the flags."})
	}
	if s.book == nil {
		all = append(all, app.Check{Name: "agent", Status: app.OK, Detail: "this server was started by an agent; it only forwards calls to its parent"})
		return append(all, checkEnd(ctx, s)...)
	}
	all = append(all, o.checkRoles(s))
	for _, x := range s.executors {
		all = append(all, checkExecutor(ctx, x, x.Name() == s.config.Agent.Executor))
	}
	all = append(all, checkGit(), checkPort(ctx, s.config))
	if dir, err := stateDir(o.Environ(), s.root.Dirs()[0]); err != nil {
		all = append(all, app.Check{Name: "history", Status: app.Warning, Detail: err.Error(), Next: "Set XDG_STATE_HOME to a writable directory; until then the history is lost when a server ends."})
	} else {
		all = append(all, app.CheckState("history", dir))
	}
	return append(all, checkEnd(ctx, s)...)
}

func checkEnd(ctx context.Context, s *Service) []app.Check {
	if err := s.Close(ctx); err != nil {
		return []app.Check{{Name: "ending", Status: app.Warning, Detail: err.Error()}}
	}
	return nil
}

func (o *Options) checkRoles(s *Service) app.Check {
	c := app.Check{Name: "roles", Status: app.OK, Detail: fmt.Sprintf("%d, from %s", len(s.book.Roles()), o.file())}
	if _, err := os.Stat(o.file()); errors.Is(err, fs.ErrNotExist) {
		c.Detail = fmt.Sprintf("%d built-in roles; the first change in the dashboard creates %s", len(s.book.Roles()), o.file())
	}
	if problems := s.book.Problems(); len(problems) > 0 {
		c.Status, c.Detail, c.Next = app.Warning, fmt.Sprintf("%v, and %d more", problems[0], len(problems)-1), "Correct them in "+o.file()+"."
		if len(problems) == 1 {
			c.Detail = problems[0].Error()
		}
	}
	return c
}

// checkExecutor requests the models of a program, which shows whether it is installed and logged
// in. The request costs nothing.
func checkExecutor(ctx context.Context, x executor.Executor, needed bool) app.Check {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	c := app.Check{Name: x.Name(), Status: app.OK}
	models, err := x.Models(ctx)
	refused, found := errors.AsType[*executor.Refused](err)
	switch {
	case err == nil:
		c.Detail = fmt.Sprintf("%d models", len(models))
	case found:
		c.Status, c.Detail, c.Next = app.Warning, refused.Path+" "+refused.Why, sentence(refused.Next)
		if needed {
			c.Status = app.Broken
		}
	case !needed && errors.Is(err, executor.ErrUnavailable):
		c.Status, c.Detail = app.Unused, "not installed"
	default:
		c.Status, c.Detail = app.Broken, app.Explain(err)
		c.Next = cmp.Or(nextSteps[x.Name()], "Correct what the message names") + "; \"kuromajutsu demo\" needs none of it."
		if !needed {
			c.Status = app.Warning
		}
	}
	return c
}

// sentence returns an imperative as a sentence.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// nextSteps has the advice for a program that is not usable, by name of the executor.
var nextSteps = map[string]string{
	cursor.Name: "Install the Cursor CLI (https://cursor.com/cli) and log in with \"agent login\" or CURSOR_API_KEY",
	claude.Name: "Install Claude Code (https://code.claude.com) and log in by starting it once",
	codex.Name:  "Install the Codex CLI (https://developers.openai.com/codex/cli) and log in with \"codex login\" or CODEX_API_KEY",
	gemini.Name: "Install the Gemini CLI (https://geminicli.com) and log in by starting it once, or with GEMINI_API_KEY",
	acp.Name:    "Name a program that speaks the Agent Client Protocol as agent.acpProgram, with its agent.acpArgs, and log in with it",
}

func checkGit() app.Check {
	path, err := exec.LookPath("git")
	if err != nil {
		return app.Check{Name: "worktrees", Status: app.Warning, Detail: "git is not installed", Next: "Install git: without it, changes of files by commands of agents are not detected, and agents have no isolated worktrees."}
	}
	return app.Check{Name: "worktrees", Status: app.OK, Detail: path}
}

func checkPort(ctx context.Context, c Config) app.Check {
	if !c.Dashboard.Enabled {
		return app.Check{Name: "dashboard", Status: app.Unused, Detail: "dashboard.enabled is false"}
	}
	address := net.JoinHostPort(c.Dashboard.Host, strconv.Itoa(c.Dashboard.Port))
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return app.Check{Name: "dashboard", Status: app.Warning, Detail: err.Error(), Next: "The server uses one of the next hundred ports, or choose another port with -port."}
	}
	if err := l.Close(); err != nil {
		return app.Check{Name: "dashboard", Status: app.Warning, Detail: err.Error()}
	}
	return app.Check{Name: "dashboard", Status: app.OK, Detail: "http://" + address + "/ is free"}
}

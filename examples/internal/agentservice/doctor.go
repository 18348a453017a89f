package agentservice

import (
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

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
)

// Checks look at the project, the settings, the roles, the programs that run agents, and the port.
func (o *Options) Checks(ctx context.Context, a *cli.App) []cli.Check {
	all := a.CheckRoots([]string{o.Directory}, false)
	s, err := Open(ctx, o, Purpose{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, cli.Check{Name: "settings", Status: cli.Broken, Detail: cli.Explain(err), Next: "Correct " + o.file() + ", the environment or the flags."})
	}
	if s.book == nil {
		all = append(all, cli.Check{Name: "agent", Status: cli.OK, Detail: "this is the server of an agent, which only hands on what that reports"})
		return append(all, checkEnd(ctx, s)...)
	}
	all = append(all, o.checkRoles(s))
	for _, x := range s.executors {
		all = append(all, checkExecutor(ctx, x, x.Name() == s.config.Agent.Executor))
	}
	all = append(all, checkGit(), checkPort(ctx, s.config))
	if dir, err := stateDir(o.Environ(), s.root.Dirs()[0]); err != nil {
		all = append(all, cli.Check{Name: "history", Status: cli.Warning, Detail: err.Error(), Next: "Set XDG_STATE_HOME to a directory that can be written; until then the history ends with each server."})
	} else {
		all = append(all, cli.CheckState("history", dir))
	}
	return append(all, checkEnd(ctx, s)...)
}

func checkEnd(ctx context.Context, s *Service) []cli.Check {
	if err := s.Close(ctx); err != nil {
		return []cli.Check{{Name: "ending", Status: cli.Warning, Detail: err.Error()}}
	}
	return nil
}

func (o *Options) checkRoles(s *Service) cli.Check {
	c := cli.Check{Name: "roles", Status: cli.OK, Detail: fmt.Sprintf("%d, from %s", len(s.book.Roles()), o.file())}
	if _, err := os.Stat(o.file()); errors.Is(err, fs.ErrNotExist) {
		c.Detail = fmt.Sprintf("%d that are built in; the first change in the dashboard writes %s", len(s.book.Roles()), o.file())
	}
	if problems := s.book.Problems(); len(problems) > 0 {
		c.Status, c.Detail, c.Next = cli.Warning, fmt.Sprintf("%v, and %d more", problems[0], len(problems)-1), "Correct them in "+o.file()+"."
		if len(problems) == 1 {
			c.Detail = problems[0].Error()
		}
	}
	return c
}

// checkExecutor asks a program for its models, which shows whether it is there and logged in. It costs nothing.
func checkExecutor(ctx context.Context, x executor.Executor, needed bool) cli.Check {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	c := cli.Check{Name: x.Name(), Status: cli.OK}
	models, err := x.Models(ctx)
	refused, found := errors.AsType[*executor.Refused](err)
	switch {
	case err == nil:
		c.Detail = fmt.Sprintf("%d models", len(models))
	case found:
		c.Status, c.Detail, c.Next = cli.Warning, refused.Path+" "+refused.Why, sentence(refused.Next)
		if needed {
			c.Status = cli.Broken
		}
	case !needed && errors.Is(err, executor.ErrUnavailable):
		c.Status, c.Detail = cli.Unused, "not installed"
	default:
		c.Status, c.Detail = cli.Broken, cli.Explain(err)
		c.Next = nextSteps[x.Name()] + "; \"kuromajutsu demo\" needs none of it."
		if !needed {
			c.Status = cli.Warning
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

// nextSteps are what to do where a program cannot be used, by the names of executors.
var nextSteps = map[string]string{
	cursor.Name: "Install the Cursor CLI (https://cursor.com/cli) and log in with \"agent login\" or CURSOR_API_KEY",
	claude.Name: "Install Claude Code (https://code.claude.com) and log in by starting it once",
	codex.Name:  "Install the Codex CLI (https://developers.openai.com/codex/cli) and log in with \"codex login\" or CODEX_API_KEY",
	gemini.Name: "Install the Gemini CLI (https://geminicli.com) and log in by starting it once, or with GEMINI_API_KEY",
	acp.Name:    "Name a program that speaks the Agent Client Protocol as agent.acpProgram, with its agent.acpArgs, and log in with it",
}

func checkGit() cli.Check {
	path, err := exec.LookPath("git")
	if err != nil {
		return cli.Check{Name: "worktrees", Status: cli.Warning, Detail: "git is not installed", Next: "Install git: without it, files that commands of agents change are not noticed, and there is no isolation."}
	}
	return cli.Check{Name: "worktrees", Status: cli.OK, Detail: path}
}

func checkPort(ctx context.Context, c Config) cli.Check {
	if !c.Dashboard.Enabled {
		return cli.Check{Name: "dashboard", Status: cli.Unused, Detail: "dashboard.enabled is false"}
	}
	address := net.JoinHostPort(c.Dashboard.Host, strconv.Itoa(c.Dashboard.Port))
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return cli.Check{Name: "dashboard", Status: cli.Warning, Detail: err.Error(), Next: "One of the next hundred ports is used; or choose another with -port."}
	}
	if err := l.Close(); err != nil {
		return cli.Check{Name: "dashboard", Status: cli.Warning, Detail: err.Error()}
	}
	return cli.Check{Name: "dashboard", Status: cli.OK, Detail: "http://" + address + "/ is free"}
}

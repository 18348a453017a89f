// Package kuromajutsu is the program kuromajutsu, which lets an agent run other agents: an MCP client gives them
// tasks, the agents work in parallel as processes of the Cursor CLI or of another installed agent
// program. A dashboard in the browser shows them live. When the program serves on a terminal, it first prints how
// to connect a client.
//
// "kuromajutsu demo" shows the dashboard with recorded agents, and needs nothing
// else.
package kuromajutsu

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/replay"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
)

var version = app.Version()

// program has the values of the flags, and a method for each command.
type program struct {
	*agentservice.Options
	outputSchemas bool
}

// Options extend the program. The zero value is the program as it is released.
type Options struct {
	// Executors are additional executors of agents, by their names. Roles and the setting agent.executor select them by these
	// names. The program calls a function once for each service that it opens, and closes the executor. A name must satisfy
	// executor.CheckName and equal that of the executor; it must not be one of this library's executors.
	Executors map[string]func(log *slog.Logger) (executor.Executor, error)
}

// New returns the program, with the environment that agentservice.Environment returns.
func New(o Options) *app.App { return newApp(agentservice.Environment, o) }

// RunRecorded runs a recorded agent and returns its exit code, if the arguments of the process ask for one: "kuromajutsu demo"
// starts the program itself in place of the Cursor CLI, with the first argument agentservice.StandIn. A main function calls it before anything else.
func RunRecorded(args []string) (code int, ok bool) {
	if len(args) < 2 || args[1] != agentservice.StandIn {
		return 0, false
	}
	return replay.Main(args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()), true
}

// newApp returns the program with its commands, in an environment.
func newApp(environ func() []string, o Options) *app.App {
	p := new(program)
	a := &app.App{
		Name: "kuromajutsu", Version: version, Tasks: true,
		Summary:    "agents that run in parallel, for MCP clients, and a dashboard that shows them",
		MainFlags:  []string{"root", "config", "agent-executor", "agent-max-concurrent", "agent-sandbox", "dashboard-port", "notify-targets", "http", "no-token", "log-level"},
		Flags:      func(flags *flag.FlagSet) { p.flags(flags, environ, o) },
		PassEnv:    agentservice.Variables(),
		Build:      p.build,
		Commands:   []app.Command{p.dashboardCommand(), p.demoCommand()},
		NeedsToken: true,
		New:        func() *app.App { return newApp(environ, o) },
	}
	a.Doctor = func(ctx context.Context) []app.Check { return p.Checks(ctx, a) }
	a.Trust = func(ctx context.Context) ([]app.ProjectSettings, error) { return p.ProjectSettings(ctx) }
	return a
}

// flags declares the flags of all commands. It first sets all values to their defaults.
func (p *program) flags(flags *flag.FlagSet, environ func() []string, o Options) {
	*p = program{Options: agentservice.NewOptions(version, environ, o.Executors)}
	flags.StringVar(&p.Directory, "root", ".", "`directory` of the project, in which agents work")
	flags.BoolVar(&p.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	p.Flags(flags)
}

// build opens the service and makes its server. The command call runs one tool without serving, and asks with Checks for the
// health checks of roles, which otherwise run only in a server.
func (p *program) build(ctx context.Context, start app.Start) (*app.Program, error) {
	serves := start.Serves()
	s, err := agentservice.Open(ctx, p.Options, agentservice.Purpose{Stderr: start.Stderr, Person: !serves, Serves: serves, Checks: start.Command == "call", Token: start.Token, NoToken: start.NoToken, Structured: start.Structured})
	if err != nil {
		return nil, err
	}
	server := start.NewServer(mcp.Implementation{
		Name: "kuromajutsu", Title: "Kuromajutsu", Version: version, Description: "Runs agents in parallel and shows them in a dashboard.",
	}, &mcp.ServerOptions{Instructions: s.Instructions(), Log: s.Log(), Extensions: s.Extensions()})
	profile := tools.Profile{OtherSpelling: true, NoOutputSchemas: !p.outputSchemas, Wrap: []mcp.ToolMiddleware{server.LogCalls}}
	installed, err := tools.Install(server.Server, "kuromajutsu", profile, s.Set())
	if err != nil {
		return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return &app.Program{Server: server.Server, Root: s.Root(), Log: s.Log(), Close: func(ctx context.Context) error {
		return errors.Join(installed.Close(ctx), s.Close(ctx))
	}}, nil
}
